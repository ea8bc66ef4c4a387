// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import VirtualRadio

/// The tester's radio: a second controller on this air, driven by raw HCI commands, with raw L2CAP frames on its links.
/// The tester has no host and sends only the frames of scripts.
final class RawPeer {
    static let publicAddress = DeviceAddress(kind: .public, value: 0x02_00_00_00_00_AA)
    static let randomAddress = DeviceAddress(kind: .random, value: 0xC0_00_00_00_00_F0)

    /// The limit of the controller's ACL data packets, in octets.
    private static let packetLength = 251

    let id: AirNodeID
    let address: DeviceAddress
    private let air: VirtualAir
    /// Events, without the packet type, that no script has looked at.
    private(set) var events: [[UInt8]] = []
    /// Frames that no script has looked at, by channel.
    private(set) var frames: [UInt16: [[UInt8]]] = [:]
    /// Connection handles, the newest last.
    private(set) var handles: [UInt16] = []
    private var assembled: [UInt16: [UInt8]] = [:]
    /// Sees every frame from the tester.
    var onFrame: ((_ payload: [UInt8], _ channel: UInt16) -> Void)?
    /// Sees every ACL packet that a script makes by itself.
    var onFragment: ((_ octets: [UInt8], _ isFirst: Bool) -> Void)?

    init(on air: VirtualAir, address: DeviceAddress = RawPeer.publicAddress, settings: ControllerSettings = .init()) {
        self.air = air
        self.address = address
        id = air.attachController(address: address, settings: settings)
        for (opcode, parameters) in [
            (HCIOpcode.reset, []), (.setEventMask, hex("FFFFFFFFFFFFFF3F")), (.leSetEventMask, hex("FFFF0F0000000000")),
            (.leSetRandomAddress, address48(Self.randomAddress)),
        ] { command(opcode, parameters) }
        events = []
    }

    // MARK: Commands

    /// Sends a command and gives the return parameters, or the status of Command Status alone.
    @discardableResult
    func command(_ opcode: HCIOpcode, _ parameters: [UInt8] = []) -> [UInt8] {
        air.receive(
            [1] + little(opcode.rawValue) + [UInt8(truncatingIfNeeded: parameters.count)] + parameters, from: id,
            at: air.now)
        collect()
        guard
            let index = events.lastIndex(where: {
                ($0[0] == 0x0E && Array($0[3...4]) == little(opcode.rawValue))
                    || ($0[0] == 0x0F && Array($0[4...5]) == little(opcode.rawValue))
            })
        else { return [] }
        let event = events.remove(at: index)
        return event[0] == 0x0E ? Array(event[5...]) : [event[2]]
    }

    /// Like ``command(_:_:)``, for commands that must succeed.
    func order(_ opcode: HCIOpcode, _ parameters: [UInt8] = []) throws {
        let answer = command(opcode, parameters)
        try require(answer.first == 0, "the tester's controller refused \(opcode): \(text(answer))")
    }

    /// Advertises with legacy PDUs. `type`: 0 connectable, 2 scannable, 3 neither, 1 and 4 directed to `target`.
    func advertise(
        _ data: String = "02 01 06", scanResponse: String = "", type: UInt8 = 0, from own: DeviceAddress.Kind = .public,
        to target: DeviceAddress? = nil, interval: UInt16 = 0x00A0
    ) throws {
        let peer = target.map { [$0.kind.rawValue] + address48($0) } ?? hex("00000000000000")
        try order(
            .leSetAdvertisingParameters,
            little(interval) + little(interval) + [type, own.rawValue] + peer + [0x07, 0x00])
        try order(.leSetAdvertisingData, padded(hex(data)))
        try order(.leSetScanResponseData, padded(hex(scanResponse)))
        try order(.leSetAdvertisingEnable, [1])
    }

    func stopAdvertising() throws { try order(.leSetAdvertisingEnable, [0]) }

    /// Begins to connect to `peer`. The event comes later.
    func initiate(to peer: DeviceAddress, from own: DeviceAddress.Kind = .public) throws {
        try order(
            .leCreateConnection,
            little(0x60) + little(0x60) + [0, peer.kind.rawValue] + address48(peer) + [own.rawValue] + little(24)
                + little(24) + little(0) + little(200) + little(0) + little(0))
    }

    /// Sets the tester's random address.
    func setRandomAddress(_ address: DeviceAddress) throws { try order(.leSetRandomAddress, address48(address)) }

    /// Begins to listen; reports come as events.
    func scan(active: Bool) throws {
        try order(.leSetScanParameters, [active ? 1 : 0] + little(0x60) + little(0x60) + [0, 0])
        try order(.leSetScanEnable, [1, 0])
    }

    func disconnect(reason: UInt8 = 0x13) throws {
        try order(.disconnect, little(try link) + [reason])
    }

    // MARK: Frames

    var link: UInt16 {
        get throws {
            guard let handle = handles.last else { throw ScriptFailure("the tester has no link") }
            return handle
        }
    }

    /// Sends `payload` on a fixed or dynamic channel.
    func send(_ payload: [UInt8], on channel: UInt16) throws {
        onFrame?(payload, channel)
        let frame = little(UInt16(payload.count)) + little(channel) + payload
        for start in stride(from: 0, to: frame.count, by: Self.packetLength) {
            try transmit(Array(frame[start...].prefix(Self.packetLength)), isFirst: start == 0)
        }
    }

    /// Sends one ACL data packet: the first fragment of a frame, or a continuing fragment.
    func sendACL(_ octets: [UInt8], isFirst: Bool = true) throws {
        onFragment?(octets, isFirst)
        try transmit(octets, isFirst: isFirst)
    }

    private func transmit(_ octets: [UInt8], isFirst: Bool) throws {
        let word = try link | (isFirst ? 0 : 0x1000)
        air.receive([2] + little(word) + little(UInt16(octets.count)) + octets, from: id, at: air.now)
        collect()
    }

    /// Takes the next frame of the channel.
    func takeFrame(on channel: UInt16) -> [UInt8]? {
        guard let first = frames[channel]?.first else { return nil }
        frames[channel]?.removeFirst()
        return first
    }

    /// Takes the first event with a result.
    func takeEvent<Result>(_ match: ([UInt8]) -> Result?) -> Result? {
        for (index, event) in events.enumerated() {
            guard let result = match(event) else { continue }
            events.remove(at: index)
            return result
        }
        return nil
    }

    /// Forgets all frames and events that no script has looked at.
    func forget() { (frames, events) = ([:], []) }

    // MARK: Packets

    func collect() { AirBench.forEachPacket(of: air.takeOutput(of: id)) { take($0) } }

    private func take(_ packet: [UInt8]) {
        if packet[0] == 2 {
            takeACL(packet)
            return
        }
        let event = Array(packet[1...])
        switch event[0] {
        case 0x3E where [0x01, 0x0A].contains(event[2]) && event[3] == 0: handles.append(number(event, at: 4))
        case 0x05: handles.removeAll { $0 == number(event, at: 3) }
        case 0x13: return
        default: break
        }
        events.append(event)
    }

    private func takeACL(_ packet: [UInt8]) {
        let handle = number(packet, at: 1) & 0x0FFF
        if packet[2] >> 4 & 3 != 1 { assembled[handle] = [] }
        assembled[handle, default: []] += packet[5...]
        guard let frame = assembled[handle], frame.count >= 4, frame.count == 4 + Int(number(frame, at: 0)) else {
            return
        }
        frames[number(frame, at: 2), default: []].append(Array(frame[4...]))
    }

    private func number(_ octets: [UInt8], at index: Int) -> UInt16 {
        UInt16(octets[index]) | UInt16(octets[index + 1]) << 8
    }

    private func padded(_ data: [UInt8]) -> [UInt8] {
        [UInt8(data.count)] + data + [UInt8](repeating: 0, count: 31 - data.count)
    }
}

func address48(_ address: DeviceAddress) -> [UInt8] {
    var octets: [UInt8] = []
    octets.append(u48: address.value)
    return octets
}
