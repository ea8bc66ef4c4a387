// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Logging
import Testing

@testable import BluetoothHost

/// Devices that were only heard, and are known in the next run, or not.
struct ToldPeerTests {
    private let directory = NSTemporaryDirectory() + "told-" + UUID().uuidString

    private func open() -> PeerDirectory {
        PeerDirectory(directory: directory, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private func device(_ number: UInt64) -> DeviceAddress {
        DeviceAddress(kind: .random, value: 0xC000_0000_0000 | number)
    }

    private func reopened(_ old: PeerDirectory) -> PeerDirectory {
        old.finishSaving()
        return open()
    }

    @Test func `those that a client was told of are, with their names, and no others`() {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let first = open()
        let (told, named, seen) = (device(1), device(2), device(3))
        let moving = DeviceAddress(kind: .random, value: 0x4000_0000_0004)
        let identifiers = [told, named, seen, moving].map(first.identifier)
        first.recordTold(told, name: nil)
        first.recordTold(named, name: "Old")
        first.recordTold(named, name: nil)
        first.recordTold(named, name: "New")
        first.recordTold(moving, name: "Phone")
        #expect(first.name(of: named) == "New" && first.name(of: moving) == "Phone" && first.name(of: seen) == nil)
        #expect([told, named, seen, moving].map(first.identifier) == identifiers)

        let second = reopened(first)
        #expect(second.address(for: identifiers[0]) == told && second.address(for: identifiers[1]) == named)
        #expect(second.name(of: named) == "New" && second.name(of: told) == nil)
        // The device has another address tomorrow.
        #expect(second.address(for: identifiers[2]) == nil && second.address(for: identifiers[3]) == nil)
        let text = FileManager.default.contents(atPath: directory + "/peers.json").map {
            String(decoding: $0, as: UTF8.self)
        }
        #expect(text?.contains("Phone") == false)
    }

    @Test func `a name stays with a device that is connected, and one that is too long is not kept`() {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let first = open()
        let identifier = first.identifier(for: device(1))
        first.recordTold(device(1), name: "Thermometer")
        first.keep(device(1))
        first.recordTold(device(1), name: String(repeating: "x", count: PeerDirectory.nameLimit + 1))
        #expect(first.name(of: device(1)) == "Thermometer" && first.identifier(for: device(1)) == identifier)
        let longest = String(repeating: "y", count: PeerDirectory.nameLimit)
        first.keep(device(2))
        first.recordTold(device(2), name: longest)
        let second = reopened(first)
        #expect(second.address(for: identifier) == device(1) && second.name(of: device(1)) == "Thermometer")
        #expect(second.name(of: device(2)) == longest)
        second.forgetPeers()
        #expect(second.name(of: device(1)) == nil && second.address(for: identifier) == nil)
    }

    @Test
    func
        `there are so many of them, the one that was used the longest time ago goes first, and none that was connected`()
    {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let first = open()
        let connected = first.identifier(for: device(1))
        first.keep(device(1))
        let numbers = 2...UInt64(PeerDirectory.toldCapacity + 1)
        var identifiers: [UInt64: UUID] = [:]
        for number in numbers {
            first.recordTold(device(number), name: nil)
            identifiers[number] = first.identifier(for: device(number))
        }
        // The first two devices are used again. The third is the oldest now, and goes.
        _ = (first.identifier(for: device(2)), first.address(for: identifiers[3] ?? UUID()))
        first.recordTold(device(0xFFFF), name: "Newest")
        #expect(first.identifier(for: device(4)) == identifiers[4], "it is called the same while it is heard")

        let second = reopened(first)
        #expect(identifiers[4].flatMap(second.address) == nil)
        #expect(
            identifiers[3].flatMap(second.address) == device(3) && identifiers[2].flatMap(second.address) == device(2))
        #expect(second.address(for: connected) == device(1) && second.name(of: device(0xFFFF)) == "Newest")
    }

    @Test func `a new name is on disk soon, and a device stays one that was only told of`() async {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let first = open()
        first.recordTold(device(1), name: "Old")
        first.finishSaving()
        let second = PeerDirectory(
            directory: directory,
            pace: WritePace(delay: .zero, burst: 10, interval: .seconds(300)),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        second.recordTold(device(1), name: "New")
        await withCheckedContinuation { continuation in second.afterSaving { continuation.resume() } }
        let text = FileManager.default.contents(atPath: directory + "/peers.json").map {
            String(decoding: $0, as: UTF8.self)
        }
        #expect(text?.contains("\"New\"") == true && text?.contains("\"Old\"") == false)
        #expect(text?.contains("\"told\" : true") == true)
    }

    @Test func `so many that were connected are kept, and the one that was used the longest time ago goes first`() {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let first = open()
        let numbers = 1...UInt64(PeerDirectory.keptCapacity)
        let identifiers = numbers.map { first.identifier(for: device($0)) }
        for number in numbers { first.keep(device(number)) }
        // The first device is used again: the second is the oldest now.
        _ = first.identifier(for: device(1))
        first.keep(device(0xFFFF))
        let second = reopened(first)
        #expect(PeerDirectory.keptCapacity == 4_096)
        #expect(second.address(for: identifiers[0]) == device(1) && second.address(for: identifiers[1]) == nil)
        #expect(second.address(for: identifiers[2]) == device(3))
        #expect(second.identifier(for: device(4_096)) == identifiers[4_095])
    }

    @Test func `the order of use outlives the process`() {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let first = open()
        var identifiers: [UUID] = []
        for number in 1...UInt64(PeerDirectory.toldCapacity) {
            first.recordTold(device(number), name: nil)
            identifiers.append(first.identifier(for: device(number)))
        }
        let second = reopened(first)
        second.recordTold(device(0xFFFF), name: nil)
        let third = reopened(second)
        #expect(third.address(for: identifiers[0]) == nil && third.address(for: identifiers[1]) == device(2))
        #expect(identifiers.last.flatMap(third.address) == device(UInt64(PeerDirectory.toldCapacity)))
        // All are forgotten, connected or not.
        third.forgetPeers()
        #expect(third.address(for: identifiers[1]) == nil)
    }

    @Test func `the name goes with the identity that is learned`() {
        let directory = PeerDirectory(directory: nil, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let moving = DeviceAddress(kind: .random, value: 0x4000_0000_0004)
        let identifier = directory.identifier(for: moving)
        directory.recordTold(moving, name: "Phone")
        directory.learn(device(9), behind: moving)
        #expect(directory.name(of: device(9)) == "Phone" && directory.address(for: identifier) == device(9))
        // An identity that was known before has the newer name, too.
        let other = DeviceAddress(kind: .random, value: 0x4000_0000_0005)
        directory.recordTold(device(8), name: "Old")
        directory.recordTold(other, name: "New")
        directory.learn(device(8), behind: other)
        #expect(directory.name(of: device(8)) == "New")
    }
}
