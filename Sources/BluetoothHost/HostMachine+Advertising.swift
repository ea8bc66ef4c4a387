// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// Advertising for clients: who has which advertiser of the controller, and what each of them sends.
extension HostMachine {
    /// Advertisers that are used at most, whatever the controller has.
    static let advertiserLimit = 16

    /// Replaces what `client` advertises; nil: nothing. Ends by itself, with ``HostEvent/advertisingEnded(_:)``, when its
    /// duration is over and when the host does not stay ready: clients ask again then.
    package mutating func setAdvertising(_ demand: AdvertisingDemand?, for client: ClientID, at now: MonotonicTime) {
        guard let demand else {
            roster.set(nil, for: client, at: now)
            pump(at: now)
            return
        }
        if let refusal = refusal(of: demand) {
            roster.set(nil, for: client, at: now)
            events.append(.advertisingFailed(client, refusal), for: ClientSet(client))
        } else {
            roster.set(demand, for: client, at: now)
        }
        pump(at: now)
    }

    private func refusal(of demand: AdvertisingDemand) -> HCIStatus? {
        guard state == .ready else { return .commandDisallowed }
        // A peer behind private addresses does not answer to its identity address. Core 5.4, Vol 3, Part C, 9.3.3.
        if case .directed(let target, _) = demand.kind, privacy.isWanted, bonds.mayBePrivate(target) {
            return .unsupportedFeature
        }
        if demand.fitsLegacyPDUs { return nil }
        guard controller.usesExtendedCommands else { return .memoryCapacityExceeded }
        // Extended advertisements are connectable or scannable, never both: all data is in one place.
        guard demand.data.count + demand.scanResponse.count <= controller.maximumAdvertisingData else {
            return .memoryCapacityExceeded
        }
        switch demand.secondaryPHY {
        case .le1M: return nil
        case .le2M: return controller.features.contains(.le2M) ? nil : .unsupportedFeature
        case .leCoded: return controller.features.contains(.leCoded) ? nil : .unsupportedFeature
        }
    }

    /// The address that peers know us by.
    package var identityAddress: DeviceAddress { controller.address.value == 0 ? randomAddress : controller.address }

    /// The address that is on the air: with privacy a private one, as soon as there is one.
    private var advertisedAddress: DeviceAddress {
        guard privacy.mode != .off, let address = privacy.address else { return identityAddress }
        return address
    }

    // MARK: The plan

    /// What the advertiser at `place` should send now; nil: nothing.
    private func setup(at place: Int) -> AdvertisingSetup? {
        guard let entry = roster.entry(of: roster.holders[place]), let kind = possibleKind(entry.demand.kind) else {
            return nil
        }
        let timing = entry.demand.timing
        var intervals = entry.isFastUntil == .zero ? timing.slow : timing.fast
        // Before Bluetooth 5: at least 100 ms when nobody can connect. Core 4.2, Vol 2, Part E, 7.8.5.
        if !kind.isConnectable, controller.hciVersion < 9 { intervals = intervals.atLeast(0xA0) }
        return AdvertisingSetup(
            entry.demand, kind: kind, intervals: intervals, address: advertisedAddress,
            setID: UInt8(truncatingIfNeeded: place))
    }

    /// `kind`, or what the controller can do of it beside the links that there are; nil: nothing.
    private func possibleKind(_ kind: AdvertisingKind) -> AdvertisingKind? {
        guard kind.isConnectable, !links.isEmpty else { return kind }
        if learned.isConnectable(beside: links.count), goesWithLinks(kind) { return kind }
        // A directed advertisement that cannot be answered is of no use to anybody.
        guard kind == .connectable else { return nil }
        return [.scannable, .nonConnectable].first(where: goesWithLinks)
    }

    private func goesWithLinks(_ kind: AdvertisingKind) -> Bool {
        var needed: LEStates = []
        if links.hasLink(as: .central) { needed.insert(.advertising(kind, and: .central)) }
        if links.hasLink(as: .peripheral) { needed.insert(.advertising(kind, and: .peripheral)) }
        return controller.states.isSuperset(of: needed)
    }

    /// Kinds that are to be advertised now.
    var advertisedKinds: [AdvertisingKind] {
        guard roster.hasDemand else { return [] }
        return roster.holders.indices.compactMap { setup(at: $0)?.parameters.kind }
    }

    var isAdvertising: Bool { advertisers.contains(where: \.isActive) }

    /// An advertiser cannot go on unless the controller does nothing else for a moment.
    var advertisingNeedsQuiet: Bool {
        roster.hasDemand
            && advertisers.indices.contains { place in
                roster.holders.indices.contains(place) && advertisers[place].needsQuiet(for: setup(at: place))
            }
    }

    mutating func planAdvertising(mayAdvertise: Bool, isQuiet: Bool, at now: MonotonicTime) {
        guard roster.hasDemand || isAdvertising || advertisers.contains(where: { $0.deadline != nil }) else { return }
        for client in roster.expire(at: now) { events.append(.advertisingEnded(client), for: ClientSet(client)) }
        roster.takeTurns(hasRadio: mayAdvertise, at: now)
        for place in advertisers.indices where roster.holders.indices.contains(place) {
            let wanted = mayAdvertise ? setup(at: place) : nil
            guard let effect = advertisers[place].next(wanted: wanted, isQuiet: isQuiet, at: now) else { continue }
            perform(effect, at: place)
        }
    }

    private mutating func perform(_ effect: AdvertiserMachine.Effect, at place: Int) {
        let set = UInt8(truncatingIfNeeded: place)
        guard controller.usesExtendedCommands else {
            performLegacy(effect, at: place)
            return
        }
        switch effect {
        case .setParameters(let parameters):
            submit(LESetExtendedAdvertisingParameters(set: set, parameters: parameters), for: .advertiser(place))
        case .setAddress(let address):
            submit(LESetAdvertisingSetRandomAddress(set: set, address: address), for: .advertiser(place))
        case .setData(let data, let operation):
            submit(LESetExtendedAdvertisingData(set: set, operation: operation, data: data), for: .advertiser(place))
        case .setScanResponse(let data, let operation):
            submit(LESetExtendedScanResponseData(set: set, operation: operation, data: data), for: .advertiser(place))
        case .enable(let isHighDuty):
            submit(
                LESetExtendedAdvertisingEnable(enable: true, set: set, duration: isHighDuty ? 128 : 0),
                for: .advertiser(place))
        case .disable: submit(LESetExtendedAdvertisingEnable(enable: false, set: set), for: .advertiser(place))
        case .remove: submit(LERemoveAdvertisingSet(set: set), for: .advertiser(place))
        }
    }

    private mutating func performLegacy(_ effect: AdvertiserMachine.Effect, at place: Int) {
        switch effect {
        case .setParameters(let parameters):
            submit(LESetAdvertisingParameters(parameters: parameters), for: .advertiser(place))
        case .setAddress(let address):
            submit(LESetRandomAddress(address: address), for: .randomAddress(address, advertiser: place))
        case .setData(let data, _): submit(LESetAdvertisingData(data: data), for: .advertiser(place))
        case .setScanResponse(let data, _): submit(LESetScanResponseData(data: data), for: .advertiser(place))
        case .enable: submit(LESetAdvertisingEnable(enable: true), for: .advertiser(place))
        case .disable, .remove: submit(LESetAdvertisingEnable(enable: false), for: .advertiser(place))
        }
    }

    // MARK: What the controller says

    /// Takes the answer to a command of an advertiser.
    mutating func advertiserAnswered(_ place: Int, _ status: HCIStatus, at now: MonotonicTime) {
        guard advertisers.indices.contains(place), roster.holders.indices.contains(place) else { return }
        let wanted = setup(at: place)
        let refusal = advertisers[place].answered(status, at: now)
        guard let entry = roster.entry(of: roster.holders[place]) else { return }
        if let refusal {
            advertiserRefused(refusal, wanted, for: entry.client, at: now)
        } else if !entry.isAnnounced, let wanted, advertisers[place].isRunning(wanted) {
            roster.announced(entry.client)
            events.append(.advertisingStarted(entry.client), for: ClientSet(entry.client))
        }
    }

    private mutating func advertiserRefused(
        _ refusal: AdvertiserMachine.Refusal, _ wanted: AdvertisingSetup?, for client: ClientID, at now: MonotonicTime
    ) {
        let isConnectable = wanted?.parameters.kind.isConnectable == true
        if case .enable = refusal.effect {
            if refusal.status == .commandDisallowed { learned.refused(.advertise, beside: activeUsers) }
            // A controller that is connectable without links only may say so with any of these.
            let limits: [HCIStatus] = [
                .connectionLimitExceeded, .connectionRejectedLimitedResources, .commandDisallowed,
            ]
            if isConnectable, !links.isEmpty, limits.contains(refusal.status),
                refusal.status != .commandDisallowed || refusal.isFinal
            {
                learned.refusedConnectable(beside: links.count)
                return
            }
        }
        guard refusal.isFinal else { return }
        roster.set(nil, for: client, at: now)
        events.append(.advertisingFailed(client, refusal.status), for: ClientSet(client))
    }

    /// Connectable advertising of the legacy advertiser ended with a connection; extended sets say so themselves.
    mutating func legacyAdvertisingEnded() {
        guard !controller.usesExtendedCommands, !advertisers.isEmpty else { return }
        advertisers[0].ended()
    }

    mutating func advertisingTerminated(_ termination: LEAdvertisingSetTerminated, at now: MonotonicTime) {
        let place = Int(termination.set)
        guard advertisers.indices.contains(place) else { return }
        if termination.status == .success {
            noteAdvertiser(place, of: termination.handle)
            // The link should have come first; there are controllers that tell of it afterwards.
            if links[termination.handle] == nil, advertisers[place].connectableAddress != nil {
                invited.insert(termination.handle)
            }
        }
        advertisers[place].ended()
        if termination.status != .success { directedAdvertisingTimedOut(at: place, at: now) }
    }

    /// High duty cycle directed advertising is over after 1.28 s.
    mutating func directedAdvertisingTimedOut(at place: Int, at now: MonotonicTime) {
        guard roster.holders.indices.contains(place), let entry = roster.entry(of: roster.holders[place]),
            entry.demand.kind.isHighDuty
        else { return }
        roster.set(nil, for: entry.client, at: now)
        events.append(.advertisingEnded(entry.client), for: ClientSet(entry.client))
    }

    /// The host is not ready any more: nothing is advertised, and clients that want it again have to say so.
    mutating func dropAdvertising() {
        for entry in roster.entries {
            events.append(.advertisingEnded(entry.client), for: ClientSet(entry.client))
        }
        resetAdvertisers()
    }

    mutating func resetAdvertisers() {
        let isExtended = controller.usesExtendedCommands
        invited = []
        let count = isExtended ? min(controller.advertisingSets, Self.advertiserLimit) : 1
        roster = AdvertisingRoster(capacity: count)
        // The set-up has given a controller without a public address its random one.
        let address = !isExtended && controller.address.value == 0 ? randomAddress : nil
        advertisers = Array(
            repeating: AdvertiserMachine(isExtended: isExtended, address: address), count: roster.holders.count)
    }
}
