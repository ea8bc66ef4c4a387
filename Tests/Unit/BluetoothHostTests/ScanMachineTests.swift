// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import HCI
import Testing

/// The scan table by itself: its reports to clients, their times, and the devices that it forgets.
struct ScanMachineTests {
    /// A report to clients.
    struct Told: Equatable {
        let number: UInt64
        let data: [UInt8]
        let clients: ClientSet
    }

    /// A machine, the time, and the reports so far.
    struct Scene {
        var machine = ScanMachine()
        var now = MonotonicTime.zero
        var told: [Told] = []

        init(_ demand: ScanDemand?) { machine.set(demand, for: ScanMachineTests.client) }

        mutating func hear(_ packet: [UInt8]) throws {
            var batch = HostEventBatch()
            let span = packet.span.bytes
            try AdvertisingReport.forEach(in: span) { machine.received($0, in: span, at: now, into: &batch) }
            take(batch)
        }

        mutating func wait(_ time: Duration) {
            now = now + time
            var batch = HostEventBatch()
            machine.advance(to: now, into: &batch)
            take(batch)
        }

        private mutating func take(_ batch: HostEventBatch) {
            for case .advertisement(let seen) in batch.events {
                told.append(
                    Told(
                        number: seen.address.value - ScanMachineTests.base, data: Array(batch.octets[seen.octets]),
                        clients: seen.clients))
            }
        }

        /// Reports since the last call.
        mutating func takeTold() -> [Told] {
            defer { told = [] }
            return told
        }

        mutating func takeNumbers() -> [UInt64] { takeTold().map(\.number) }
    }

    static let client = ClientID(rawValue: 0)
    static let other = ClientID(rawValue: 1)
    static let base: UInt64 = 0xC000_0000_0000
    static let everything = ScanDemand(services: nil)
    private static let each = ScanDemand(services: nil, allowsDuplicates: true)

    private static func address(_ number: UInt64) -> DeviceAddress {
        DeviceAddress(kind: .random, value: base + number)
    }

    private static func octets(_ number: UInt64) -> [UInt8] {
        [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8), 0, 0, 0, 0xC0]
    }

    enum Kind: UInt8 {
        case connectable = 0
        case silent = 3
        case scanResponse = 4
    }

    func legacy(_ number: UInt64, _ data: [UInt8] = [2, 1, 6], _ kind: Kind = .silent) -> [UInt8] {
        let report: [UInt8] = [kind.rawValue, 1] + Self.octets(number) + [UInt8(data.count)] + data + [0xC4]
        return [4, 0x3E, UInt8(report.count + 2), 2, 1] + report
    }

    /// `type`: 0x02 scannable, 0x08 scan response, 0x20 more follows.
    func extended(_ number: UInt64, _ data: [UInt8], type: UInt8 = 0, set: UInt8 = 1) -> [UInt8] {
        let report: [UInt8] =
            [type, 0, 1] + Self.octets(number) + [1, 1, set, 127, 0xC4, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(data.count)]
            + data
        return [4, 0x3E, UInt8(report.count + 2), 0x0D, 1] + report
    }

    private func told(_ number: UInt64, _ data: [UInt8] = [2, 1, 6], to clients: ClientSet = ClientSet(client)) -> Told
    {
        Told(number: number, data: data, clients: clients)
    }

    private let response: [UInt8] = [2, 10, 4]

    // MARK: Duplicates and scan responses

    @Test func `a device that answers nobody is told once`() throws {
        var scene = Scene(Self.everything)
        for _ in 0..<3 { try scene.hear(legacy(1)) }
        #expect(scene.takeTold() == [told(1)])
        try scene.hear(legacy(1, [2, 1, 5]))
        #expect(scene.takeTold() == [], "other data is no other device")
    }

    @Test func `with duplicates each advertisement is told`() throws {
        var scene = Scene(Self.each)
        for number in 0..<3 as Range<UInt8> { try scene.hear(legacy(1, [2, 1, number])) }
        #expect(scene.takeTold() == [told(1, [2, 1, 0]), told(1, [2, 1, 1]), told(1, [2, 1, 2])])
    }

    @Test func `an advertisement is told with its scan response, once`() throws {
        var scene = Scene(Self.everything)
        try scene.hear(legacy(1, [2, 1, 6], .connectable))
        #expect(scene.takeTold() == [] && scene.machine.deadline == .zero + ScanMachine.responseWait)
        try scene.hear(legacy(1, response, .scanResponse))
        #expect(scene.takeTold() == [told(1, [2, 1, 6] + response)])
        try scene.hear(legacy(1, [2, 1, 6], .connectable))
        try scene.hear(legacy(1, response, .scanResponse))
        scene.wait(.seconds(1))
        #expect(scene.takeTold() == [] && scene.machine.deadline == nil)
    }

    @Test func `an advertisement waits 100 ms for its scan response, and is told again with a late one`() throws {
        var scene = Scene(Self.everything)
        try scene.hear(legacy(1, [2, 1, 6], .connectable))
        scene.wait(.milliseconds(99))
        #expect(scene.takeTold() == [])
        scene.wait(.milliseconds(1))
        #expect(scene.takeTold() == [told(1)] && scene.machine.deadline == nil)
        try scene.hear(legacy(1, response, .scanResponse))
        #expect(scene.takeTold() == [told(1, [2, 1, 6] + response)])
        try scene.hear(legacy(1, response, .scanResponse))
        #expect(scene.takeTold() == [])
    }

    @Test func `an advertisement that waits is told before the next, and a known response goes with each`()
        throws
    {
        var scene = Scene(Self.each)
        try scene.hear(legacy(1, [2, 1, 1], .connectable))
        try scene.hear(legacy(1, [2, 1, 2], .connectable))
        #expect(scene.takeTold() == [told(1, [2, 1, 1])])
        try scene.hear(legacy(1, response, .scanResponse))
        #expect(scene.takeTold() == [told(1, [2, 1, 2] + response)])
        try scene.hear(legacy(1, [2, 1, 3], .connectable))
        #expect(scene.takeTold() == [told(1, [2, 1, 3] + response)])
        // A finished report is not repeated when the wait is over.
        scene.wait(.seconds(1))
        #expect(scene.takeTold() == [])
    }

    @Test func `a scan response without its advertisement says too little`() throws {
        var scene = Scene(Self.each)
        try scene.hear(legacy(1, response, .scanResponse))
        scene.wait(.seconds(1))
        #expect(scene.takeTold() == [] && scene.machine.lastSeen(Self.address(1)) == nil)
    }

    @Test func `an extended advertiser that answers no more has no scan response any more`() throws {
        var scene = Scene(Self.each)
        try scene.hear(extended(1, [], type: 0x02))
        try scene.hear(extended(1, response, type: 0x0A))
        #expect(scene.takeTold() == [told(1, response)])
        try scene.hear(extended(1, [2, 1, 6]))
        #expect(scene.takeTold() == [told(1)])
    }

    // MARK: Parts

    @Test func `parts of an advertisement and of its scan response are put together each for itself`() throws {
        var scene = Scene(Self.each)
        try scene.hear(extended(1, [4, 0xFF], type: 0x22))
        try scene.hear(extended(1, [3, 0xFE], type: 0x2A))
        try scene.hear(extended(2, [2, 0xFD], type: 0x20))
        #expect(scene.takeTold() == [])
        try scene.hear(extended(1, [1, 2, 3], type: 0x02))
        try scene.hear(extended(1, [8, 9], type: 0x0A))
        #expect(scene.takeTold() == [told(1, [4, 0xFF, 1, 2, 3, 3, 0xFE, 8, 9])])
        try scene.hear(extended(2, [7]))
        #expect(scene.takeTold() == [told(2, [2, 0xFD, 7])])
    }

    @Test func `octets beyond the longest advertisement are dropped`() throws {
        var scene = Scene(Self.each)
        let part = [UInt8](repeating: 0x41, count: 220)
        for _ in 0..<9 { try scene.hear(extended(1, part, type: 0x20)) }
        try scene.hear(extended(1, [0x42]))
        #expect(scene.takeTold() == [told(1, [UInt8](repeating: 0x41, count: ScanMachine.maximumDataLength))])
    }

    // MARK: Clients

    @Test func `each client is told what it wants, in one event`() throws {
        var scene = Scene(Self.everything)
        let both: ClientSet = [ClientSet(Self.client), ClientSet(Self.other)]
        scene.machine.set(Self.each, for: Self.other)
        try scene.hear(legacy(1))
        try scene.hear(legacy(1))
        #expect(scene.takeTold() == [told(1, to: both), told(1, to: ClientSet(Self.other))])
        // A new demand hears of every device again; the other client's demand is unchanged.
        scene.machine.set(Self.everything, for: Self.client)
        try scene.hear(legacy(1))
        #expect(scene.takeTold() == [told(1, to: both)])
        scene.machine.set(nil, for: Self.other)
        try scene.hear(legacy(1))
        #expect(scene.takeTold() == [] && scene.machine.hasDemand)
    }

    @Test func `nothing is remembered when nobody scans`() throws {
        var scene = Scene(Self.everything)
        try scene.hear(legacy(1, [2, 1, 6], .connectable))
        #expect(scene.machine.lastSeen(Self.address(1)) == .zero && scene.machine.deadline != nil)
        scene.machine.set(nil, for: Self.client)
        #expect(scene.machine.lastSeen(Self.address(1)) == nil && scene.machine.deadline == nil)
        #expect(!scene.machine.hasDemand)
    }

    @Test func `a scan is active while anybody wants responses, and in the background while nobody is in a hurry`() {
        var machine = ScanMachine()
        machine.set(ScanDemand(services: nil, isPassive: true, isBackground: true), for: Self.client)
        #expect(!machine.isActive && machine.isBackground)
        machine.set(ScanDemand(services: nil), for: Self.other)
        #expect(machine.isActive && !machine.isBackground)
        machine.set(nil, for: Self.other)
        #expect(!machine.isActive && machine.isBackground)
    }

    // MARK: Filters

    private static let long = "109A7D2C6B3F0A9B5E4B7B1C01004D5E"
    private static let uuids = ["180D", "12345678", "5E4D0001-1C7B-4B5E-9B0A-3F6B2C7D9A10"]

    /// A list with one of ``uuids``: its octets, whether it lists services or solicited services, and the index of the
    /// UUID.
    private static let lists: [(list: String, isSolicited: Bool, uuid: Int)] = [
        ("03020D18", false, 0), ("03030D18", false, 0), ("050478563412", false, 1), ("050578563412", false, 1),
        ("1106" + long, false, 2), ("1107" + long, false, 2), ("03140D18", true, 0), ("051F78563412", true, 1),
        ("1115" + long, true, 2),
        // Behind another UUID, and behind other data.
        ("05030F180D18", false, 0), ("0201060905010000007856341202FF01", false, 1),
    ]

    @Test(arguments: lists.indices, [false, true])
    func `a device is found by each UUID that it lists`(index: Int, inResponse: Bool) throws {
        let (list, isSolicited, number) = Self.lists[index]
        let data = try #require([UInt8](hexadecimal: list))
        for (candidate, text) in Self.uuids.enumerated() {
            let uuid = try #require(BluetoothUUID(text))
            for asksSolicited in [false, true] {
                var scene = Scene(
                    ScanDemand(services: asksSolicited ? [] : [uuid], solicitedServices: asksSolicited ? [uuid] : []))
                if inResponse {
                    try scene.hear(legacy(1, [2, 1, 6], .connectable))
                    try scene.hear(legacy(1, data, .scanResponse))
                } else {
                    try scene.hear(legacy(1, data))
                }
                let isFound = candidate == number && asksSolicited == isSolicited
                #expect(scene.takeNumbers() == (isFound ? [1] : []), "\(text) in \(list)")
            }
        }
    }

    @Test func `service data is no list of services`() throws {
        let uuid = try #require(BluetoothUUID("180D"))
        var scene = Scene(ScanDemand(services: [uuid], solicitedServices: [uuid], allowsDuplicates: true))
        try scene.hear(legacy(1, [4, 0x16, 0x0D, 0x18, 1]))
        try scene.hear(legacy(1, [3, 0x09, 0x0D, 0x18]))
        #expect(scene.takeTold() == [])
        try scene.hear(legacy(1, [3, 0x03, 0x0D, 0x18]))
        #expect(scene.takeNumbers() == [1])
    }

    // MARK: Capacity

    @Test func `a full table forgets one device for each new one, that which was heard longest ago`() throws {
        var scene = Scene(Self.everything)
        let capacity = UInt64(ScanMachine.capacity)
        for number in 0..<capacity {
            scene.now = scene.now + .milliseconds(1)
            try scene.hear(legacy(number))
        }
        #expect(scene.takeNumbers() == Array(0..<capacity))
        // The first ones are heard again: they are not the oldest any more.
        for number in 0..<10 as Range<UInt64> {
            scene.now = scene.now + .milliseconds(1)
            try scene.hear(legacy(number))
        }
        scene.now = scene.now + .milliseconds(1)
        try scene.hear(legacy(capacity))
        #expect(scene.takeNumbers() == [capacity])
        let known = (0...capacity).filter { scene.machine.lastSeen(Self.address($0)) != nil }
        #expect(known == Array(0..<10) + Array(11...capacity))
        // A known device is not reported again, in its new place; a forgotten device is new.
        for number in known { try scene.hear(legacy(number)) }
        #expect(scene.takeNumbers() == [])
        try scene.hear(legacy(10))
        #expect(scene.takeNumbers() == [10])
    }

    @Test func `what waits for a scan response is told before the table forgets it, and nothing else is`() throws {
        var scene = Scene(Self.everything)
        let capacity = UInt64(ScanMachine.capacity)
        for number in 0..<capacity { try scene.hear(legacy(number, [2, 1, 6], .connectable)) }
        #expect(scene.takeTold() == [])
        try scene.hear(legacy(capacity))
        #expect(scene.takeNumbers() == [0, capacity])
        // The first device's place belongs to another device now, which waits for nothing.
        scene.wait(ScanMachine.responseWait)
        #expect(scene.takeNumbers() == Array(1..<capacity))
        #expect(scene.machine.deadline == nil)
        // A device that is still known may wait again.
        scene.now = scene.now + .seconds(1)
        let kept = try #require((0..<capacity).first { scene.machine.lastSeen(Self.address($0)) != nil })
        try scene.hear(legacy(kept, [2, 1, 6], .connectable))
        #expect(scene.machine.deadline == scene.now + ScanMachine.responseWait)
        try scene.hear(legacy(kept, response, .scanResponse))
        #expect(scene.takeTold() == [told(kept, [2, 1, 6] + response)])
    }

    @Test func `a device in the place of another one has nothing of it`() throws {
        var scene = Scene(Self.each)
        let capacity = UInt64(ScanMachine.capacity)
        for number in 0..<capacity {
            try scene.hear(legacy(number, [2, 1, 6], .connectable))
            try scene.hear(legacy(number, [2, 10, 99], .scanResponse))
        }
        #expect(scene.takeTold().count == Int(capacity))
        // Only a part of the new device's advertisement has come, and then its scan response.
        try scene.hear(extended(capacity, [4, 0xFF], type: 0x20))
        #expect(scene.takeTold() == [])
        try scene.hear(extended(capacity, response, type: 0x0A))
        #expect(scene.takeTold() == [told(capacity, response)])
        try scene.hear(extended(capacity, [1, 2, 3]))
        #expect(scene.takeTold() == [told(capacity, [4, 0xFF, 1, 2, 3])])
        #expect(scene.machine.lastSeen(Self.address(0)) == nil)
        // A device without a scan response does not get the former device's either.
        try scene.hear(legacy(capacity + 1))
        #expect(scene.takeTold() == [told(capacity + 1)])
    }

    @Test func `a device in the place of one that was waited for is waited for by itself`() throws {
        var scene = Scene(Self.everything)
        let capacity = UInt64(ScanMachine.capacity)
        try scene.hear(legacy(0, [2, 1, 6], .connectable))
        try scene.hear(legacy(1, [2, 1, 6], .connectable))
        for number in 2..<capacity { try scene.hear(legacy(number)) }
        #expect(scene.takeNumbers() == Array(2..<capacity))
        // Two other devices take their places, one after the other, and each of them waits.
        for number in capacity..<capacity + 2 {
            scene.now = scene.now + .milliseconds(10)
            try scene.hear(legacy(number, [2, 1, 6], .connectable))
            #expect(scene.takeNumbers() == [number - capacity])
            #expect(scene.machine.deadline == .zero + .milliseconds(number == capacity ? 100 : 110))
        }
        scene.wait(.milliseconds(90))
        #expect(scene.takeNumbers() == [capacity])
        #expect(scene.machine.deadline == .zero + .milliseconds(120))
        scene.wait(.milliseconds(10))
        #expect(scene.takeNumbers() == [capacity + 1])
        #expect(scene.machine.deadline == nil)
    }

    @Test func `addresses without end are told each once, and the table stays as large as it may be`() throws {
        var scene = Scene(Self.everything)
        let count = 10 * UInt64(ScanMachine.capacity)
        for number in 0..<count {
            scene.now = scene.now + .milliseconds(1)
            try scene.hear(legacy(number))
        }
        #expect(scene.takeNumbers() == Array(0..<count))
        let known = (0..<count).filter { scene.machine.lastSeen(Self.address($0)) != nil }
        #expect(known.count <= ScanMachine.capacity && known.last == count - 1)
        #expect(known == Array((count - UInt64(known.count))..<count), "the newest are known")
    }
}
