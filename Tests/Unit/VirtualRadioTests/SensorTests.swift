// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import Testing

@testable import VirtualRadio

@Suite struct SensorTests {
    @Test func advertisesItsServiceAndNamesItselfInTheScanResponse() throws {
        let air = VirtualAir(seed: 1)
        let host = ScriptedHost(air)
        let configuration = sensor(.heartRate)
        _ = air.addSensor(configuration)
        host.setUp()
        #expect(host.command(.leSetScanParameters, [1] + u16(0x10) + u16(0x10) + [1, 0]) == [0])
        #expect(host.command(.leSetScanEnable, [1, 1]) == [0])
        let advertisement = try host.event(.advertisingReport)
        #expect(advertisement.prefix(2) == [1, 0])
        #expect(Array(advertisement[2..<9]) == [1] + u48(configuration.address.value))
        #expect(Array(advertisement[10..<17]) == [2, 1, 6, 3, 3, 0x0D, 0x18])
        let response = try host.event(.advertisingReport)
        #expect(response.prefix(2) == [1, 4])
        #expect(Array(response[10..<20]) == [9, 9] + Array("sensor-1".utf8))
        host.run(.seconds(5))
        #expect(host.packets.filter { $0[0] == 4 && $0[1] == 0x3E }.count == 2, "duplicates are filtered")
    }

    @Test(arguments: [false, true])
    func aSubscribedCounterIsReceivedInOrder(usesAcceptList: Bool) throws {
        let air = VirtualAir(seed: 2)
        let host = ScriptedHost(air)
        let id = air.addSensor(sensor(rate: 100))
        host.setUp()
        let handle = try host.connect(to: sensor().address, usesAcceptList: usesAcceptList)
        #expect(try host.request(handle, [0x02] + u16(517)) == [0x03] + u16(247))
        let value = try #require(try host.findCharacteristic(CounterService.value, on: handle))
        #expect(try host.request(handle, [0x12] + u16(value + 1) + u16(1)) == [0x13])
        for sequence in 0..<200 as Range<UInt32> {
            let notification = try host.nextATT(handle)
            #expect(Array(notification.prefix(3)) == [0x1B] + u16(value))
            var reader = ByteReader(notification[3...])
            #expect(try reader.u32("sequence") == sequence)
            _ = try reader.u64("stamp")
            try reader.finish()
        }
        let ledger = try #require(air.ledger(of: id))
        #expect(ledger.delivered >= 200)
        #expect(ledger.entries.map(\.sequence) == Array(0..<UInt32(ledger.accepted)))
        #expect(air.violations(of: host.id).isEmpty)
        #expect(air.violations(of: id).isEmpty)
    }

    @Test func aBatteryMonitorAnswersItsCommandAlone() throws {
        let air = VirtualAir(seed: 9)
        let host = ScriptedHost(air)
        let id = air.addSensor(sensor(.batteryMonitor, rate: 20))
        host.setUp()
        let handle = try host.connect(to: sensor().address)
        let value = try #require(try host.findCharacteristic(BatteryMonitorService.value, on: handle))
        let command = try #require(try host.findCharacteristic(BatteryMonitorService.command, on: handle))
        #expect(try host.request(handle, [0x12] + u16(value + 1) + u16(1)) == [0x13])
        let head: [UInt8] = [0xD1, 0x55, 0x07]
        let zeros = [UInt8](repeating: 0, count: 13)
        // Plain octets are no command, and another command is none, either.
        for wrong in [head + zeros, BatteryMonitorService.seal([0xD1, 0x55, 0x01] + zeros), head] {
            #expect(try host.request(handle, [0x12] + u16(command) + wrong) == [0x13])
        }
        host.run(.seconds(2))
        #expect(air.ledger(of: id)?.accepted == 0)
        #expect(try host.request(handle, [0x12] + u16(command) + BatteryMonitorService.seal(head + zeros)) == [0x13])
        let answers = try (0..<3).map { _ in try host.nextATT(handle) }
        let plain = answers.map { BatteryMonitorService.open(Array($0.dropFirst(3))) ?? [] }
        #expect(answers.allSatisfy { $0.prefix(3) == ([0x1B] + u16(value))[...] })
        #expect(plain[0] == head + [0xFF] + zeros.dropFirst())
        #expect(plain[1] == head + [0, 20, 0, 50, 0x04, 0xB0] + zeros.dropFirst(6))
        #expect(plain[2].starts(with: head + [0, 21, 0, 51, 0x04, 0xB1]))
        #expect(air.violations(of: host.id).isEmpty && air.violations(of: id).isEmpty)
    }

    @Test func aSensorThatDropsItsLinkAdvertisesAgainAndForgetsTheSubscription() throws {
        let air = VirtualAir(seed: 3)
        let host = ScriptedHost(air)
        let id = air.addSensor(sensor(rate: 50, dropEvery: 10))
        host.setUp()
        var received: [UInt32] = []
        for _ in 0..<3 {
            let handle = try host.connect(to: sensor().address)
            let value = try #require(try host.findCharacteristic(CounterService.value, on: handle))
            #expect(try host.request(handle, [0x0A] + u16(value + 1)) == [0x0B, 0, 0])
            #expect(try host.request(handle, [0x12] + u16(value + 1) + u16(1)) == [0x13])
            let reason: UInt8 = try host.wait {
                if $0[0] == 2, $0.count >= 16, $0[9] == 0x1B { received.append(UInt32($0[12]) | UInt32($0[13]) << 8) }
                return $0[0] == 4 && $0[1] == 0x05 ? $0[6] : nil
            }
            #expect(reason == HCIStatus.remoteUserTerminated.rawValue)
        }
        let ledger = try #require(air.ledger(of: id))
        #expect(ledger.accepted == 30)
        #expect(ledger.entries.filter(\.isDelivered).map(\.sequence) == received)
        #expect(ledger.delivered == received.count)
    }

    @Test func anIndicationWaitsForTheConfirmationOfTheLastOne() throws {
        let air = VirtualAir(seed: 4)
        let host = ScriptedHost(air)
        let id = air.addSensor(sensor(.thermometer, rate: 100))
        host.setUp()
        let handle = try host.connect(to: sensor().address)
        let value = try #require(try host.findCharacteristic(BluetoothUUID(0x2A1C as UInt16), on: handle))
        #expect(try host.request(handle, [0x12] + u16(value + 1) + u16(1)) == [0x01, 0x12] + u16(value + 1) + [0xFD])
        #expect(try host.request(handle, [0x12] + u16(value + 1) + u16(2)) == [0x13])
        let first = try host.nextATT(handle)
        #expect(Array(first) == [0x1D] + u16(value) + [0, 0x42, 0x0E, 0, 0xFE], "36.50 degrees")
        host.run(.seconds(5))
        #expect(air.ledger(of: id)?.accepted == 1)
        host.sendATT(handle, [0x1E])
        #expect(try host.nextATT(handle).first == 0x1D)
        let reason = try host.event(.disconnectionComplete, within: .seconds(31))
        #expect(reason.last == HCIStatus.remoteUserTerminated.rawValue, "not confirmed within 30 seconds")
    }

    @Test(arguments: VirtualSensor.Kind.allCases)
    func everyKindHasItsServices(kind: VirtualSensor.Kind) throws {
        let air = VirtualAir(seed: 5)
        let host = ScriptedHost(air)
        _ = air.addSensor(sensor(kind))
        host.setUp()
        let handle = try host.connect(to: sensor().address)
        _ = try host.request(handle, [0x02] + u16(247))
        let services =
            [0x1800, 0x1801].map { BluetoothUUID(UInt16($0)) } + [kind.service]
            + [0x180F, 0x180A].map { BluetoothUUID(UInt16($0)) }
        var found: [BluetoothUUID] = []
        var start: UInt16 = 1
        while true {
            let response = try host.request(handle, [0x10] + u16(start) + u16(0xFFFF) + [0x00, 0x28])
            guard response.first == 0x11 else {
                #expect(response == [0x01, 0x10] + u16(start) + [0x0A])
                break
            }
            for offset in stride(from: 2, to: response.count, by: Int(response[1])) {
                found.append(
                    try #require(BluetoothUUID(littleEndian: response[(offset + 4)..<(offset + Int(response[1]))])))
                start = (UInt16(response[offset + 2]) | UInt16(response[offset + 3]) << 8) + 1
            }
        }
        #expect(found == services)
        let model = try #require(try host.findCharacteristic(BluetoothUUID(0x2A24 as UInt16), on: handle))
        #expect(try host.request(handle, [0x0A] + u16(model)) == [0x0B] + Array(kind.rawValue.utf8))
    }

    @Test func aLongValueIsWrittenInPartsAndReadBackInParts() throws {
        let air = VirtualAir(seed: 6)
        let host = ScriptedHost(air)
        _ = air.addSensor(sensor())
        host.setUp()
        let handle = try host.connect(to: sensor().address)
        let scratch = try #require(try host.findCharacteristic(CounterService.scratch, on: handle))
        let value = (0..<512).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        for offset in stride(from: 0, to: 512, by: 18) {
            let part = Array(value[offset..<min(512, offset + 18)])
            let echoed = try host.request(handle, [0x16] + u16(scratch) + u16(UInt16(offset)) + part)
            #expect(echoed == [0x17] + u16(scratch) + u16(UInt16(offset)) + part)
        }
        #expect(try host.request(handle, [0x18, 1]) == [0x19])
        var back: [UInt8] = []
        while true {
            let response = try host.request(handle, [0x0C] + u16(scratch) + u16(UInt16(back.count)))
            back += response.dropFirst()
            if response.count < 23 { break }
        }
        #expect(back == value)
        #expect(try host.request(handle, [0x0C] + u16(scratch) + u16(513)) == [0x01, 0x0C] + u16(scratch) + [0x07])
    }

    @Test func valuesWithoutRoomAreNotAccepted() throws {
        let air = VirtualAir(seed: 7)
        let host = ScriptedHost(air)
        let id = air.addSensor(sensor(rate: 1000))
        host.setUp()
        let handle = try host.connect(to: sensor().address, interval: 800, timeout: 300)
        let value = try #require(try host.findCharacteristic(CounterService.value, on: handle))
        #expect(try host.request(handle, [0x12] + u16(value + 1) + u16(1)) == [0x13])
        for sequence in 0..<100 as Range<UInt8> { #expect(try host.nextATT(handle)[3] == sequence) }
        #expect(try #require(air.ledger(of: id)).accepted < 200)
    }

    @Test func signallingAndPairingAreAnswered() throws {
        let air = VirtualAir(seed: 8)
        let host = ScriptedHost(air)
        var configuration = sensor()
        configuration.wantedInterval = 80...100
        let id = air.addSensor(configuration)
        host.setUp()
        let handle = try host.connect(to: configuration.address)
        func frame() throws -> [UInt8] { try host.wait { $0[0] == 2 ? Array($0[5...]) : nil } }
        // Connection Parameter Update Request, answered with accepted.
        #expect(try frame() == [12, 0, 5, 0, 0x12, 1, 8, 0] + u16(80) + u16(100) + u16(0) + u16(200))
        host.sendACL(handle, [6, 0, 5, 0, 0x13, 1, 2, 0, 0, 0])
        // LE Credit Based Connection Request: not understood.
        host.sendACL(handle, [4, 0, 5, 0, 0x14, 9, 0, 0])
        #expect(try frame() == [6, 0, 5, 0, 0x01, 9, 2, 0, 0, 0])
        // Pairing Request: not supported.
        host.sendACL(handle, [7, 0, 6, 0, 1, 3, 0, 1, 16, 0, 0])
        #expect(try frame() == [2, 0, 6, 0, 5, 5])
        #expect(air.violations(of: id).isEmpty)
    }

    @Test func aClientThatBreaksTheRulesIsNoted() throws {
        let air = VirtualAir(seed: 8)
        let host = ScriptedHost(air)
        let id = air.addSensor(sensor())
        host.setUp()
        let handle = try host.connect(to: sensor().address)
        host.sendATT(handle, [0x0A, 3, 0])
        host.sendATT(handle, [0x0A, 3, 0])
        #expect(try host.nextATT(handle) == [0x0B] + Array("sensor-1".utf8))
        #expect(try host.nextATT(handle) == [0x0B] + Array("sensor-1".utf8))
        host.sendATT(handle, [0x52, 15, 0] + [UInt8](repeating: 1, count: 21))
        host.sendATT(handle, [0x1E])
        host.sendACL(handle, [1, 2], flags: 1)
        host.run(.seconds(1))
        #expect(
            air.violations(of: id) == [
                "ATT request 10 before the response to the last one", "an ATT PDU of 24 octets with an MTU of 23",
                "a confirmation without an indication", "an L2CAP continuation without a start",
            ])
    }

    @Test func theDemonstrationIsInTheAir() {
        let addresses = Set(VirtualSensor.demonstration.map(\.address))
        #expect(addresses.count == VirtualSensor.demonstration.count)
        #expect(VirtualSensor.demonstration.allSatisfy { $0.address.isStaticRandom && (0.5...5).contains($0.rate) })
    }
}
