// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import GATT
import Testing

/// Service Changed and robust caching. Core 5.4, Vol 3, Part G, 2.5.2.
struct ServerCachingTests {
    @Test func `bits of the supported features are set, never cleared`() throws {
        var bench = try ServerBench()
        #expect(try bench.answer(to: "0a 1500") == "0b00")
        #expect(try bench.receive("12 1500 01").states.first?.supportedFeatures == 1)
        #expect(try bench.answer(to: "12 1500 05") == "13")
        #expect(try bench.answer(to: "12 1500 04") == "0112150013")
        #expect(try bench.answer(to: "12 1500 ff") == "13")
        #expect(try bench.answer(to: "0a 1500") == "0b07")
    }

    /// Each request, and the error 0x12 with its handle for a change-unaware client; nil: no error.
    static let requests: [(request: String, error: String?)] = [
        ("0a 2200", "010a220012"), ("0c 2200 0000", "010c220012"), ("12 2400 01", "0112240012"),
        ("16 2400 0000 01", "0116240012"), ("0e 2200 3b00", "010e220012"), ("20 2200 3b00", "0120220012"),
        ("08 0100 3500 6e2a", "0108010012"), ("08 0100 ffff 6e2a", nil), ("08 2000 3500 0328", nil),
        ("08 2000 3500 0228", nil), ("04 0100 ffff", nil), ("06 0100 ffff 0028 0d18", nil),
        ("10 0100 ffff 0028", nil), ("02 1700", nil), ("18 00", nil),
    ]

    @Test(arguments: requests.indices)
    func `a change-unaware client is told once, and is aware with its next request`(index: Int) throws {
        let row = Self.requests[index]
        var bench = try ServerBench()
        _ = try bench.receive("12 1500 01")
        _ = try bench.change()
        let first = try bench.answer(to: row.request)
        if let error = row.error {
            #expect(first == error)
            let effects = try bench.receive("0a 2200")
            #expect(effects.sent == "0b0708")
            #expect(effects.states.last?.isChangeAware == true)
        } else {
            #expect(!first.hasSuffix("12") || first.count != 10)
            #expect(try bench.answer(to: "0a 2200") == "010a220012")
        }
    }

    @Test func `another change is told again`() throws {
        var bench = try ServerBench()
        _ = try bench.receive("12 1500 01")
        _ = try bench.change()
        #expect(try bench.answer(to: "0a 2200") == "010a220012")
        _ = try bench.change()
        #expect(try bench.answer(to: "0a 2200") == "010a220012")
        #expect(try bench.answer(to: "0a 2200") == "0b0708")
    }

    @Test func `a hash that was read before another change is none of the present database`() throws {
        var bench = try ServerBench()
        _ = try bench.receive("12 1500 01")
        _ = try bench.change()
        _ = try bench.receive("08 0100 ffff 2a2b")
        _ = try bench.change()
        #expect(try bench.answer(to: "0a 2200") == "010a220012")
        #expect(try bench.answer(to: "0a 2200") == "0b0708")
    }

    @Test func `a client that has not asked for it is never refused`() throws {
        var bench = try ServerBench()
        _ = try bench.change()
        #expect(try bench.answer(to: "0a 2200") == "0b0708")
        // The client stays unaware, and gets the error once it has enabled robust caching. A client that has read the hash first gets none.
        var other = bench
        #expect(try bench.answer(to: "12 1500 01") == "13")
        #expect(try bench.answer(to: "0a 2200") == "010a220012")
        _ = try other.receive("08 0100 ffff 2a2b")
        #expect(try other.answer(to: "12 1500 01") == "13")
        #expect(try other.answer(to: "0a 2200") == "0b0708")
    }

    @Test func `reading the hash makes a client aware with its next request`() throws {
        var bench = try ServerBench()
        _ = try bench.receive("12 1500 01")
        _ = try bench.receive("12 2700 0100")
        _ = try bench.change()
        #expect(try bench.answer(to: "08 0100 ffff 2a2b") == "09121700a6" + String(repeating: "a5", count: 15))
        #expect(bench.machine.notify([1], of: 0x26, in: bench.context).outcome == .changeUnaware)
        #expect(try bench.answer(to: "0a 2200") == "0b0708")
        #expect(bench.machine.notify([1], of: 0x26, in: bench.context).outcome == .sent)
    }

    @Test func `commands of a change-unaware client are passed over`() throws {
        var bench = try ServerBench()
        _ = try bench.receive("12 1500 01")
        _ = try bench.change()
        #expect(try bench.receive("52 2400 01") == [])
        _ = try bench.receive("0a 2200")
        #expect(try bench.receive("52 2400 01") == [])
        _ = try bench.receive("0a 2200")
        #expect(try bench.receive("52 2400 01").writes.count == 1)
    }

    @Test func `what was prepared before a change is not executed after it`() throws {
        var bench = try ServerBench()
        _ = try bench.receive("12 1500 01")
        _ = try bench.receive("16 2400 0000 01")
        _ = try bench.change()
        #expect(try bench.receive("18 01") == [.send([0x01, 0x18, 0x24, 0, 0x12])])
        #expect(try bench.answer(to: "18 01") == "19")
    }

    @Test func `confirming Service Changed makes a client aware, once it knows of all changes`() throws {
        var bench = try ServerBench()
        _ = try bench.receive("12 1500 01")
        _ = try bench.receive("12 1300 0200")
        let (first, effects) = try bench.change()
        #expect(first.handles == .init(start: 0x3E, end: 0x41))
        #expect(effects.sent == "1d12003e004100")
        #expect(effects.states.last?.unconfirmedChange == [0x3E, 0x41])
        let (second, none) = try bench.change()
        #expect(second.handles == .init(start: 0x42, end: 0x45))
        #expect(none.sent == "")
        let gone = try bench.database.remove(serviceAt: 0x36, owner: ServerBench.second)
        #expect(bench.machine.databaseChanged(gone, in: bench.context).sent == "")
        // The server joins the waiting ranges into one.
        let next = try bench.receive("1e")
        #expect(next.sent == "1d120036004500")
        #expect(next.states.last?.isChangeAware == false)
        let last = try bench.receive("1e")
        #expect(last.states.last?.isChangeAware == true)
        #expect(last.states.last?.unconfirmedChange == [])
        #expect(try bench.answer(to: "0a 2200") == "0b0708")
    }

    @Test func `a client without a bond begins without a state`() throws {
        var bench = try ServerBench()
        _ = try bench.receive("12 2700 0100")
        bench.machine = GATTServerMachine(ownMTU: 517)
        #expect(try bench.answer(to: "0a 2700") == "0b0000")
    }

    @Test func `a bonded client keeps its subscriptions, features and awareness`() throws {
        var bench = try ServerBench()
        _ = try bench.receive("12 1500 01")
        let state = try #require(try bench.receive("12 2700 0100").states.last)
        bench.machine = GATTServerMachine(ownMTU: 517)
        let effects = bench.machine.restore(state, in: bench.context)
        #expect(
            effects == [
                .subscribed(valueHandle: 0x26, owner: ServerBench.first, .notification), .stateChanged(state),
            ])
        #expect(try bench.answer(to: "0a 2700") == "0b0100")
        #expect(try bench.answer(to: "0a 1500") == "0b01")
    }

    @Test func `a bonded client learns on its return that the database changed meanwhile`() throws {
        var bench = try ServerBench()
        _ = try bench.receive("12 1500 01")
        let state = try #require(try bench.receive("12 1300 0200").states.last)
        bench.machine = GATTServerMachine(ownMTU: 517)
        _ = try bench.change()
        bench.machine = GATTServerMachine(ownMTU: 517)
        let effects = bench.machine.restore(state, in: bench.context)
        #expect(effects.sent == "1d12000100ffff")
        #expect(effects.states.last?.isChangeAware == false)
        #expect(try bench.answer(to: "0a 2200") == "010a220012")
        // The client has disconnected before its confirmation: the server indicates again.
        let unconfirmed = try #require(effects.states.last)
        bench.machine = GATTServerMachine(ownMTU: 517)
        #expect(bench.machine.restore(unconfirmed, in: bench.context).sent == "1d12000100ffff")
        var other = bench
        #expect(try other.answer(to: "0a 2200") == "010a220012", "it does not know of the change yet")
        #expect(try bench.receive("1e").states.last?.isChangeAware == true)
        #expect(try bench.answer(to: "0a 2200") == "0b0708")
    }

    @Test func `subscriptions that went with their service do not come back with another one on the same link`() throws
    {
        var bench = try ServerBench()
        _ = try bench.receive("12 2a00 0100")
        for change in bench.database.removeAll(owner: ServerBench.first) {
            _ = bench.machine.databaseChanged(change, in: bench.context)
        }
        let service = LocalService(
            uuid: BluetoothUUID(UInt16(0x180D)),
            characteristics: [.init(uuid: BluetoothUUID(UInt16(0x2A71)), properties: .notify)])
        let published = try bench.database.add(service, owner: ServerBench.second, at: 0x27)
        let effects = bench.machine.databaseChanged(published.addition, in: bench.context)
        #expect(!effects.contains { if case .subscribed = $0 { true } else { false } })
        #expect(bench.machine.notify([1], of: 0x29, in: bench.context).outcome == .notSubscribed)
    }

    @Test func `subscriptions go with their service, and return with it for a client that was away`() throws {
        var bench = try ServerBench()
        var state = try #require(try bench.receive("12 2a00 0100").states.last)
        let gone = bench.database.removeAll(owner: ServerBench.first)
        let effects = gone.flatMap { bench.machine.databaseChanged($0, in: bench.context) }
        #expect(effects.contains(.unsubscribed(valueHandle: 0x29, owner: ServerBench.first)))
        #expect(bench.machine.notify([1], of: 0x29, in: bench.context).outcome == .noAttribute)

        // The host comes up, the client is there before the owner has published again.
        bench.machine = GATTServerMachine(ownMTU: 517)
        #expect(bench.machine.restore(state, in: bench.context).count == 1)
        let service = LocalService(
            uuid: BluetoothUUID(UInt16(0x180D)),
            characteristics: [.init(uuid: BluetoothUUID(UInt16(0x2A71)), properties: .notify)])
        let published = try bench.database.add(service, owner: ServerBench.second, at: 0x27)
        #expect(
            bench.machine.databaseChanged(published.addition, in: bench.context).first
                == .subscribed(valueHandle: 0x29, owner: ServerBench.second, .notification))
        state.serviceRemoved(gone[0])
        #expect(state.configurations == [:])
    }
}
