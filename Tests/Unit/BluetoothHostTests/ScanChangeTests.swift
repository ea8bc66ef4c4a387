// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Testing

/// Devices that change their advertisement.
extension ScanMachineTests {
    @Test func `a changed advertisement is told again, once a second`() throws {
        var scene = Scene(Self.everything)
        try scene.hear(legacy(1, [2, 0xFF, 1]))
        #expect(scene.takeTold().map(\.data) == [[2, 0xFF, 1]])
        scene.wait(.milliseconds(1_500))
        try scene.hear(legacy(1, [2, 0xFF, 1]))
        #expect(scene.takeTold().isEmpty, "nothing has changed")
        try scene.hear(legacy(1, [2, 0xFF, 2]))
        #expect(scene.takeTold().map(\.data) == [[2, 0xFF, 2]])
        for count in 3...9 as ClosedRange<UInt8> {
            scene.wait(.milliseconds(100))
            try scene.hear(legacy(1, [2, 0xFF, count]))
        }
        #expect(scene.takeTold().isEmpty, "less than a second has passed")
        scene.wait(.milliseconds(300))
        #expect(scene.takeTold().map(\.data) == [[2, 0xFF, 9]], "the last change is told late, and needs no packet")
        scene.wait(.seconds(5))
        try scene.hear(legacy(1, [2, 0xFF, 9]))
        #expect(scene.takeTold().isEmpty)
    }

    @Test func `who does not want to hear of changes does not, and who wants all hears of all`() throws {
        var scene = Scene(ScanDemand(services: nil, reportsChanges: false))
        scene.machine.set(ScanDemand(services: nil, allowsDuplicates: true), for: Self.other)
        for count in 1...5 as ClosedRange<UInt8> {
            try scene.hear(legacy(1, [2, 0xFF, count]))
            scene.wait(.seconds(2))
        }
        let told = scene.takeTold().map(\.clients)
        #expect(told.count == 5 && told.count { $0.contains(ClientSet(Self.client)) } == 1)
    }

    @Test func `each client has a second of its own`() throws {
        var scene = Scene(Self.everything)
        try scene.hear(legacy(1, [2, 0xFF, 1]))
        scene.wait(.milliseconds(900))
        scene.machine.set(Self.everything, for: Self.other)
        try scene.hear(legacy(1, [2, 0xFF, 2]))
        #expect(scene.takeTold().map(\.clients).last == ClientSet(Self.other), "the second of the first goes on")
        scene.wait(.milliseconds(99))
        #expect(scene.takeTold().isEmpty)
        scene.wait(.milliseconds(1))
        #expect(scene.takeTold() == [Told(number: 1, data: [2, 0xFF, 2], clients: ClientSet(Self.client))])
        try scene.hear(legacy(1, [2, 0xFF, 3]))
        #expect(scene.takeTold().isEmpty && scene.machine.deadline == scene.now + .milliseconds(900))
        scene.wait(.milliseconds(900))
        #expect(scene.takeTold() == [Told(number: 1, data: [2, 0xFF, 3], clients: ClientSet(Self.other))])
        scene.wait(.milliseconds(100))
        #expect(scene.takeTold() == [Told(number: 1, data: [2, 0xFF, 3], clients: ClientSet(Self.client))])
        #expect(scene.machine.deadline == nil, "nobody waits for anything")
    }

    @Test func `a change waits for its second and for no packet, and who hears all packets hears none twice`() throws {
        var scene = Scene(Self.everything)
        scene.machine.set(ScanDemand(services: nil, allowsDuplicates: true), for: Self.other)
        try scene.hear(legacy(1, [2, 0xFF, 1]))
        scene.wait(.milliseconds(500))
        try scene.hear(legacy(2, [2, 0xFF, 1]))
        try scene.hear(legacy(2, [2, 0xFF, 2]))
        try scene.hear(legacy(1, [2, 0xFF, 2]))
        #expect(scene.takeTold().count { $0.clients.contains(ClientSet(Self.other)) } == 4)
        #expect(scene.machine.deadline == .zero + .seconds(1))
        scene.wait(.milliseconds(500))
        #expect(scene.takeTold() == [Told(number: 1, data: [2, 0xFF, 2], clients: ClientSet(Self.client))])
        scene.wait(.milliseconds(500))
        #expect(scene.takeTold() == [Told(number: 2, data: [2, 0xFF, 2], clients: ClientSet(Self.client))])
    }

    @Test func `a change is not lost with its device's place, and places are bounded`() throws {
        var scene = Scene(Self.everything)
        try scene.hear(legacy(0, [2, 0xFF, 1]))
        try scene.hear(legacy(0, [2, 0xFF, 2]))
        #expect(scene.takeTold().map(\.data) == [[2, 0xFF, 1]])
        for number in 1...UInt64(3 * ScanMachine.capacity) { try scene.hear(legacy(number, [2, 0xFF, 1])) }
        let told = scene.takeTold()
        #expect(told.count { $0.number == 0 && $0.data == [2, 0xFF, 2] } == 1)
        #expect(told.count == 3 * ScanMachine.capacity + 1)
        #expect(scene.machine.deadline == nil)
        scene.machine.set(nil, for: Self.client)
        #expect(scene.machine.deadline == nil)
    }

    @Test func `a change that the client's filter does not let through is owed to nobody`() throws {
        var scene = Scene(ScanDemand(services: [BluetoothUUID(0x180F as UInt16)]))
        try scene.hear(legacy(1, [3, 3, 0x0F, 0x18]))
        try scene.hear(legacy(1, [3, 3, 0x0A, 0x18]))
        #expect(scene.takeTold().map(\.data) == [[3, 3, 0x0F, 0x18]])
        scene.wait(.seconds(1))
        #expect(scene.takeTold().isEmpty && scene.machine.deadline == nil)
        try scene.hear(legacy(1, [3, 3, 0x0F, 0x18]))
        #expect(scene.takeTold().map(\.data) == [[3, 3, 0x0F, 0x18]])
    }
}
