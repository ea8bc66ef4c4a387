// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import GATT
import Testing

/// Values from the owners of attributes.
struct ServerOwnerTests {
    @Test func `an owner is asked for its value, and its answer is cut to the MTU`() throws {
        var bench = try ServerBench()
        let read = try #require(try bench.receive("0a 2400").reads.first)
        #expect((read.owner, read.handle, read.offset) == (ServerBench.first, 0x24, 0))
        let (isTaken, effects) = bench.machine.answerRead(
            read.id, .success([UInt8](repeating: 9, count: 40)), in: bench.context)
        #expect(isTaken)
        #expect(effects == [.send([0x0B] + [UInt8](repeating: 9, count: 22))])
        let again = bench.machine.answerRead(read.id, .success([]), in: bench.context)
        #expect(again.isTaken == false)
        #expect(again.effects == [])
    }

    @Test func `a long read gives the owner the offset`() throws {
        var bench = try ServerBench()
        let read = try #require(try bench.receive("0c 2400 1600").reads.first)
        #expect(read.offset == 22)
        #expect(bench.machine.answerRead(read.id, .success([5]), in: bench.context).effects.sent == "0d05")
        #expect(try bench.answer(to: "0c 2400 0102") == "010c240007")
    }

    @Test func `what an owner refuses goes to the client with its handle`() throws {
        var bench = try ServerBench()
        let read = try #require(try bench.receive("0c 2400 1600").reads.first)
        #expect(
            bench.machine.answerRead(read.id, .failure(.invalidOffset), in: bench.context).effects.sent
                == "010c240007")
        let write = try #require(try bench.receive("12 2400 01").writes.first?.id)
        #expect(bench.machine.answerRead(write, .success([]), in: bench.context).isTaken == false)
        #expect(
            bench.machine.answerWrite(write, error: .init(rawValue: 0x80), in: bench.context).effects.sent
                == "0112240080")
        let third = try #require(try bench.receive("0a 2400").reads.first)
        #expect(bench.machine.answerWrite(third.id, in: bench.context).isTaken == false)
        #expect(
            bench.machine.answerRead(third.id, .failure(.init(rawValue: 0)), in: bench.context).effects.sent
                == "010a24000e")
    }

    @Test func `a value of an owner comes alone in a read by type`() throws {
        var bench = try ServerBench(mtu: 517)
        let read = try #require(try bench.receive("08 0100 ffff 6f2a").reads.first)
        let value = [UInt8](repeating: 1, count: 400)
        let effects = bench.machine.answerRead(read.id, .success(value), in: bench.context).effects
        #expect(effects == [.send([0x09, 0xFF, 0x24, 0] + value.prefix(253))])
    }

    @Test func `reads of several values ask one owner after the other`() throws {
        var bench = try ServerBench()
        let first = try #require(try bench.receive("20 2400 2200 3800").reads.first)
        #expect(first.handle == 0x24)
        let next = bench.machine.answerRead(first.id, .success([1, 2, 3]), in: bench.context).effects
        let second = try #require(next.reads.first)
        #expect(second.owner == ServerBench.second)
        #expect(next.sent == "")
        let last = bench.machine.answerRead(second.id, .success([]), in: bench.context).effects
        #expect(last.sent == "21" + "0300010203" + "02000708" + "0000")
        // A full response needs no more owners.
        let long = try #require(try bench.receive("0e 2400 3800").reads.first)
        #expect(
            bench.machine.answerRead(long.id, .success([UInt8](repeating: 7, count: 22)), in: bench.context).effects
                == [.send([0x0F] + [UInt8](repeating: 7, count: 22))])
    }

    @Test func `an owner is given a write, and a command without an id`() throws {
        var bench = try ServerBench()
        let effects = try bench.receive("12 2400 0102")
        let write = try #require(effects.writes.first)
        #expect(write.items == [WriteItem(handle: 0x24, offset: 0, value: [1, 2])])
        #expect(effects.sent == "")
        // Commands do not wait behind a request.
        let command = try #require(try bench.receive("52 2400 07").writes.first)
        #expect(command.id == nil)
        #expect(command.items == [WriteItem(handle: 0x24, offset: 0, value: [7])])
        let id = try #require(write.id)
        #expect(bench.machine.answerWrite(id, in: bench.context).effects.sent == "13")
        #expect(bench.machine.answerWrite(id, in: bench.context).isTaken == false)
    }

    @Test(arguments: [
        "52 2200 01", "52 9900 01", "52 3500 0102030405", "52 2700 0100", "52 2d00 01", "52 24", "52 1500 01",
    ])
    func `a command that is not permitted is passed over`(text: String) throws {
        var bench = try ServerBench()
        #expect(try bench.receive(text) == [])
        #expect(bench.machine.counters.ignoredCommands == 1)
    }

    @Test func `a client that does not wait is answered in order, up to a bound`() throws {
        var bench = try ServerBench(limits: ServerLimits(waitingRequests: 3))
        let read = try #require(try bench.receive("0a 2400").reads.first)
        for request in ["0a 2200", "0a 9900", "0a 3800", "0a 2200"] { #expect(try bench.receive(request) == []) }
        #expect(bench.machine.counters.droppedRequests == 1)
        let effects = bench.machine.answerRead(read.id, .success([1]), in: bench.context).effects
        #expect(effects.sent == "0b01|0b0708|010a990001")
        let second = try #require(effects.reads.first)
        #expect(bench.machine.answerRead(second.id, .success([2]), in: bench.context).effects.sent == "0b02")
    }

    @Test func `an owner that does not answer in time ends the bearer`() throws {
        var bench = try ServerBench()
        let read = try #require(try bench.receive("0a 2400").reads.first)
        #expect(bench.machine.deadline == .zero + .milliseconds(29_500))
        bench.now = .zero + .milliseconds(29_499)
        #expect(bench.machine.expire(in: bench.context) == [])
        bench.now = .zero + .milliseconds(29_500)
        #expect(bench.machine.expire(in: bench.context) == [.closeBearer])
        #expect(bench.machine.deadline == nil)
        #expect(bench.machine.answerRead(read.id, .success([]), in: bench.context).isTaken == false)
        #expect(try bench.receive("0a 2200") == [])
        #expect(bench.machine.notify([1], of: 0x26, in: bench.context).outcome == .closed)
    }

    @Test func `the time of a request that had to wait counts from its arrival`() throws {
        var bench = try ServerBench()
        let read = try #require(try bench.receive("0a 2400").reads.first)
        bench.now = .zero + .seconds(10)
        _ = try bench.receive("0a 3800")
        bench.now = .zero + .seconds(20)
        _ = bench.machine.answerRead(read.id, .success([]), in: bench.context)
        #expect(bench.machine.deadline == .zero + .milliseconds(39_500))
    }

    @Test func `a request whose owner goes is answered with an error`() throws {
        var bench = try ServerBench()
        _ = try bench.receive("0a 2400")
        _ = try bench.receive("0a 2200")
        #expect(bench.machine.ownerGone(ServerBench.second, in: bench.context) == [])
        #expect(bench.machine.ownerGone(ServerBench.first, in: bench.context).sent == "010a24000e|0b0708")
        let read = try #require(try bench.receive("0a 3800").reads.first)
        let changes = bench.database.removeAll(owner: ServerBench.second)
        #expect(changes.map(\.handles) == [.init(start: 0x36, end: 0x38)])
        #expect(bench.machine.databaseChanged(changes[0], in: bench.context).sent == "010a38000e")
        #expect(bench.machine.answerRead(read.id, .success([]), in: bench.context).isTaken == false)
    }

    @Test func `a client that may write the name has the host set it`() throws {
        var bench = try ServerBench(services: false)
        bench.database = GATTDatabase(HostServices(deviceName: [], nameWrite: .encrypted))
        #expect(try bench.answer(to: "12 0300 4142") == "0112030005")
        bench.security = LinkSecurity(isEncrypted: true, keySize: 16)
        let write = try #require(try bench.receive("12 0300 4142").writes.first)
        #expect(write.owner == .host)
        bench.database.setDeviceName(write.items.flatMap(\.value))
        #expect(bench.machine.answerWrite(try #require(write.id), in: bench.context).effects.sent == "13")
        #expect(try bench.answer(to: "0a 0300") == "0b4142")
    }

    @Test(arguments: ["0e 2400 2f00", "0e 2f00 2400", "20 2f00 2400"])
    func `a link that is less secure when the owner answers gets no value that needs more`(text: String) throws {
        var bench = try ServerBench()
        bench.security = LinkSecurity(isEncrypted: true, keySize: 16, hasBond: true)
        let read = try #require(try bench.receive(text).reads.first)
        bench.security = .none
        #expect(
            bench.machine.answerRead(read.id, .success([5]), in: bench.context).effects.sent
                == "01\(text.prefix(2))2f0005")
    }

    @Test func `the answer of the owner itself needs the security of the moment`() throws {
        var bench = try ServerBench()
        let service = try bench.database.add(
            LocalService(
                uuid: BluetoothUUID(UInt16(0x181A)),
                characteristics: [
                    .init(uuid: BluetoothUUID(UInt16(0x2A77)), properties: .read, read: .encrypted)
                ]),
            owner: ServerBench.second)
        bench.security = LinkSecurity(isEncrypted: true, keySize: 16, hasBond: true)
        var request: [UInt8] = [0x0A]
        request.append(u16: service.handles.end)
        let read = try #require(bench.machine.received(request[...], in: bench.context).reads.first)
        bench.security = .none
        let effects = bench.machine.answerRead(read.id, .success([5]), in: bench.context).effects
        #expect(effects == [.send([0x01] + request + [0x05])])
    }

    @Test func `a link that is less secure when an owner has agreed writes nothing to the next one`() throws {
        var bench = try ServerBench()
        bench.security = LinkSecurity(isEncrypted: true, keySize: 16, hasBond: true)
        for text in ["16 3800 0000 01", "16 2f00 0000 02"] { _ = try bench.receive(text) }
        let write = try #require(try bench.receive("18 01").writes.first)
        #expect(write.owner == ServerBench.second)
        bench.security = .none
        let effects = bench.machine.answerWrite(try #require(write.id), in: bench.context).effects
        #expect(effects.sent == "01182f0005")
        #expect(effects.writes.isEmpty)
    }
}
