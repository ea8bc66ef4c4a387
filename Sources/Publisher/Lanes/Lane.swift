// SPDX-License-Identifier: Apache-2.0

/// The two ways of readings to the broker.
enum Lane: String { case live, history }
