// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import L2CAP
import Synchronization

/// L2CAP channels from centrals.
extension CBPeripheralManager {
    func openPSM(isEncrypted encryptionRequired: Bool) {
        withMachine { machine, client, _ in
            machine.publish(spsm: nil, requirement: encryptionRequired ? .encrypted : .none, for: client)
        } then: { manager, psm in
            let error = psm == nil ? CBError(.outOfSpace, detail: "all PSMs are in use") : nil
            manager.delegate?.peripheralManager(manager, didPublishL2CAPChannel: psm ?? 0, error: error)
        }
    }

    func closePSM(_ PSM: CBL2CAPPSM) {
        withMachine { machine, client, _ in
            machine.unpublish(spsm: PSM, for: client)
        } then: { manager, _ in
            manager.delegate?.peripheralManager(manager, didUnpublishL2CAPChannel: PSM, error: nil)
        }
    }

    func handle(_ event: ChannelEvent) {
        guard case .opened(let opening) = event, opening.client == client, opening.request == nil else { return }
        let central = changing.withLock { UncheckedReference(value: $0.centrals[opening.link]) }.value
        guard let central, let delegate else {
            channels.discard(opening)
            return
        }
        delegate.peripheralManager(self, didOpen: channels.makeChannel(opening, peer: central), error: nil)
    }
}
