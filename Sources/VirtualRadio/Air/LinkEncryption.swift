// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// A Central's request for encryption: its key stays on its side, and the numbers go to the Peripheral.
struct EncryptionRequest: Equatable {
    let key: [UInt8]
    let rand: UInt64
    let ediv: UInt16
}

/// The state of encryption on a link. Core 5.4, Vol 6, Part B, 5.1.3.
struct LinkEncryption {
    /// LL_ENC_REQ was sent: no data crosses until both sides have finished the procedure.
    var request: EncryptionRequest?
    var isEncrypted = false
    /// Increases with each request, so that the time-out of an old request is ignored.
    var generation: UInt32 = 0

    /// Core 5.4, Vol 6, Part B, 5.2: the procedure response time-out.
    static let responseTimeout: Duration = .seconds(40)
}

/// The number of data PDUs that one node has sent, plain and encrypted.
package struct DataTally: Equatable, Sendable {
    package var plain: Int
    package var encrypted: Int

    package init(plain: Int = 0, encrypted: Int = 0) {
        self.plain = plain
        self.encrypted = encrypted
    }
}

extension VirtualAir {
    /// The data PDUs that the node has sent on all its links, ended links included.
    package func dataTally(of id: AirNodeID) -> DataTally { tallies[id] ?? DataTally() }

    func countData(from sender: LinkEnd, on link: Link) {
        if link.encryption.isEncrypted {
            tallies[sender.node.id, default: DataTally()].encrypted += 1
        } else {
            tallies[sender.node.id, default: DataTally()].plain += 1
        }
    }

    /// LL_ENC_REQ; on an encrypted link LL_PAUSE_ENC comes first.
    func requestEncryption(_ request: EncryptionRequest, on link: Link) {
        guard link.peripheral.node.leFeatures.contains(.encryption) else {
            notify(.encryptionChanged(.unsupportedRemoteFeature, isRefresh: false), .central, on: link)
            return
        }
        link.encryption.request = request
        link.encryption.generation &+= 1
        agenda.add(
            .encryptionOverdue(link.id, generation: link.encryption.generation),
            at: now + LinkEncryption.responseTimeout)
        notify(.keyRequested(rand: request.rand, ediv: request.ediv), .peripheral, on: link)
    }

    /// The Peripheral has a key: LL_START_ENC. If it differs from the Central's key, neither side can read the other's
    /// answer.
    func startEncryption(key: [UInt8], on link: Link) {
        guard let request = link.encryption.request else { return }
        guard key == request.key else {
            close(link, central: .micFailure, peripheral: .micFailure)
            return
        }
        let isRefresh = link.encryption.isEncrypted
        link.encryption.request = nil
        link.encryption.isEncrypted = true
        notify(.encryptionChanged(.success, isRefresh: isRefresh), .central, on: link)
        notify(.encryptionChanged(.success, isRefresh: isRefresh), .peripheral, on: link)
    }

    /// The Peripheral has no key: LL_REJECT_IND. An encrypted link ends instead. Vol 6, Part B, 5.1.3.2.
    func rejectEncryption(_ status: HCIStatus, on link: Link) {
        guard link.encryption.request != nil else { return }
        guard !link.encryption.isEncrypted else {
            close(link, central: status, peripheral: status)
            return
        }
        link.encryption.request = nil
        notify(.encryptionChanged(status, isRefresh: false), .central, on: link)
    }

    /// The Peripheral's host never answered.
    func checkEncryption(_ id: AirLinkID, generation: UInt32) {
        guard let link = links[id], link.encryption.request != nil, link.encryption.generation == generation else {
            return
        }
        close(link, central: .llResponseTimeout, peripheral: .llResponseTimeout)
    }
}
