// SPDX-License-Identifier: Apache-2.0

/// Additive: how many elements a ``CBStream`` keeps for a consumer that is slower than its source, and which ones. A
/// limit below 1 counts as 1.
public enum CBBufferingPolicy: Hashable, Sendable {
    /// The latest so many: the oldest makes room. For measurements and advertisements.
    case newest(Int)
    /// The first elements, up to this number; a full buffer loses new elements. For the beginning of a transfer.
    case oldest(Int)

    var capacity: Int {
        switch self {
        case .newest(let count), .oldest(let count): max(1, count)
        }
    }
}
