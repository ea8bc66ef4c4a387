// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// Encryption of one link. Keys come least significant octet first and are only compared here: the air has no listeners
/// from which a key must be hidden.
extension VirtualController {
    static let securityCommands: [HCIOpcode: ControllerCommand] = [
        .leEnableEncryption: ControllerCommand(28, 0, .status) { controller, reader in
            let handle = try reader.u16("connectionHandle")
            let rand = try reader.u64("randomNumber")
            let ediv = try reader.u16("encryptedDiversifier")
            let key = Array(try reader.bytes(16, "longTermKey"))
            try reader.finish()
            let link = try controller.link(handle)
            // Vol 4, Part E, 7.8.24: only for the Central, one request at a time.
            guard link.role == .central, !link.link.isStartingEncryption else { throw HCIStatus.commandDisallowed }
            let request = EncryptionRequest(key: key, rand: rand, ediv: ediv)
            try controller.start(.requestEncryption(request), on: link)
            return []
        },
        .leLongTermKeyRequestReply: ControllerCommand(28, 1, returns: 2, repeatsHandle: true) { controller, reader in
            let handle = try reader.u16("connectionHandle")
            let key = Array(try reader.bytes(16, "longTermKey"))
            try reader.finish()
            try controller.start(.startEncryption(key: key), on: try controller.linkThatAwaitsKey(handle))
            return handle.octets
        },
        .leLongTermKeyRequestNegativeReply: ControllerCommand(28, 2, returns: 2, repeatsHandle: true) {
            controller, reader in
            let handle = try reader.u16("connectionHandle")
            try reader.finish()
            try controller.start(.rejectEncryption(.pinOrKeyMissing), on: try controller.linkThatAwaitsKey(handle))
            return handle.octets
        },
    ]

    private func linkThatAwaitsKey(_ handle: UInt16) throws(HCIStatus) -> HostLink {
        let link = try link(handle)
        guard link.awaitsKey else { throw .commandDisallowed }
        host.links[handle]?.awaitsKey = false
        return link
    }

    func keyRequested(rand: UInt64, ediv: UInt16, on link: Link, _ handle: UInt16) {
        // Vol 4, Part E, 7.7.65.5: with the event masked, the controller cannot ask the host.
        guard isUnmasked(.longTermKeyRequest) else {
            air.start(.rejectEncryption(.pinOrKeyMissing), on: link)
            return
        }
        host.links[handle]?.awaitsKey = true
        var event = handle.octets
        event.append(u64: rand)
        event.append(u16: ediv)
        emit(.longTermKeyRequest, event)
    }

    func encryptionChanged(_ status: HCIStatus, isRefresh: Bool, _ handle: UInt16) {
        if isRefresh {
            emit(.encryptionKeyRefreshComplete, [status.rawValue] + handle.octets)
        } else {
            // 0x01: AES-CCM.
            emit(.encryptionChange, [status.rawValue] + handle.octets + [status == .success ? 1 : 0])
        }
    }
}

extension Link {
    /// From the Central's command to both sides' answer.
    fileprivate var isStartingEncryption: Bool {
        for case .requestEncryption in procedures { return true }
        return encryption.request != nil
    }
}
