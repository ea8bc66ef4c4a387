// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import GATT
import Testing

struct ServerUpdateTests {
    @Test func `a client subscribes, is notified, and unsubscribes`() throws {
        var bench = try ServerBench()
        #expect(bench.machine.notify([1], of: 0x26, in: bench.context).outcome == .notSubscribed)
        let effects = try bench.receive("12 2700 0100")
        #expect(
            effects.prefix(2) == [
                .send([0x13]), .subscribed(valueHandle: 0x26, owner: ServerBench.first, .notification),
            ])
        #expect(effects.states.first?.configurations == [0x26: 1])
        #expect(try bench.answer(to: "0a 2700") == "0b0100")
        let long = bench.machine.notify([UInt8](0..<40), of: 0x26, in: bench.context)
        #expect(long.outcome == .sent)
        let sent = [0x1B, 0x26, 0] + [UInt8](0..<20)
        #expect(long.effects == [.send(sent)])
        // A repetition changes nothing.
        #expect(try bench.receive("12 2700 0100") == [.send([0x13])])
        let end = try bench.receive("12 2700 0000")
        #expect(end.prefix(2) == [.send([0x13]), .unsubscribed(valueHandle: 0x26, owner: ServerBench.first)])
        #expect(bench.machine.notify([1], of: 0x26, in: bench.context).outcome == .notSubscribed)
        #expect(bench.machine.notify([1], of: 0x99, in: bench.context).outcome == .noAttribute)
        #expect(bench.machine.notify([1], of: 0x27, in: bench.context).outcome == .noAttribute)
    }

    @Test func `indications go out one by one, each after the confirmation of the last`() throws {
        var bench = try ServerBench(limits: ServerLimits(waitingIndications: 2))
        _ = try bench.receive("12 2700 0200")
        let first = bench.machine.notify([1], of: 0x26, in: bench.context)
        #expect(first.outcome == .sent)
        #expect(first.effects.sent == "1d260001")
        #expect(bench.machine.notify([2], of: 0x26, in: bench.context).outcome == .queued)
        #expect(bench.machine.notify([3], of: 0x26, in: bench.context).outcome == .queued)
        #expect(bench.machine.notify([4], of: 0x26, in: bench.context).outcome == .queueFull)
        #expect(try bench.receive("1e 00") == [])
        #expect(
            try bench.receive("1e") == [
                .confirmed(valueHandle: 0x26, owner: ServerBench.first), .send([0x1D, 0x26, 0, 2]),
            ])
        // The server drops values that wait for a client which has unsubscribed, and the owner hears of it.
        #expect(try bench.receive("12 2700 0000").dropped == [ServerBench.first])
        #expect(try bench.receive("1e") == [.confirmed(valueHandle: 0x26, owner: ServerBench.first)])
        #expect(try bench.receive("1e") == [])
        #expect(bench.machine.counters.unexpectedConfirmations == 2)
    }

    @Test func `indications of a client that unsubscribes and subscribes again are told of, and are not sent`() throws {
        var bench = try ServerBench()
        _ = try bench.receive("12 2700 0200")
        for value in 0...10 { _ = bench.machine.notify([UInt8(value)], of: 0x26, in: bench.context) }
        // Notifications instead of indications are another wish as well.
        #expect(try bench.receive("12 2700 0100").dropped.count == 10)
        _ = try bench.receive("12 2700 0200")
        #expect(bench.machine.notify([0x42], of: 0x26, in: bench.context).outcome == .queued)
        #expect(
            try bench.receive("1e") == [
                .confirmed(valueHandle: 0x26, owner: ServerBench.first), .send([0x1D, 0x26, 0, 0x42]),
            ])
    }

    @Test func `the owner of a service that goes hears of all its indications, whoever has the handles since`() throws {
        var bench = try ServerBench()
        _ = try bench.receive("12 2700 0200")
        for value in 0...3 { _ = bench.machine.notify([UInt8(value)], of: 0x26, in: bench.context) }
        let change = try bench.database.remove(serviceAt: 0x20, owner: ServerBench.first)
        #expect(
            bench.machine.databaseChanged(change, in: bench.context).dropped
                == Array(repeating: ServerBench.first, count: 3))
        _ = try bench.database.add(
            LocalService(
                uuid: BluetoothUUID(UInt16(0x1811)),
                characteristics: (0x2B00..<0x2B04).map {
                    .init(uuid: BluetoothUUID(UInt16($0)), properties: .indicate)
                }),
            owner: ServerBench.second, at: 0x20)
        #expect(try bench.receive("1e").first == .confirmed(valueHandle: 0x26, owner: ServerBench.first))
    }

    @Test func `an indication that waits and may not go on a plain link is dropped, and its owner hears it`() throws {
        var bench = try ServerBench(services: false)
        _ = try bench.database.add(
            LocalService(
                uuid: ServerBench.longUUID,
                characteristics: [.init(uuid: ServerBench.longUUID, properties: .indicate, notify: .encrypted)]),
            owner: ServerBench.first)
        bench.security = LinkSecurity(isEncrypted: true, keySize: 16)
        _ = try bench.receive("12 2300 0200")
        for value in 0...1 { _ = bench.machine.notify([UInt8(value)], of: 0x22, in: bench.context) }
        bench.security = .none
        #expect(try bench.receive("1e").dropped == [ServerBench.first])
    }

    @Test func `an indication that is not confirmed in 30 s is the last`() throws {
        var bench = try ServerBench()
        _ = try bench.receive("12 2700 0200")
        _ = bench.machine.notify([1], of: 0x26, in: bench.context)
        _ = bench.machine.notify([2], of: 0x26, in: bench.context)
        bench.now = .zero + .seconds(30)
        #expect(bench.machine.deadline == bench.now)
        #expect(
            bench.machine.expire(in: bench.context) == [
                .indicationTimedOut(valueHandle: 0x26, owner: ServerBench.first)
            ])
        #expect(bench.machine.notify([3], of: 0x26, in: bench.context).outcome == .closed)
        #expect(try bench.receive("1e") == [])
        #expect(bench.machine.deadline == nil)
    }

    @Test func `a client that wants both gets notifications, and indications where they are asked for`() throws {
        var bench = try ServerBench()
        _ = try bench.receive("12 2700 0300")
        #expect(bench.machine.notify([1], of: 0x26, in: bench.context).effects.sent == "1b260001")
        #expect(bench.machine.notify([1], of: 0x26, as: .indication, in: bench.context).effects.sent == "1d260001")
        #expect(
            try bench.receive("12 2700 0200").contains(
                .subscribed(valueHandle: 0x26, owner: ServerBench.first, .indication)))
        #expect(bench.machine.notify([1], of: 0x26, as: .notification, in: bench.context).outcome == .notSubscribed)
    }

    @Test func `several values share a PDU where the client knows it`() throws {
        var bench = try ServerBench()
        _ = try bench.receive("12 2700 0100")
        _ = try bench.receive("12 2a00 0100")
        let values: [(handle: UInt16, value: [UInt8])] = [(0x26, [1]), (0x29, [2, 3]), (0x22, [4])]
        let single = bench.machine.notify(multiple: values, in: bench.context)
        #expect(single.effects.sent == "1b260001|1b29000203")
        #expect(single.outcomes == [.sent, .sent, .notSubscribed])
        _ = try bench.receive("12 1500 04")
        let multiple = bench.machine.notify(multiple: values, in: bench.context)
        #expect(multiple.effects.sent == "23" + "2600010001" + "290002000203")
        #expect(multiple.outcomes == [.sent, .sent, .notSubscribed])
        // 22 octets hold two values of 10 octets; the third goes alone, and so does a too long value.
        let six = [UInt8](repeating: 6, count: 6)
        let long = [UInt8](repeating: 7, count: 19)
        let more = bench.machine.notify(
            multiple: [(0x26, six), (0x29, six), (0x26, six), (0x29, long)], in: bench.context)
        #expect(
            more.effects.sent == "23" + "26000600060606060606" + "29000600060606060606" + "|1b2600060606060606"
                + "|1b2900"
                + long.hexadecimal)
    }

    @Test func `a characteristic that needs encryption is neither subscribed nor notified without it`() throws {
        var bench = try ServerBench(services: false)
        let published = try bench.database.add(
            LocalService(
                uuid: ServerBench.longUUID,
                characteristics: [.init(uuid: ServerBench.longUUID, properties: .notify, notify: .encrypted)]),
            owner: ServerBench.first)
        #expect(published.characteristics.first?.configurationHandle == 0x23)
        #expect(try bench.answer(to: "0a 2300") == "0b0000")
        #expect(try bench.answer(to: "12 2300 0100") == "0112230005")
        bench.security = LinkSecurity(isEncrypted: true, keySize: 16)
        #expect(try bench.answer(to: "12 2300 0100") == "13")
        #expect(bench.machine.notify([1], of: 0x22, in: bench.context).outcome == .sent)
        bench.security = .none
        #expect(bench.machine.notify([1], of: 0x22, in: bench.context).outcome == .notPermitted)
    }
}
