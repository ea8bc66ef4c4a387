// SPDX-License-Identifier: Apache-2.0

/// The role of this host on a link. Core 5.4, Vol 6, Part B, 1.1.
package enum LinkRole: Hashable, Sendable {
    case central, peripheral
}
