// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// Advertising for clients. Sends the commands and reports the events of ``AdvertisingMachine``.
extension HostMachine {
    /// Replaces the advertising of `client`; nil: none any more. Advertising ends by itself, with
    /// ``HostEvent/advertisingEnded(_:)``, when its duration is over and when the host does not stay ready. Clients
    /// then ask again.
    package mutating func setAdvertising(_ demand: AdvertisingDemand?, for client: ClientID, at now: MonotonicTime) {
        guard let demand else {
            advertising.set(nil, for: client, at: now)
            pump(at: now)
            return
        }
        if let refusal = refusal(of: demand) {
            advertising.set(nil, for: client, at: now)
            events.append(.advertisingFailed(client, refusal), for: ClientSet(client))
        } else {
            advertising.set(demand, for: client, at: now)
        }
        pump(at: now)
    }

    private func refusal(of demand: AdvertisingDemand) -> HCIStatus? {
        guard state == .ready else { return .commandDisallowed }
        // A peer behind private addresses does not answer to its identity address. Core 5.4, Vol 3, Part C, 9.3.3.
        if case .directed(let target, _) = demand.kind, addresses.privacy.isWanted, bonds.mayBePrivate(target) {
            return .unsupportedFeature
        }
        if demand.fitsLegacyPDUs { return nil }
        guard controller.usesExtendedCommands else { return .memoryCapacityExceeded }
        // Extended advertisements are connectable or scannable, never both, so all data is in one place.
        guard demand.data.count + demand.scanResponse.count <= controller.maximumAdvertisingData else {
            return .memoryCapacityExceeded
        }
        switch demand.secondaryPHY {
        case .le1M: return nil
        case .le2M: return controller.features.contains(.le2M) ? nil : .unsupportedFeature
        case .leCoded: return controller.features.contains(.leCoded) ? nil : .unsupportedFeature
        }
    }

    // MARK: The plan

    /// Conditions of advertising beside the wishes of clients.
    var advertisingConditions: AdvertisingConditions {
        AdvertisingConditions(
            hciVersion: controller.hciVersion, states: controller.states, isCentral: links.hasLink(as: .central),
            isPeripheral: links.hasLink(as: .peripheral),
            isConnectableBesideLinks: radio.isConnectable(beside: links.count),
            address: addresses.advertised(with: controller))
    }

    /// Kinds of the advertisements to send now.
    var advertisedKinds: [AdvertisingKind] {
        advertising.hasDemand ? advertising.kinds(under: advertisingConditions) : []
    }

    /// An advertiser cannot go on unless the controller does nothing else for a moment.
    var advertisingNeedsQuiet: Bool {
        advertising.hasDemand && advertising.needsQuiet(under: advertisingConditions)
    }

    mutating func planAdvertising(mayAdvertise: Bool, isQuiet: Bool, at now: MonotonicTime) {
        guard advertising.hasPlan else { return }
        let conditions = advertisingConditions
        perform(advertising.plan(mayAdvertise: mayAdvertise, isQuiet: isQuiet, under: conditions, at: now))
    }

    mutating func perform(_ effects: [AdvertisingMachine.Effect]) {
        for effect in effects {
            switch effect {
            // The command before found no room, and the controller is given up.
            case .command where state != .ready: break
            case .command(let command, let place):
                if controller.usesExtendedCommands {
                    perform(command, at: place)
                } else {
                    performLegacy(command, at: place)
                }
            case .started(let client): events.append(.advertisingStarted(client), for: ClientSet(client))
            case .ended(let client): events.append(.advertisingEnded(client), for: ClientSet(client))
            case .failed(let client, let status, _):
                events.append(.advertisingFailed(client, status), for: ClientSet(client))
            case .disallowed: radio.refused(.advertise, beside: activeUsers)
            case .connectableRefused: radio.refusedConnectable(beside: links.count)
            }
        }
    }

    private mutating func perform(_ effect: AdvertiserMachine.Effect, at place: Int) {
        let set = UInt8(truncatingIfNeeded: place)
        let purpose = CommandPurpose.advertiser(place)
        switch effect {
        case .setParameters(let parameters):
            submit(LESetExtendedAdvertisingParameters(set: set, parameters: parameters), for: purpose)
        case .setAddress(let address):
            submit(LESetAdvertisingSetRandomAddress(set: set, address: address), for: purpose)
        case .setData(let data, let operation):
            submit(LESetExtendedAdvertisingData(set: set, operation: operation, data: data), for: purpose)
        case .setScanResponse(let data, let operation):
            submit(LESetExtendedScanResponseData(set: set, operation: operation, data: data), for: purpose)
        case .enable(let isHighDuty):
            let duration: UInt16 = isHighDuty ? 128 : 0
            submit(LESetExtendedAdvertisingEnable(enable: true, set: set, duration: duration), for: purpose)
        case .disable: submit(LESetExtendedAdvertisingEnable(enable: false, set: set), for: purpose)
        case .remove: submit(LERemoveAdvertisingSet(set: set), for: purpose)
        }
    }

    private mutating func performLegacy(_ effect: AdvertiserMachine.Effect, at place: Int) {
        let purpose = CommandPurpose.advertiser(place)
        switch effect {
        case .setParameters(let parameters): submit(LESetAdvertisingParameters(parameters: parameters), for: purpose)
        case .setAddress(let address):
            submit(LESetRandomAddress(address: address), for: .randomAddress(address, advertiser: place))
        case .setData(let data, _): submit(LESetAdvertisingData(data: data), for: purpose)
        case .setScanResponse(let data, _): submit(LESetScanResponseData(data: data), for: purpose)
        case .enable: submit(LESetAdvertisingEnable(enable: true), for: purpose)
        case .disable, .remove: submit(LESetAdvertisingEnable(enable: false), for: purpose)
        }
    }

    // MARK: Events of the controller

    /// A connection has ended the connectable advertising of the legacy advertiser. Extended sets report their own end.
    mutating func legacyAdvertisingEnded() {
        if !controller.usesExtendedCommands { advertising.ended(at: 0) }
    }

    mutating func advertisingTerminated(_ termination: LEAdvertisingSetTerminated, at now: MonotonicTime) {
        let place = Int(termination.set)
        if termination.status == .success, let address = advertising.connectableAddress(at: place) {
            switch links[termination.handle]?.role {
            case .peripheral:
                // Only now is it known which set led to the link.
                let local = controller.concrete(address)
                links[termination.handle]?.addresses.local = local
            case .central: break
            // The link's event should have come first. Some controllers send it afterwards.
            case nil: advertising.invite(termination.handle)
            }
        }
        advertising.ended(at: place)
        if termination.status != .success { directedAdvertisingTimedOut(at: place, at: now) }
    }

    /// High duty cycle directed advertising is over after 1.28 s.
    mutating func directedAdvertisingTimedOut(at place: Int, at now: MonotonicTime) {
        perform(advertising.directedTimedOut(at: place, at: now))
    }

    /// The host is not ready any more. Nothing is advertised, and clients have to ask again.
    mutating func dropAdvertising() {
        for client in advertising.clients { events.append(.advertisingEnded(client), for: ClientSet(client)) }
        resetAdvertisers()
    }

    mutating func resetAdvertisers() {
        let isExtended = controller.usesExtendedCommands
        // The set-up has given our random address to a controller without a public address.
        let address = isExtended || controller.hasAddress ? nil : addresses.random
        advertising.restart(
            isExtended: isExtended, count: isExtended ? controller.advertisingSets : 1, address: address)
    }
}
