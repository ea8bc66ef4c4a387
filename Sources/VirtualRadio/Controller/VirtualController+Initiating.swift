// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// Creating connections by both families of commands.
extension VirtualController {
    static let initiatingCommands: [HCIOpcode: ControllerCommand] = [
        .leCreateConnection: ControllerCommand(26, 4, .status, .legacy) { controller, reader in
            let interval = try reader.u16("scanInterval")
            let window = try reader.u16("scanWindow")
            let policy = try reader.u8("filterPolicy")
            let peerType = try reader.u8("peerAddressType")
            let peer = try reader.u48("peerAddress")
            let ownAddressType = try reader.u8("ownAddressType")
            let range = try reader.connectionParameters()
            try reader.finish()
            guard interval <= 0x4000 else { throw HCIStatus.invalidCommandParameters }
            try controller.initiate(
                policy: policy, peerType: peerType, peer: peer, ownAddressType: ownAddressType, interval: interval,
                window: window, range: range)
            return []
        },
        .leCreateConnectionCancel: ControllerCommand(26, 5) { controller, reader in
            try reader.finish()
            guard controller.host.initiator != nil else { throw HCIStatus.commandDisallowed }
            guard !controller.losesCancel() else { return [] }
            controller.afterAnswer.append { [unowned controller] in
                controller.host.initiator = nil
                controller.emitConnectionFailure(.unknownConnectionIdentifier, as: .central, peer: nil)
            }
            return []
        },
        .leExtendedCreateConnection: ControllerCommand(37, 7, .status, .extended) { controller, reader in
            let policy = try reader.u8("filterPolicy")
            let ownAddressType = try reader.u8("ownAddressType")
            let peerType = try reader.u8("peerAddressType")
            let peer = try reader.u48("peerAddress")
            let phys = try reader.u8("initiatingPHYs")
            guard phys != 0, phys & ~0b111 == 0 else { throw HCIStatus.invalidCommandParameters }
            var first: (interval: UInt16, window: UInt16, range: ConnectionParameterRange)?
            for bit in 0..<3 where phys >> UInt8(bit) & 1 == 1 {
                let interval = try reader.u16("scanInterval")
                let window = try reader.u16("scanWindow")
                let range = try reader.connectionParameters()
                guard range.isValid, window >= 4, window <= interval else { throw HCIStatus.invalidCommandParameters }
                first = first ?? (interval, window, range)
            }
            try reader.finish()
            // No device advertises on 2M alone.
            guard phys & 0b101 != 0, let first else { throw HCIStatus.invalidCommandParameters }
            guard phys & 0b100 == 0 || controller.settings.codedPHY else { throw HCIStatus.unsupportedFeature }
            try controller.initiate(
                policy: policy, peerType: peerType, peer: peer, ownAddressType: ownAddressType,
                interval: first.interval, window: first.window, range: first.range)
            controller.host.initiator?.phys = phys
            return []
        },
    ]

    private func initiate(
        policy: UInt8, peerType: UInt8, peer: UInt64, ownAddressType: UInt8, interval: UInt16, window: UInt16,
        range: ConnectionParameterRange
    ) throws(HCIStatus) {
        guard host.initiator == nil else { throw .commandDisallowed }
        try checkInitiating()
        guard policy <= 1, interval >= 4, window >= 4, window <= interval, range.isValid else {
            throw .invalidCommandParameters
        }
        var address: DeviceAddress?
        if policy == 0 {
            // Types 2 and 3 are identities of the resolving list; since there are privacy modes, types 0 and 1 are,
            // too.
            guard peerType <= 3 else { throw .invalidCommandParameters }
            let target = DeviceAddress(kind: peerType & 1 == 0 ? .public : .random, value: peer)
            guard !host.links.values.contains(where: { $0.peer == target }) else { throw .connectionAlreadyExists }
            address = target
        }
        _ = try ownAddress(type: ownAddressType, random: host.randomAddress)
        guard host.links.count < settings.maximumLinks else { throw .connectionLimitExceeded }
        host.initiator = Initiator(
            peer: address, ownAddressType: ownAddressType, parameters: range.chosen, interval: interval, window: window,
            startedAt: air.now)
    }

    /// Two devices have at most one link. Vol 6, Part B, 4.5.
    func isConnected(to device: SeenDevice) -> Bool { host.links.values.contains { device.isMeant(by: $0.peer) } }

    /// This controller's answer to an advertisement, if it is looking for the advertiser.
    func connectionRequest(for pdu: AdvertisingPDU) -> ConnectionRequest? {
        guard !isWedged, !faults.isDeaf, let initiator = host.initiator, pdu.isConnectable,
            let advertiser = pdu.advertiser,
            pdu.isLegacy || host.commandSet == .extended, initiator.phys >> (pdu.primaryPHY - 1) & 1 == 1,
            let device = device(at: advertiser),
            isOpen(window: initiator.window, interval: initiator.interval, since: initiator.startedAt, at: air.now)
        else { return nil }
        if let target = pdu.target, !isOurs(target, of: device, ownAddressType: initiator.ownAddressType) { return nil }
        if let peer = initiator.peer {
            guard device.isMeant(by: peer) else { return nil }
        } else {
            guard isInAcceptList(device) else { return nil }
        }
        guard !isConnected(to: device),
            let own = try? ownAddress(
                type: initiator.ownAddressType, random: host.randomAddress, towards: device.name)
        else { return nil }
        guard !failsToConnect() else { return nil }
        return ConnectionRequest(initiator: own, parameters: initiator.parameters)
    }

    /// LE Connection Complete for a failed connection, in the form that the host unmasked.
    func emitConnectionFailure(_ status: HCIStatus, as role: LinkRole, peer: DeviceAddress?) {
        let peer = SeenDevice(address: peer ?? DeviceAddress(kind: .public, value: 0), identity: nil)
        emitConnectionComplete(
            status, handle: 0, as: role, peer: peer, own: publicAddress,
            parameters: ConnectionParameters(interval: 0, latency: 0, supervisionTimeout: 0))
    }

    func emitConnectionComplete(
        _ status: HCIStatus, handle: UInt16, as role: LinkRole, peer: SeenDevice, own: DeviceAddress,
        parameters: ConnectionParameters
    ) {
        let isEnhanced = isUnmasked(.enhancedConnectionComplete)
        var event: [UInt8] = [status.rawValue]
        event.append(u16: handle)
        event.append(role.rawValue)
        event.append(peer)
        if isEnhanced {
            // The event only names private addresses that the controller made.
            let isMade = host.resolvingList.entries.contains { $0.local?.address == own }
            event.append(u48: isMade ? own.value : 0)
            event.append(u48: peer.identity == nil ? 0 : peer.address.value)
        }
        event.append(u16: parameters.interval)
        event.append(u16: parameters.latency)
        event.append(u16: parameters.supervisionTimeout)
        event.append(0)
        emit(isEnhanced ? .enhancedConnectionComplete : .connectionComplete, event)
    }
}

extension ByteReader {
    fileprivate mutating func connectionParameters() throws -> ConnectionParameterRange {
        let range = ConnectionParameterRange(
            minimumInterval: try u16("minimumInterval"), maximumInterval: try u16("maximumInterval"),
            latency: try u16("latency"), supervisionTimeout: try u16("supervisionTimeout"))
        _ = try u16("minimumEventLength")
        _ = try u16("maximumEventLength")
        guard range.isValid else { throw HCIStatus.invalidCommandParameters }
        return range
    }
}
