// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Platform

@Suite("Own memory, hour by hour")
struct MemoryTests {
    /// MiB of each hour from the first on, looked at once a minute.
    private static func book(_ hours: [Double]) -> MemoryBook {
        var book = MemoryBook()
        for (hour, mebibytes) in hours.enumerated() {
            for minute in 0..<60 {
                // In use for a moment.
                let more = minute % 2 == 0 ? 8.0 : 0
                book.record(UInt64((mebibytes + more) * 1_048_576), at: .seconds(hour * 3_600 + minute * 60))
            }
        }
        book.record(0, at: .seconds(hours.count * 3_600))
        return book
    }

    @Test(
        "a value that rises from hour to hour is growth, and no other value is",
        arguments: [
            ([1, 2, 3, 4, 5, 6, 7], true),
            ([1, 2, 3, 4, 5, 6], false),
            ([9, 1, 2, 3, 4, 5, 6], true),
            ([1, 1, 1.8, 2.6, 3.4, 4.2, 4.9], false),
            ([1, 1, 1.8, 2.6, 3.4, 4.2, 5], true),
            // Once, and then no more.
            ([1, 1, 1, 9, 9, 9, 9, 9], false),
            ([1, 1, 2, 3, 2.5, 4, 5, 6, 7], false),
            // Memory that the allocator returns does not end the growth.
            ([1, 1, 2, 3, 2.95, 4, 5, 6, 7], true),
            (Array(repeating: 6, count: 60), false),
            ([1] + (0..<50).map { Double($0) * 0.25 }, true),
            // The growth is so old that it is forgotten.
            ([1] + (0..<20).map(Double.init) + Array(repeating: 20, count: 24), false),
        ] as [([Double], Bool)])
    func growth(_ hours: [Double], _ isGrowing: Bool) {
        let book = Self.book(hours)
        #expect(book.isGrowing == isGrowing, "\(book.lows)")
        #expect(book.lows.count == min(hours.count - 1, MemoryBook.hours))
    }

    @Test("the kernel's figures of this process have its own part below the whole")
    func kernel() throws {
        let now = try #require(MemoryStatus.now)
        #expect(now.ownBytes > 1 << 20 && now.ownBytes < now.residentBytes)
        // Touched, so that it is resident.
        let more = UnsafeMutableRawPointer.allocate(byteCount: 64 << 20, alignment: 4_096)
        defer { more.deallocate() }
        more.initializeMemory(as: UInt8.self, repeating: 1, count: 64 << 20)
        let then = try #require(MemoryStatus.now)
        #expect(then.ownBytes > now.ownBytes + 48 << 20)
    }
}
