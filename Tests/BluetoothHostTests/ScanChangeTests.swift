// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Testing

/// Devices that advertise something else than before.
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
        try scene.hear(legacy(1, [2, 0xFF, 9]))
        #expect(scene.takeTold().map(\.data) == [[2, 0xFF, 9]], "the last change is told late")
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
}
