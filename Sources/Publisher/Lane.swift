// SPDX-License-Identifier: Apache-2.0

/// One of the two ways of readings to the broker.
enum Lane: String { case live, history }
