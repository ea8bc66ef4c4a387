// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

extension VirtualController {
    /// Sends an event unless the host masked it.
    func emit(_ code: HCIEventCode, _ parameters: [UInt8]) {
        guard !isSilent, !isWedged, isUnmasked(code) else { return }
        send([HCIPacketType.event.rawValue, code.rawValue, UInt8(clamping: parameters.count)] + parameters.prefix(255))
    }

    /// Sends an LE Meta event unless the host masked the subevent or all LE Meta events.
    func emit(_ subevent: LESubeventCode, _ parameters: [UInt8]) {
        guard isUnmasked(subevent), !holdsReport(subevent, parameters) else { return }
        emit(.leMeta, [subevent.rawValue] + parameters)
    }

    func isUnmasked(_ subevent: LESubeventCode) -> Bool {
        subevent.rawValue > 0 && host.leEventMask >> UInt64(subevent.rawValue - 1) & 1 == 1 && isUnmasked(.leMeta)
    }

    private func isUnmasked(_ code: HCIEventCode) -> Bool {
        let bit: UInt64
        switch code {
        // Vol 4, Part E, 7.3.1: these have no bit.
        case .commandComplete, .commandStatus, .numberOfCompletedPackets: return true
        case .disconnectionComplete: bit = 4
        case .encryptionChange: bit = 7
        case .readRemoteVersionInformationComplete: bit = 11
        case .hardwareError: bit = 15
        case .dataBufferOverflow: bit = 25
        case .encryptionKeyRefreshComplete: bit = 47
        case .leMeta: bit = 61
        default: return false
        }
        return host.eventMask >> bit & 1 == 1
    }
}

extension [UInt8] {
    /// The type and the six octets of an address.
    mutating func append(_ address: DeviceAddress) {
        append(address.kind.rawValue)
        append(u48: address.value)
    }
}

extension ByteReader {
    mutating func address(kind: UInt8, _ field: StaticString) throws(DecodeError) -> DeviceAddress {
        guard let kind = DeviceAddress.Kind(rawValue: kind) else { throw .invalid(field: field) }
        return DeviceAddress(kind: kind, value: try u48(field))
    }
}
