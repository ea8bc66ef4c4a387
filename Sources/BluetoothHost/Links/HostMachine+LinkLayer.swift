// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GATT
import HCI
import L2CAP

/// Packet lengths, PHYs and connection parameters of links.
extension HostMachine {
    /// A Peripheral asks for nothing before this. Core 5.4, Vol 3, Part C, Appendix A, T(conn_pause_peripheral).
    static let parametersPause: Duration = .seconds(5)
    /// Between two requests of a Peripheral. Core 5.4, Vol 3, Part C, Appendix A, T(conn_param_timeout).
    static let parametersRetry: Duration = .seconds(30)

    package func information(of link: LinkID) -> LinkInformation? {
        links.handle(of: link).flatMap { links[$0]?.information }
    }

    /// In which points the peer's attribute server departs from the specification, as far as this link has shown, and the
    /// procedures of our own that links with the peer go without now.
    package func peculiarities(of link: LinkID, at now: MonotonicTime) -> ([GATTOddity], omitted: [OwnProcedure])? {
        guard let link = links.handle(of: link).flatMap({ links[$0] }) else { return nil }
        return (link.gatt.oddities.first, peers.omitted(with: link.peer, at: now))
    }

    /// The procedures to try on a new link with `peer`.
    func possibleProcedures(with peer: DeviceAddress, at now: MonotonicTime) -> Set<LinkLayerMachine.Effect> {
        var possible: Set<LinkLayerMachine.Effect> = []
        let learned = radio.commands
        if controller.commands.leReadRemoteFeatures, !learned.isLeftOut(.leReadRemoteFeatures) {
            possible.insert(.readRemoteFeatures)
        }
        if controller.commands.leSetDataLength, !learned.isLeftOut(.leSetDataLength) { possible.insert(.setDataLength) }
        if controller.commands.leSetPHY, !learned.isLeftOut(.leSetPHY) { possible.insert(.setPHY) }
        let omitted = peers.omitted(with: peer, at: now)
        return possible.filter { !omitted.contains($0.ownProcedure) }
    }

    mutating func stepLinkLayer(of handle: UInt16, at now: MonotonicTime) {
        guard let link = links[handle], !link.isEnding else { return }
        guard let effect = links[handle]?.linkLayer.next(link.information, at: now) else { return }
        let purpose = CommandPurpose.linkLayer(link.id, effect)
        switch effect {
        case .readRemoteFeatures: submit(LEReadRemoteFeatures(handle: handle), for: purpose)
        case .setDataLength: submit(LESetDataLength(handle: handle), for: purpose)
        case .setPHY: submit(LESetPHY(handle: handle, phys: .le2M), for: purpose)
        }
    }

    mutating func linkLayerAnswered(
        _ effect: LinkLayerMachine.Effect, of link: LinkID, _ status: HCIStatus, at now: MonotonicTime
    ) {
        guard let handle = links.handle(of: link) else { return }
        links[handle]?.linkLayer.answered(effect, status)
        stepLinkLayer(of: handle, at: now)
    }

    mutating func remoteFeatures(_ features: LEFeatures?, on handle: UInt16, at now: MonotonicTime) {
        links[handle]?.linkLayer.learned(features)
        if let features { links[handle]?.information.peerFeatures = features }
        stepLinkLayer(of: handle, at: now)
    }

    mutating func dataLengthChanged(on handle: UInt16, transmit: UInt16, receive: UInt16, at now: MonotonicTime) {
        let range: ClosedRange<UInt16> = LinkLayerMachine.shortest...LinkLayerMachine.longest
        links[handle]?.information.transmitOctets = min(max(transmit, range.lowerBound), range.upperBound)
        links[handle]?.linkLayer.lengthChanged()
        links[handle]?.information.receiveOctets = min(max(receive, range.lowerBound), range.upperBound)
        stepLinkLayer(of: handle, at: now)
    }

    mutating func phyUpdated(
        _ status: HCIStatus, on handle: UInt16, transmit: UInt8, receive: UInt8, at now: MonotonicTime
    ) {
        links[handle]?.linkLayer.phyUpdated()
        if status == .success, let transmit = LEPHY(rawValue: transmit), let receive = LEPHY(rawValue: receive) {
            links[handle]?.information.transmitPHY = transmit
            links[handle]?.information.receivePHY = receive
        }
        stepLinkLayer(of: handle, at: now)
    }

    /// Notes the procedures of our own during which a link has ended, and those that it has outlived.
    ///
    /// A peer that hangs up has done so over what its host was asked, or its link layer; where the link layers disagree, or one
    /// does not answer, a procedure of theirs is at fault; of a link that is lost nothing is known.
    ///
    /// - Returns: The procedure that waited for the peer's answer.
    mutating func recordEnd(of link: Link, reason: HCIStatus, at now: MonotonicTime?) -> OutstandingProcedure? {
        guard let now else { return nil }
        let isHungUp = [.remoteUserTerminated, .remoteLowResources, .remotePowerOff].contains(reason)
        let isLinkLayers = [.llResponseTimeout, .unsupportedRemoteFeature, .invalidLLParameters].contains(reason)
        let asked: Set<OwnProcedure> = link.gatt.outstandingOwn.map { [$0] } ?? []
        var controllers = link.linkLayer.outstanding(atEnd: now, for: reason)
        if link.parameters.isUpdating { controllers.append([.parameters]) }
        let inDoubt = controllers.reduce(into: asked) { $0.formUnion($1) }
        let ofLinkLayer = controllers.lazy.compactMap { OwnProcedure.allCases.first(where: $0.contains) }.first
            .map { OutstandingProcedure($0) }
        let isEndedByClient = reason == .localHostTerminated && !link.gatt.isClosed
        let outstanding = isEndedByClient ? nil : isLinkLayers ? ofLinkLayer : link.gatt.outstanding ?? ofLinkLayer
        peers.outlived(link.gatt.begun.union(link.linkLayer.begun).subtracting(inDoubt), with: link.peer)
        let blamed: [Set<OwnProcedure>]
        if isLinkLayers {
            blamed = controllers
        } else if isHungUp || link.gatt.isClosed {
            // Where the attribute server was silent for 30 s, we have ended the link ourselves.
            blamed = [asked] + controllers
        } else if reason == .connectionTimeout {
            blamed = [inDoubt]
        } else {
            return outstanding
        }
        guard isWorthMemory(link) else { return outstanding }
        peers.ended(during: blamed, with: link.peer, at: now)
        suggestDataLength(at: now)
        return outstanding
    }

    /// A client wants the peer, or the peer has shown a bond's key. Any stranger may connect to us and hang up, each time
    /// under another address: its claim takes no place of a peer that somebody wants, and blames no other peer.
    private func isWorthMemory(_ link: Link) -> Bool {
        !link.clients.isEmpty && isProven(link) || link.encryption.usesBond
    }

    // MARK: Packet lengths that the controller asks for

    /// Whether the controller takes a suggestion for new links. Core 5.4, Vol 4, Part E, 7.8.35.
    var suggestsLength: Bool {
        controller.features.contains(.dataPacketLengthExtension)
            && controller.commands.leWriteSuggestedDefaultDataLength
            && !radio.commands.isLeftOut(.leWriteSuggestedDefaultDataLength)
    }

    /// The controller asks new peers for longer packets by itself.
    var asksForLength: Bool { suggestsLength && linkDefaults.suggestedOctets > LinkLayerMachine.shortest }

    /// The suggestion holds for all peers. If one peer ends its links over longer packets, the controller must not ask any
    /// peer by itself. The host then asks the other peers, link by link.
    mutating func suggestDataLength(at now: MonotonicTime) {
        guard state == .ready, suggestsLength else { return }
        let octets = peers.omits(.dataLength, at: now) ? LinkLayerMachine.shortest : LinkLayerMachine.longest
        guard octets != linkDefaults.suggestedOctets else { return }
        linkDefaults.suggestedOctets = octets
        submit(LEWriteSuggestedDefaultDataLength(octets: octets, microseconds: 8 * (octets + 14)))
    }

    // MARK: Connection parameters

    /// Asks for other parameters of a link. As Central they are set; as Peripheral they are asked for, 5 s after the link
    /// began at the soonest and again every 30 s at most, and the Central decides. The wish of the last client counts.
    package mutating func setParameters(
        _ parameters: ConnectionParameters, on link: LinkID, for client: ClientID, at now: MonotonicTime
    ) {
        guard let handle = links.handle(of: link), let found = links[handle] else { return }
        switch found.role {
        case .central:
            // A client that has let go of the link has no say any more.
            guard found.clients.contains(ClientSet(client)), acceptsParameters(of: found.peer, at: now) else { return }
            update(handle, to: parameters)
        case .peripheral:
            links[handle]?.parameters.request(parameters)
            requestParameters(on: handle, at: now)
        }
        pump(at: now)
    }

    /// Asks the Central for what is wanted, if it is time.
    mutating func requestParameters(on handle: UInt16, at now: MonotonicTime) {
        guard let link = links[handle], link.role == .peripheral, !link.isEnding,
            let parameters = links[handle]?.parameters.takeRequest(at: now)
        else { return }
        guard !link.information.fits(parameters) else { return }
        links[handle]?.parameters.pause(until: now + Self.parametersRetry)
        let isKnown = link.information.peerFeatures?.contains(.connectionParametersRequest) == true
        let canAsk = controller.features.contains(.connectionParametersRequest)
        if isKnown, canAsk, !radio.commands.isLeftOut(.leConnectionUpdate) {
            links[handle]?.parameters.ask(parameters)
            update(handle, to: parameters)
        } else {
            requestParametersByL2CAP(parameters, on: handle, at: now)
        }
    }

    /// The link layer's request was refused for want of the feature; L2CAP can do it as well.
    mutating func parametersRefused(_ status: HCIStatus, on handle: UInt16, at now: MonotonicTime) {
        guard let parameters = links[handle]?.parameters.takeAsked() else { return }
        if [.unsupportedRemoteFeature, .unsupportedFeature, .commandDisallowed].contains(status) {
            requestParametersByL2CAP(parameters, on: handle, at: now)
        }
    }

    private mutating func requestParametersByL2CAP(
        _ parameters: ConnectionParameters, on handle: UInt16, at now: MonotonicTime
    ) {
        let effects = links[handle]?.l2cap.requestParameters(parameters, at: now) ?? []
        perform(effects, on: handle)
    }

    mutating func parametersChanged(_ completion: LEConnectionUpdateComplete, at now: MonotonicTime) {
        guard completion.status == .success else {
            parametersRefused(completion.status, on: completion.handle, at: now)
            return
        }
        _ = links[completion.handle]?.parameters.takeAsked()
        links[completion.handle]?.information.interval = completion.interval
        links[completion.handle]?.information.latency = completion.latency
        links[completion.handle]?.information.timeout = completion.timeout
    }
}

extension HCIStatus {
    /// The reason of a link's end. Controllers complete a procedure under way with this status before they report the end.
    var endsLinks: Bool {
        let reasons: Set<Self> = [
            .connectionTimeout, .remoteUserTerminated, .remoteLowResources, .remotePowerOff, .localHostTerminated,
            .llResponseTimeout, .micFailure, .connectionFailedToBeEstablished,
        ]
        return reasons.contains(self)
    }
}
