// SPDX-License-Identifier: Apache-2.0

// A target has to have a source file; this one is for its module map.
