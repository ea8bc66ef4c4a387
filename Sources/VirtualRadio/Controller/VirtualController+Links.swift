// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// Commands for one connection.
extension VirtualController {
    static let linkCommands: [HCIOpcode: ControllerCommand] = [
        .disconnect: ControllerCommand(0, 5, .status) { controller, reader in
            let handle = try reader.u16("connectionHandle")
            let reason = HCIStatus(rawValue: try reader.u8("reason"))
            try reader.finish()
            let link = try controller.link(handle)
            guard [0x05, 0x13, 0x14, 0x15, 0x1A, 0x29, 0x3B].contains(reason.rawValue) else {
                throw HCIStatus.invalidCommandParameters
            }
            for case .terminate(link.role, _) in link.link.procedures { throw HCIStatus.commandDisallowed }
            try controller.start(.terminate(by: link.role, reason: reason), on: link)
            return []
        },
        .readRemoteVersionInformation: ControllerCommand(2, 7, .status) { controller, reader in
            let handle = try reader.u16("connectionHandle")
            try reader.finish()
            let link = try controller.link(handle)
            try controller.start(.exchangeVersion(by: link.role), on: link)
            return []
        },
        .leReadRemoteFeatures: ControllerCommand(27, 5, .status) { controller, reader in
            let handle = try reader.u16("connectionHandle")
            try reader.finish()
            let link = try controller.link(handle)
            try controller.start(.exchangeFeatures(by: link.role), on: link)
            return []
        },
        .leConnectionUpdate: ControllerCommand(27, 2, .status) { controller, reader in
            let handle = try reader.u16("connectionHandle")
            let range = try reader.updateParameters()
            let link = try controller.link(handle)
            guard range.isValid else { throw HCIStatus.invalidCommandParameters }
            try controller.update(link, to: range)
            return []
        },
        .leRemoteConnectionParameterRequestReply: ControllerCommand(33, 4, returns: 2, repeatsHandle: true) {
            controller, reader in
            let handle = try reader.u16("connectionHandle")
            let range = try reader.updateParameters()
            let link = try controller.link(handle)
            guard range.isValid else { throw HCIStatus.invalidCommandParameters }
            guard controller.openParameterRequests.remove(handle) != nil else { throw HCIStatus.commandDisallowed }
            try controller.start(.update(range.chosen), on: link)
            return handle.octets
        },
        .leRemoteConnectionParameterRequestNegativeReply: ControllerCommand(33, 5, returns: 2, repeatsHandle: true) {
            controller, reader in
            let handle = try reader.u16("connectionHandle")
            let reason = HCIStatus(rawValue: try reader.u8("reason"))
            try reader.finish()
            let link = try controller.link(handle)
            guard controller.openParameterRequests.remove(handle) != nil else { throw HCIStatus.commandDisallowed }
            try controller.start(.rejectParameters(reason), on: link)
            return handle.octets
        },
        .leSetDataLength: ControllerCommand(33, 6, returns: 2, repeatsHandle: true) { controller, reader in
            let handle = try reader.u16("connectionHandle")
            let octets = try reader.u16("txOctets")
            let time = try reader.u16("txTime")
            try reader.finish()
            let link = try controller.link(handle)
            guard 27...maximumDataOctets ~= octets, 328...17_040 ~= time else {
                throw HCIStatus.invalidCommandParameters
            }
            try controller.start(.changeDataLength(by: link.role, octets: Int(octets)), on: link)
            return handle.octets
        },
        .leReadSuggestedDefaultDataLength: ControllerCommand(33, 7, returns: 4) { controller, reader in
            try reader.finish()
            return controller.host.suggestedTransmitOctets.octets + controller.host.suggestedTransmitTime.octets
        },
        .leWriteSuggestedDefaultDataLength: ControllerCommand(34, 0) { controller, reader in
            let octets = try reader.u16("suggestedTxOctets")
            let time = try reader.u16("suggestedTxTime")
            try reader.finish()
            guard 27...maximumDataOctets ~= octets, 328...17_040 ~= time else {
                throw HCIStatus.invalidCommandParameters
            }
            controller.host.suggestedTransmitOctets = octets
            controller.host.suggestedTransmitTime = time
            return []
        },
        .leReadMaximumDataLength: ControllerCommand(35, 3, returns: 8) { _, reader in
            try reader.finish()
            let pair = maximumDataOctets.octets + maximumDataTime.octets
            return pair + pair
        },
        .leReadPHY: ControllerCommand(35, 4, returns: 4, repeatsHandle: true) { controller, reader in
            let handle = try reader.u16("connectionHandle")
            try reader.finish()
            let phy = try controller.link(handle).link.phy
            return handle.octets + [phy, phy]
        },
        .leSetDefaultPHY: ControllerCommand(35, 5) { controller, reader in
            let phys = try reader.phyPreference()
            try reader.finish()
            controller.host.defaultPHYs = phys
            return []
        },
        .leSetPHY: ControllerCommand(35, 6, .status) { controller, reader in
            let handle = try reader.u16("connectionHandle")
            let phys = try reader.phyPreference()
            _ = try reader.u16("phyOptions")
            try reader.finish()
            let link = try controller.link(handle)
            try controller.start(.changePHY(by: link.role, phy: phys & 2 != 0 ? 2 : 1), on: link)
            return []
        },
    ]

    func link(_ handle: UInt16) throws(HCIStatus) -> HostLink {
        guard let link = host.links[handle] else { throw .unknownConnectionIdentifier }
        return link
    }

    func handle(of link: Link) -> UInt16? {
        guard let handle = link.end(of: self).handle, host.links[handle]?.link === link else { return nil }
        return handle
    }

    /// Bounds the procedures of a link: a broken link must not collect them without end.
    func start(_ procedure: LinkProcedure, on link: HostLink) throws(HCIStatus) {
        guard link.link.procedures.count < 16 else { throw .controllerBusy }
        air.start(procedure, on: link.link)
    }

    private func update(_ link: HostLink, to range: ConnectionParameterRange) throws(HCIStatus) {
        guard link.role == .peripheral else {
            guard link.link.pendingParameters == nil else { throw .controllerBusy }
            try start(.update(range.chosen), on: link)
            return
        }
        guard link.link.central.node.leFeatures.contains(.connectionParametersRequest) else {
            throw .unsupportedRemoteFeature
        }
        try start(.requestParameters(range), on: link)
    }

    // MARK: Notices of the link layer

    func linkOpened(_ link: Link, as role: LinkRole, set: UInt8?) {
        guard let handle = handles.allocate(unless: { host.links[$0] != nil }) else { return }
        let address = link.end(role.other).address
        let peer = device(at: address) ?? SeenDevice(address: address, identity: nil)
        host.links[handle] = HostLink(link: link, role: role, peer: peer.name)
        link.end(role).handle = handle
        let events = advertisingSet(set)?.events.count ?? 0
        if role == .central {
            (host.initiator, faults.isLosingCancel) = (nil, false)
        } else {
            stopAdvertising(set: set)
        }
        emitConnectionComplete(
            .success, handle: handle, as: role, peer: peer, own: link.end(role).address, parameters: link.parameters)
        if role == .peripheral, let set {
            emit(.advertisingSetTerminated, [0, set] + handle.octets + [events])
        }
        if settings.extendedAdvertising { emit(.channelSelectionAlgorithm, handle.octets + [1]) }
        failAtFourthLink()
    }

    func linkClosed(_ link: Link, as role: LinkRole, reason: HCIStatus) {
        guard let handle = handle(of: link) else { return }
        failProcedures(of: link, as: role, handle: handle, reason: reason)
        // Vol 4, Part E, 4.1.1: Disconnection Complete gives back the buffers; no completed-packets event follows.
        host.outstanding -= host.links.removeValue(forKey: handle)?.outstanding ?? 0
        faults.completions.removeAll { $0.handle == handle }
        openParameterRequests.remove(handle)
        emit(.disconnectionComplete, [0] + handle.octets + [reason.rawValue])
    }

    /// Sends the events that hosts still wait for, with the reason of the failure.
    private func failProcedures(of link: Link, as role: LinkRole, handle: UInt16, reason: HCIStatus) {
        for procedure in link.procedures {
            switch procedure {
            case .exchangeFeatures(role):
                emit(.readRemoteFeaturesComplete, [reason.rawValue] + handle.octets + [UInt8](repeating: 0, count: 8))
            case .exchangeVersion(role):
                emit(.readRemoteVersionInformationComplete, [reason.rawValue] + handle.octets + [0, 0, 0, 0, 0])
            case .changePHY(role, _):
                emit(.phyUpdateComplete, [reason.rawValue] + handle.octets + [link.phy, link.phy])
            case .update where role == .central, .requestParameters where role == .peripheral:
                emitUpdateComplete(reason, handle, link)
            default:
                break
            }
        }
        if link.pendingParameters != nil, role == .central { emitUpdateComplete(reason, handle, link) }
    }

    func notified(_ notice: LinkNotice, on link: Link, as role: LinkRole) {
        guard let handle = handle(of: link) else { return }
        switch notice {
        case .remoteFeatures(let features):
            emit(.readRemoteFeaturesComplete, [0] + handle.octets + features.octets)
        case .remoteVersion:
            emit(
                .readRemoteVersionInformationComplete,
                [0] + handle.octets + [Self.coreVersion] + settings.company.octets + Self.subversion.octets)
        case .parametersUpdated(let status):
            emitUpdateComplete(status, handle, link)
        case .parametersRequested(let range):
            askForParameters(range, handle, link)
        case .dataLengthChanged:
            let sent = UInt16(link.end(role).transmitOctets)
            let received = UInt16(link.end(role.other).transmitOctets)
            emit(
                .dataLengthChange,
                handle.octets + sent.octets + ((sent + 14) * 8).octets + received.octets + ((received + 14) * 8).octets)
        case .phyUpdated(let status):
            emit(.phyUpdateComplete, [status.rawValue] + handle.octets + [link.phy, link.phy])
        case .keyRequested(let rand, let ediv):
            keyRequested(rand: rand, ediv: ediv, on: link, handle)
        case .encryptionChanged(let status, let isRefresh):
            encryptionChanged(status, isRefresh: isRefresh, handle)
        }
    }

    private func emitUpdateComplete(_ status: HCIStatus, _ handle: UInt16, _ link: Link) {
        let parameters = link.parameters
        emit(
            .connectionUpdateComplete,
            [status.rawValue] + handle.octets + parameters.interval.octets + parameters.latency.octets
                + parameters.supervisionTimeout.octets)
    }

    private func askForParameters(_ range: ConnectionParameterRange, _ handle: UInt16, _ link: Link) {
        // Vol 4, Part E, 7.7.65.6: with the event masked the controller refuses by itself.
        guard isUnmasked(.remoteConnectionParameterRequest) else {
            air.start(.rejectParameters(.unsupportedRemoteFeature), on: link)
            return
        }
        openParameterRequests.insert(handle)
        emit(
            .remoteConnectionParameterRequest,
            handle.octets + range.minimumInterval.octets + range.maximumInterval.octets + range.latency.octets
                + range.supervisionTimeout.octets)
    }
}

extension ByteReader {
    /// Interval range, latency, time-out, and the event lengths, which change nothing here.
    fileprivate mutating func updateParameters() throws -> ConnectionParameterRange {
        let range = ConnectionParameterRange(
            minimumInterval: try u16("minimumInterval"), maximumInterval: try u16("maximumInterval"),
            latency: try u16("latency"), supervisionTimeout: try u16("supervisionTimeout"))
        _ = try u16("minimumEventLength")
        _ = try u16("maximumEventLength")
        try finish()
        return range
    }

    /// The PHYs the host wants for sending: bit 0 LE 1M, bit 1 LE 2M.
    fileprivate mutating func phyPreference() throws -> UInt8 {
        let all = try u8("allPHYs")
        let sending = try u8("txPHYs")
        let receiving = try u8("rxPHYs")
        guard all & 1 != 0 || sending & 0b111 != 0, all & 2 != 0 || receiving & 0b111 != 0 else {
            throw HCIStatus.invalidCommandParameters
        }
        let wanted = all & 1 != 0 ? 0b11 : sending
        guard wanted & 0b11 != 0 else { throw HCIStatus.unsupportedFeature }
        return wanted
    }
}
