// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// What a Central asks for encryption with: its own key stays on its side, the numbers go to the Peripheral.
struct EncryptionRequest: Equatable {
    let key: [UInt8]
    let rand: UInt64
    let ediv: UInt16
}

/// Where a link stands with encryption. Core 5.4, Vol 6, Part B, 5.1.3.
struct LinkEncryption {
    /// LL_ENC_REQ was sent: no data crosses until both sides are done with it.
    var request: EncryptionRequest?
    var isEncrypted = false
    /// Moves on with each request, so that the time-out of an old one is ignored.
    var generation: UInt32 = 0

    /// Core 5.4, Vol 6, Part B, 5.2: the procedure response time-out.
    static let responseTimeout: Duration = .seconds(40)
}

/// How many data PDUs one node has sent, plain and encrypted.
package struct DataTally: Equatable, Sendable {
    package var plain: Int
    package var encrypted: Int

    package init(plain: Int = 0, encrypted: Int = 0) {
        self.plain = plain
        self.encrypted = encrypted
    }
}

extension VirtualAir {
    /// What the node has sent on all its links, also on those that have ended.
    package func dataTally(of id: AirNodeID) -> DataTally { tallies[id] ?? DataTally() }

    func countData(from sender: LinkEnd, on link: Link) {
        if link.encryption.isEncrypted {
            tallies[sender.node.id, default: DataTally()].encrypted += 1
        } else {
            tallies[sender.node.id, default: DataTally()].plain += 1
        }
    }

    /// LL_ENC_REQ, after LL_PAUSE_ENC where the link is encrypted already.
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

    /// The Peripheral has a key: LL_START_ENC. Where it is another one, neither side can read the other's answer.
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

    /// The Peripheral has no key: LL_REJECT_IND. Vol 6, Part B, 5.1.3.2: a link that was encrypted ends instead.
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
    func checkEncryption(_ id: LinkID, generation: UInt32) {
        guard let link = links[id], link.encryption.request != nil, link.encryption.generation == generation else {
            return
        }
        close(link, central: .llResponseTimeout, peripheral: .llResponseTimeout)
    }
}
