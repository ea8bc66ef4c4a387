// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

extension VirtualAir {
    /// Runs the link-layer procedures that wait for this connection event. False when the link or the event is over.
    func runProcedures(of link: Link) -> Bool {
        guard !link.procedures.isEmpty else { return true }
        guard !isLost() else {
            packetLost(on: link)
            arm(link)
            return false
        }
        let procedures = link.procedures
        link.procedures = []
        for case .terminate(let role, let reason) in procedures {
            // Unanswered procedures stay on the link for its ends to see.
            link.procedures = procedures
            close(
                link, central: role == .central ? .localHostTerminated : reason,
                peripheral: role == .central ? reason : .localHostTerminated)
            return false
        }
        // One procedure at a time: procedures behind an unanswered one wait for ever.
        for procedure in procedures where !link.isStuck {
            switch link.peripheral.node.treatment(of: procedure) {
            case .carryOut: run(procedure, on: link)
            case .hangUp: start(.terminate(by: .peripheral, reason: .remoteUserTerminated), on: link)
            case .ignore:
                link.isStuck = true
                agenda.add(.responseOverdue(link.id), at: now + Self.responseTimeout)
            }
        }
        return true
    }

    /// Core 5.4, Vol 6, Part B, 5.2.
    static let responseTimeout: Duration = .seconds(40)

    func responseOverdue(_ id: AirLinkID) {
        if let link = links[id] { close(link, central: .llResponseTimeout, peripheral: .llResponseTimeout) }
    }

    private func run(_ procedure: LinkProcedure, on link: Link) {
        switch procedure {
        case .terminate:
            return
        case .exchangeFeatures(let role):
            notify(.remoteFeatures(link.end(role.other).node.leFeatures), role, on: link)
        case .exchangeVersion(let role):
            notify(.remoteVersion, role, on: link)
        case .update(let parameters):
            link.pendingParameters = parameters
            // The instant lies at least six events ahead, so that the Peripheral hears of it in time.
            agenda.add(.updateInstant(link.id), at: now + link.parameters.intervalDuration * 6)
        case .requestParameters(let range):
            notify(.parametersRequested(range), .central, on: link)
        case .rejectParameters(let status):
            notify(.parametersUpdated(status), .peripheral, on: link)
        case .changeDataLength(let role, let octets):
            changeDataLength(by: role, octets: octets, on: link)
        case .changePHY(let role, let phy):
            let isNew = link.phy != phy
            link.phy = phy
            notify(.phyUpdated(.success), role, on: link)
            if isNew { notify(.phyUpdated(.success), role.other, on: link) }
        case .requestEncryption(let request):
            requestEncryption(request, on: link)
        case .startEncryption(let key):
            startEncryption(key: key, on: link)
        case .rejectEncryption(let status):
            rejectEncryption(status, on: link)
        }
    }

    private func changeDataLength(by role: LinkRole, octets: Int, on link: Link) {
        let initiator = link.end(role)
        let responder = link.end(role.other)
        let answer = max(responder.transmitOctets, responder.node.wantedTransmitOctets)
        let isNew = initiator.transmitOctets != octets || responder.transmitOctets != answer
        initiator.transmitOctets = octets
        responder.transmitOctets = answer
        guard isNew else { return }
        notify(.dataLengthChanged, role, on: link)
        notify(.dataLengthChanged, role.other, on: link)
    }

    func applyUpdate(_ id: AirLinkID) {
        guard let link = links[id], let parameters = link.pendingParameters else { return }
        link.pendingParameters = nil
        link.parameters = parameters
        link.anchor = now
        notify(.parametersUpdated(.success), .central, on: link)
        notify(.parametersUpdated(.success), .peripheral, on: link)
    }

    func notify(_ notice: LinkNotice, _ role: LinkRole, on link: Link) {
        let end = link.end(role)
        if end.isOpen { end.node.notified(notice, on: link, as: role) }
    }
}
