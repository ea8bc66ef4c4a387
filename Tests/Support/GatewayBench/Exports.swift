// SPDX-License-Identifier: Apache-2.0

// Tests of the gateway use the same waits and random numbers as all others.
@_exported import TestSupport
