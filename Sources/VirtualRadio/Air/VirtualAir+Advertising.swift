// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

extension VirtualAir {
    /// One advertising event: every scanner in range may hear the event, and one initiator may answer.
    ///
    /// - Returns: Whether a host gets a report of the event.
    @discardableResult
    func transmit(_ pdu: AdvertisingPDU, from advertiser: any AirNode) -> Bool {
        guard advertiser.isInRange else { return false }
        var isTold = false
        for controller in controllers where controller !== advertiser && controller.isInRange {
            guard !isLost() else { continue }
            isTold = controller.heard(pdu, from: advertiser) || isTold
            if let request = controller.connectionRequest(for: pdu),
                advertiser.acceptsConnection(from: request.initiator, set: pdu.set),
                connect(controller, request, to: advertiser, answering: pdu)
            {
                return isTold
            }
        }
        return isTold
    }

    /// Whether the advertiser heard the initiator.
    private func connect(
        _ central: VirtualController, _ request: ConnectionRequest, to advertiser: any AirNode,
        answering pdu: AdvertisingPDU
    ) -> Bool {
        guard let address = pdu.advertiser else { return false }
        let link = Link(
            id: nextLinkID(), central: LinkEnd(node: central, address: request.initiator),
            peripheral: LinkEnd(node: advertiser, address: address), parameters: request.parameters,
            anchor: now + .microseconds(2500))
        links[link.id] = link
        guard !isLost() else {
            // The initiator cannot know that its CONNECT_IND was lost: it reports the connection, and hears no answer
            // in the first six connection events.
            link.peripheral.isOpen = false
            link.isBroken = true
            central.linkOpened(link, as: .central, set: nil)
            agenda.add(.establishmentFails(link.id), at: now + request.parameters.intervalDuration * 6)
            return false
        }
        central.linkOpened(link, as: .central, set: nil)
        advertiser.linkOpened(link, as: .peripheral, set: pdu.set)
        for role in [LinkRole.central, .peripheral] {
            let wanted = link.end(role).node.wantedTransmitOctets
            // A sensor has no host that could suggest a length: the sensor follows the other side's request.
            if wanted > 27, link.end(role).node is VirtualController {
                start(.changeDataLength(by: role, octets: wanted), on: link)
            }
        }
        return true
    }
}
