// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// ACL data in both directions. Core 5.4, Vol 4, Part E, 5.4.2.
extension VirtualController {
    /// A packet from the host, without its H4 type.
    func receiveACLData(_ packet: ArraySlice<UInt8>) {
        let first = packet.startIndex
        let field = UInt16(packet[first]) | UInt16(packet[first + 1]) << 8
        let handle = field & 0x0FFF
        let boundary = field >> 12 & 0b11
        let data = packet.dropFirst(4)
        guard let hostLink = host.links[handle] else {
            // The host may not have read Disconnection Complete yet; a handle that was never given is the host's
            // mistake.
            if !handles.wasGiven(handle) {
                violations.record("ACL data for handle \(handle), which was never given")
            }
            return
        }
        if field >> 14 != 0 { violations.record("ACL data with broadcast flag \(field >> 14)") }
        if data.isEmpty { violations.record("ACL data without octets on handle \(handle)") }
        guard boundary < 2 else {
            violations.record("ACL data with packet boundary flag \(boundary) from an LE host")
            return
        }
        guard host.outstanding < settings.aclDataCount, data.count <= settings.aclDataLength else {
            violations.record(
                "ACL data of \(data.count) octets on handle \(handle) overflows: \(host.outstanding) packets are outstanding"
            )
            emit(.dataBufferOverflow, [1])
            return
        }
        host.outstanding += 1
        host.links[handle]?.outstanding += 1
        air.send(Array(data), isStart: boundary == 0, as: hostLink.role, on: hostLink.link)
    }

    func received(_ octets: ArraySlice<UInt8>, isStart: Bool, on link: Link) {
        guard !isSilent, let handle = handle(of: link) else { return }
        output.append(HCIPacketType.aclData.rawValue)
        output.append(u16: handle | (isStart ? 0b10 : 0b01) << 12)
        output.append(u16: UInt16(clamping: octets.count))
        output.append(contentsOf: octets)
    }

    func acknowledged(_ token: Int?, on link: Link) {
        guard let handle = handle(of: link) else { return }
        host.outstanding -= 1
        host.links[handle]?.outstanding -= 1
        host.links[handle]?.completed += 1
    }

    func eventEnded(on link: Link) {
        guard let handle = handle(of: link), let completed = host.links[handle]?.completed, completed > 0 else {
            return
        }
        host.links[handle]?.completed = 0
        guard !holdsCompletion(of: handle, completed) else { return }
        emit(.numberOfCompletedPackets, [1] + handle.octets + UInt16(clamping: completed).octets)
    }
}
