// SPDX-License-Identifier: Apache-2.0

// Tests of the gateway wait, and draw numbers, as all others do.
@_exported import TestSupport
