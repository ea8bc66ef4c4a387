// SPDX-License-Identifier: Apache-2.0

import SMP
import BluetoothCore
import HCI
import VirtualRadio

@testable import BluetoothHost
@testable import HostBench

/// The host on the other side of a link, of raw octets. Advertises, serves one protected attribute, and answers
/// requests for its key.
final class SecurityPeer {
    private let air: VirtualAir
    let id: AirNodeID
    private(set) var handle: UInt16?
    private(set) var isEncrypted = false
    /// The peer's key for requests, as (ediv, rand) → key; nil: negative.
    var key: (_ ediv: UInt16, _ rand: UInt64) -> SecretKey? = { _, _ in nil }
    /// No answer to requests for its key at all.
    var isMute = false
    /// How the protected attribute, handle 9, is refused while the link is plain; nil: not at all.
    var refusal: UInt8? = 0x05
    private(set) var requests: [(ediv: UInt16, rand: UInt64)] = []
    /// Attribute PDUs, and whether the link was encrypted when they came.
    private(set) var received: [(pdu: [UInt8], isEncrypted: Bool)] = []
    private(set) var keyRefreshes = 0
    /// The address of the Central that connected.
    private(set) var centralAddress: DeviceAddress?

    init(_ air: VirtualAir, number: UInt64, at now: MonotonicTime) {
        self.air = air
        id = air.attachController(address: DeviceAddress(kind: .public, value: 0x00BB_0000_0000 | number))
        send(SetEventMask(mask: .max), at: now)
        send(LESetEventMask(mask: 0x000F_FFFF), at: now)
        advertise(as: Sample.identity(number), at: now)
    }

    func advertise(as address: DeviceAddress, at now: MonotonicTime) {
        command(.leSetAdvertisingEnable, [0], at: now)
        send(LESetRandomAddress(address: address), at: now)
        command(.leSetAdvertisingParameters, [0x40, 0, 0x40, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 7, 0], at: now)
        command(.leSetAdvertisingEnable, [1], at: now)
    }

    func send(_ command: some HCICommand, at now: MonotonicTime) { air.receive(command.packet, from: id, at: now) }

    private func command(_ opcode: HCIOpcode, _ parameters: [UInt8], at now: MonotonicTime) {
        var packet: [UInt8] = [1]
        packet.append(u16: opcode.rawValue)
        air.receive(packet + [UInt8(parameters.count)] + parameters, from: id, at: now)
    }

    func sendATT(_ pdu: [UInt8], at now: MonotonicTime) {
        guard let handle else { return }
        var packet: [UInt8] = [2]
        packet.append(u16: handle)
        packet.append(u16: UInt16(pdu.count + 4))
        packet.append(u16: UInt16(pdu.count))
        packet.append(u16: 4)
        air.receive(packet + pdu, from: id, at: now)
    }

    /// Handles the waiting packets and answers them.
    func turn(at now: MonotonicTime) {
        AirBench.forEachPacket(of: air.takeOutput(of: id)) { take($0, at: now) }
    }

    private func take(_ packet: [UInt8], at now: MonotonicTime) {
        guard packet[0] == 4 else {
            if packet.count > 9 { answer(Array(packet[9...]), at: now) }
            return
        }
        switch try? HCIEvent(decoding: packet[1...]) {
        case .connectionComplete(let completion) where completion.status == .success:
            handle = completion.handle
            centralAddress = completion.peer
        case .disconnectionComplete:
            handle = nil
            isEncrypted = false
        case .encryptionChange(_, _, let isEnabled, _): isEncrypted = isEnabled
        case .encryptionKeyRefreshComplete: keyRefreshes += 1
        case .longTermKeyRequest(let handle, let rand, let ediv):
            requests.append((ediv, rand))
            guard !isMute else { return }
            if let key = key(ediv, rand) {
                send(LELongTermKeyRequestReply(handle: handle, key: key.littleEndian), at: now)
            } else {
                send(LELongTermKeyRequestNegativeReply(handle: handle), at: now)
            }
        default: break
        }
    }

    private func answer(_ pdu: [UInt8], at now: MonotonicTime) {
        received.append((pdu, isEncrypted))
        switch pdu[0] {
        case 0x02: sendATT([0x03, 23, 0], at: now)
        case 0x0A:
            if pdu[1] == 9, !isEncrypted, let refusal {
                sendATT([0x01, 0x0A, pdu[1], pdu[2], refusal], at: now)
            } else {
                sendATT([0x0B, 0x2A], at: now)
            }
        default: break
        }
    }
}
