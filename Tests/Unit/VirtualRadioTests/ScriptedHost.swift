// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import Testing

@testable import VirtualRadio

/// A host of raw octets behind one virtual controller, in virtual time.
final class ScriptedHost {
    let air: VirtualAir
    let id: AirNodeID
    /// Every packet the controller gave, type octet first.
    private(set) var packets: [[UInt8]] = []
    private var read = 0
    private var assembled: [UInt8] = []

    static let address = DeviceAddress(kind: .public, value: 0x02_00_00_00_00_AA)

    init(_ air: VirtualAir, address: DeviceAddress = ScriptedHost.address, settings: ControllerSettings = .init()) {
        self.air = air
        id = air.attachController(address: address, settings: settings)
    }

    /// Enables the events for every test: LE Meta events and the usual subevents.
    func setUp(leEventMask: UInt64 = 0x000F_FFFF) {
        command(.reset)
        command(.setEventMask, u64(0x3FFF_FFFF_FFFF_FFFF))
        command(.leSetEventMask, u64(leEventMask))
        command(.leSetRandomAddress, [0xF0, 0, 0, 0, 0, 0xC0])
        packets = []
        read = 0
    }

    func send(_ octets: [UInt8]) {
        air.receive(octets, from: id, at: air.now)
        collect()
    }

    /// Sends a command and gives the return parameters, or the status of a Command Status alone.
    @discardableResult
    func command(_ opcode: HCIOpcode, _ parameters: [UInt8] = []) -> [UInt8] {
        let start = packets.count
        send(h4(opcode, parameters))
        for packet in packets[min(start, packets.count)...] where packet[0] == 4 {
            if packet[1] == 0x0E, Array(packet[4...5]) == u16(opcode.rawValue) { return Array(packet[6...]) }
            if packet[1] == 0x0F, Array(packet[5...6]) == u16(opcode.rawValue) { return [packet[3]] }
        }
        return []
    }

    func run(_ duration: Duration) {
        air.advance(to: air.now + duration)
        collect()
    }

    /// Lets time pass, event by event, until a packet from the controller gives a result.
    func wait<Result>(
        within limit: Duration = .seconds(60), _ match: ([UInt8]) -> Result?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Result {
        let end = air.now + limit
        while true {
            collect()
            while read < packets.count {
                read += 1
                if let result = match(packets[read - 1]) { return result }
            }
            guard let deadline = air.deadline, deadline <= end else {
                Issue.record("nothing came within \(limit)", sourceLocation: sourceLocation)
                throw Timeout()
            }
            air.advance(to: deadline)
        }
    }

    /// The parameters of the next event.
    func event(_ code: HCIEventCode, within limit: Duration = .seconds(60)) throws -> [UInt8] {
        try wait(within: limit) { $0[0] == 4 && $0[1] == code.rawValue ? Array($0[3...]) : nil }
    }

    /// The parameters of the next LE Meta event of the kind, without the subevent code.
    func event(_ code: LESubeventCode, within limit: Duration = .seconds(60)) throws -> [UInt8] {
        try wait(within: limit) {
            $0[0] == 4 && $0[1] == 0x3E && $0[3] == code.rawValue ? Array($0[4...]) : nil
        }
    }

    // MARK: Connections

    /// Connects and gives the handle.
    func connect(
        to peer: DeviceAddress, interval: UInt16 = 24, timeout: UInt16 = 200, usesAcceptList: Bool = false
    ) throws -> UInt16 {
        if usesAcceptList {
            #expect(command(.leAddDeviceToFilterAcceptList, [peer.kind.rawValue] + u48(peer.value)) == [0])
        }
        let target = usesAcceptList ? [UInt8](repeating: 0, count: 7) : [peer.kind.rawValue] + u48(peer.value)
        let status = command(
            .leCreateConnection,
            u16(0x60) + u16(0x60) + [usesAcceptList ? 1 : 0] + target + [1] + u16(interval) + u16(interval) + u16(0)
                + u16(timeout) + u16(0) + u16(0))
        #expect(status == [0])
        let complete = try event(.enhancedConnectionComplete)
        #expect(complete[0] == 0)
        return UInt16(complete[1]) | UInt16(complete[2]) << 8
    }

    // MARK: ATT

    func sendACL(_ handle: UInt16, _ octets: [UInt8], flags: UInt16 = 0) {
        send([2] + u16(handle | flags << 12) + u16(UInt16(octets.count)) + octets)
    }

    func sendATT(_ handle: UInt16, _ pdu: [UInt8]) {
        sendACL(handle, u16(UInt16(pdu.count)) + u16(4) + pdu)
    }

    /// The next whole ATT PDU from the peer.
    func nextATT(_ handle: UInt16, within limit: Duration = .seconds(60)) throws -> [UInt8] {
        try wait(within: limit) { packet in
            guard packet[0] == 2, (UInt16(packet[1]) | UInt16(packet[2]) << 8) & 0xFFF == handle else { return nil }
            if packet[2] >> 4 == 0b10 { self.assembled = [] }
            self.assembled += packet[5...]
            guard self.assembled.count >= 4,
                self.assembled.count == 4 + Int(self.assembled[0]) + Int(self.assembled[1]) << 8
            else { return nil }
            return Array(self.assembled[4...])
        }
    }

    func request(_ handle: UInt16, _ pdu: [UInt8]) throws -> [UInt8] {
        sendATT(handle, pdu)
        while true {
            let answer = try nextATT(handle)
            if answer.first != 0x1B, answer.first != 0x1D { return answer }
        }
    }

    /// The value handle of the characteristic, found by Read By Type over everything.
    func findCharacteristic(_ uuid: BluetoothUUID, on handle: UInt16) throws -> UInt16? {
        var start: UInt16 = 1
        while true {
            let response = try request(handle, [0x08] + u16(start) + u16(0xFFFF) + [0x03, 0x28])
            guard response.first == 0x09 else { return nil }
            let length = Int(response[1])
            for offset in stride(from: 2, to: response.count, by: length) {
                start = (UInt16(response[offset]) | UInt16(response[offset + 1]) << 8) + 1
                if BluetoothUUID(littleEndian: response[(offset + 5)..<(offset + length)]) == uuid {
                    return UInt16(response[offset + 3]) | UInt16(response[offset + 4]) << 8
                }
            }
        }
    }

    // MARK: Packets

    private func collect() {
        var octets = air.takeOutput(of: id)[...]
        while !octets.isEmpty {
            let rest = Array(octets)
            guard case .packet(_, let length) = H4Framer.next(rest.span.bytes) else {
                Issue.record("the controller's output is no H4: \(rest.hexadecimal)")
                return
            }
            packets.append(Array(rest[..<length]))
            octets = octets.dropFirst(length)
        }
    }
}

struct Timeout: Error {}

/// A command with its H4 packet type.
func h4(_ opcode: HCIOpcode, _ parameters: [UInt8] = []) -> [UInt8] {
    var packet: [UInt8] = [1]
    packet.append(u16: opcode.rawValue)
    packet.append(UInt8(clamping: parameters.count))
    return packet + parameters
}

/// Everything unmasked.
let unmask = h4(.setEventMask, u64(.max)) + h4(.leSetEventMask, u64(.max))

func u16(_ value: UInt16) -> [UInt8] { [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)] }

func u48(_ value: UInt64) -> [UInt8] {
    var octets: [UInt8] = []
    octets.append(u48: value)
    return octets
}

func u64(_ value: UInt64) -> [UInt8] {
    var octets: [UInt8] = []
    octets.append(u64: value)
    return octets
}

func sensor(
    _ kind: VirtualSensor.Kind = .counter, number: UInt64 = 1, rate: Double = 10, dropEvery: Int? = nil
) -> VirtualSensor.Configuration {
    VirtualSensor.Configuration(
        address: DeviceAddress(kind: .random, value: 0xF0_00_00_00_00_00 + number), name: "sensor-\(number)",
        kind: kind,
        rate: rate, dropEvery: dropEvery)
}
