// SPDX-License-Identifier: Apache-2.0

/// A queue of octets, first in, first out. The caller keeps the bound.
struct OctetQueue {
    private var octets: [UInt8] = []
    private var start = 0

    var count: Int { octets.count - start }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ new: some Collection<UInt8>) { octets.append(contentsOf: new) }

    /// The first octets, `limit` at most.
    func first(_ limit: Int) -> ArraySlice<UInt8> { octets[start...].prefix(limit) }

    mutating func drop(_ number: Int) {
        start += min(number, count)
        // Moves the rest down now and then, not each time.
        guard start == octets.count || start >= 16_384 else { return }
        octets.removeFirst(start)
        start = 0
    }
}
