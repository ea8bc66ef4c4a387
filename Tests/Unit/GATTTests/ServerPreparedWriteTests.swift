// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import GATT
import Testing

struct ServerPreparedWriteTests {
    @Test func `a long write reaches its owner in one piece`() throws {
        var bench = try ServerBench()
        #expect(try bench.answer(to: "16 2400 0000 0102") == "17240000000102")
        #expect(try bench.answer(to: "16 2400 0200 03") == "172400020003")
        let effects = try bench.receive("18 01")
        #expect(effects.sent == "")
        let write = try #require(effects.writes.first)
        #expect(
            write.items == [
                WriteItem(handle: 0x24, offset: 0, value: [1, 2]), WriteItem(handle: 0x24, offset: 2, value: [3]),
            ])
        #expect(bench.machine.answerWrite(try #require(write.id), in: bench.context).effects.sent == "19")
        #expect(try bench.receive("18 01").sent == "19")
    }

    @Test func `nested writes are sorted by owner, and end with the first that refuses`() throws {
        var bench = try ServerBench()
        for part in ["16 2400 0000 01", "16 3800 0000 09", "16 2d00 0000 05", "16 2400 0100 02"] {
            _ = try bench.receive(part)
        }
        let first = try #require(try bench.receive("18 01").writes.first)
        #expect(first.owner == ServerBench.first)
        #expect(first.items.map(\.handle) == [0x24, 0x2D, 0x24])
        let effects = bench.machine.answerWrite(try #require(first.id), in: bench.context).effects
        let second = try #require(effects.writes.first)
        #expect(second.items == [WriteItem(handle: 0x38, offset: 0, value: [9])])
        #expect(
            bench.machine.answerWrite(try #require(second.id), error: .valueNotAllowed, in: bench.context).effects
                .sent == "0118380013")
    }

    @Test func `an owner names the handle that it refuses`() throws {
        var bench = try ServerBench()
        _ = try bench.receive("16 2400 0000 01")
        _ = try bench.receive("16 2d00 0000 01")
        let id = try #require(try bench.receive("18 01").writes.first?.id)
        let answer = bench.machine.answerWrite(id, error: .invalidOffset, handle: 0x2D, in: bench.context)
        #expect(answer.effects.sent == "01182d0007")
    }

    static let refusals: [(parts: [String], response: String)] = [
        (["16 3500 0000 0102030405"], "011835000d"),
        (["16 3500 0000 0102", "16 3500 0200 030405"], "011835000d"),
        (["16 3500 0500 01"], "0118350007"),
        (["16 3500 0000 01", "16 3500 0200 02"], "0118350007"),
        (["16 2d00 3d00 01"], "01182d0007"),
        (["16 2d00 3c00 01", "16 2d00 3e00 01"], "01182d0007"),
        (["16 2400 ffff 01"], "0118240007"),
        (["16 2400 0002 01"], "011824000d"),
        (["16 2400 0000 01", "16 3500 0500 01"], "0118350007"),
        (["16 2700 0000 0400"], "01182700fd"),
        (["16 2700 0000 0100", "16 2700 0200 00"], "011827000d"),
        (["16 2400 0000 01", "16 2700 0000 0800"], "01182700fd"),
    ]

    @Test(arguments: refusals.indices) func `all or none: one bad part ends the whole execution`(index: Int) throws {
        let row = Self.refusals[index]
        var bench = try ServerBench()
        for part in row.parts { #expect(try bench.answer(to: part).hasPrefix("17")) }
        #expect(try bench.receive("18 01") == [.send(try #require([UInt8](hexadecimal: row.response)))])
        #expect(bench.machine.configuration(of: 0x26) == 0)
        #expect(try bench.answer(to: "18 01") == "19")
    }

    @Test func `cancelling drops the queue`() throws {
        var bench = try ServerBench()
        _ = try bench.receive("16 2400 0000 01")
        #expect(try bench.receive("18 00") == [.send([0x19])])
        #expect(try bench.receive("18 01") == [.send([0x19])])
    }

    @Test func `the queue has a bound in entries and in octets`() throws {
        var bench = try ServerBench(limits: ServerLimits(preparedWrites: 2, preparedOctets: 5))
        #expect(try bench.answer(to: "16 2400 0000 010203") == "1724000000010203")
        #expect(try bench.answer(to: "16 2400 0300 040506") == "0116240009")
        #expect(try bench.answer(to: "16 2400 0300 04") == "172400030004")
        #expect(try bench.answer(to: "16 2400 0400 05") == "0116240009")
        #expect(try bench.answer(to: "18 00") == "19")
        #expect(try bench.answer(to: "16 2400 0000 01") == "172400000001")
    }

    @Test func `the queue takes as many octets as its bound says, and not one more`() throws {
        var bench = try ServerBench(limits: ServerLimits(preparedWrites: 9, preparedOctets: 5))
        #expect(try bench.answer(to: "16 2400 0000 010203") == "1724000000010203")
        #expect(try bench.answer(to: "16 2400 0300 0405") == "17240003000405")
        #expect(try bench.answer(to: "16 2400 0500 06") == "0116240009")
        #expect(try bench.answer(to: "18 00") == "19")
        #expect(try bench.answer(to: "16 2400 0000 010203040506") == "0116240009")
        #expect(try bench.answer(to: "16 2400 0000 0102030405") == "17240000000102030405")
    }

    @Test func `a part longer than the MTU allows is malformed`() throws {
        var bench = try ServerBench()
        #expect(try bench.answer(to: "16 2400 0000 " + String(repeating: "01", count: 19)) == "0116000004")
    }

    @Test func `a configuration can be prepared, and counts once the owners have agreed`() throws {
        var bench = try ServerBench()
        _ = try bench.receive("16 2700 0000 01")
        _ = try bench.receive("16 2700 0100 00")
        _ = try bench.receive("16 2400 0000 01")
        let id = try #require(try bench.receive("18 01").writes.first?.id)
        #expect(bench.machine.configuration(of: 0x26) == 0)
        let effects = bench.machine.answerWrite(id, in: bench.context).effects
        #expect(effects.sent == "19")
        #expect(effects.contains(.subscribed(valueHandle: 0x26, owner: ServerBench.first, .notification)))
    }

    @Test func `the next owner is asked for nothing that has gone, or that the link may no longer write`() throws {
        for isRemoved in [false, true] {
            var bench = try ServerBench()
            let service = LocalService(
                uuid: BluetoothUUID(UInt16(0x180A)),
                characteristics: [
                    .init(uuid: BluetoothUUID(UInt16(0x2A76)), properties: [.read, .write], write: .encrypted)
                ])
            let published = try bench.database.add(service, owner: ServerBench.second)
            let handle = try #require(published.characteristics.first?.valueHandle)
            let octets = [UInt8(truncatingIfNeeded: handle), UInt8(truncatingIfNeeded: handle >> 8)].hexadecimal
            bench.security = LinkSecurity(isEncrypted: true, keySize: 16)
            _ = try bench.receive("16 2400 0000 01")
            _ = try bench.receive("16 \(octets) 0000 02")
            let first = try bench.receive("18 01").writes
            #expect(first.map(\.owner) == [ServerBench.first])
            if isRemoved {
                let change = try bench.database.remove(serviceAt: published.handles.start, owner: ServerBench.second)
                _ = bench.machine.databaseChanged(change, in: bench.context)
            } else {
                bench.security = .none
            }
            let effects = bench.machine.answerWrite(try #require(first.first?.id), in: bench.context).effects
            #expect(effects.sent == "0118\(octets)" + (isRemoved ? "12" : "05"))
            #expect(effects.writes.isEmpty)
        }
    }

    @Test func `what was prepared for a service that has gone is refused, whoever comes to its handles`() throws {
        var bench = try ServerBench()
        _ = try bench.receive("16 3800 0000 01")
        let change = try bench.database.remove(serviceAt: 0x36, owner: ServerBench.second)
        _ = bench.machine.databaseChanged(change, in: bench.context)
        _ = try bench.database.add(
            LocalService(
                uuid: ServerBench.longUUID,
                characteristics: [.init(uuid: BluetoothUUID(UInt16(0x2A76)), properties: [.read, .write])]),
            owner: ServerBench.second, at: 0x36)
        #expect(try bench.answer(to: "18 01") == "0118380012")
    }
}
