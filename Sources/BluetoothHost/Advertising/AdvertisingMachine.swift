// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// Advertises for all clients. ``AdvertisingRoster`` gives the controller's advertisers to clients; an
/// ``AdvertiserMachine`` drives each advertiser. Each place of the roster keeps its advertiser from one set-up of the
/// controller to the next.
struct AdvertisingMachine: Sendable {
    enum Effect: Equatable, Sendable {
        /// A command to the advertiser at a place; ``answered(_:at:under:at:)`` takes its status.
        case command(AdvertiserMachine.Effect, place: Int)
        case started(ClientID)
        case ended(ClientID)
        /// `isOfDemand`: another demand may be granted.
        case failed(ClientID, HCIStatus, isOfDemand: Bool)
        /// The controller did not let an advertiser begin now.
        case disallowed
        /// The controller is not connectable beside the present number of links.
        case connectableRefused
    }

    /// The host uses at most this many advertisers, whatever the controller has.
    static let limit = 16

    private var roster: AdvertisingRoster
    /// An advertiser for each place of the roster.
    private var advertisers: [AdvertiserMachine]
    /// Handles of links that have ended an advertiser, and that the controller has not reported yet.
    private var invited: Set<UInt16> = []
    /// No advertiser is connectable before this time.
    private var closedUntil: MonotonicTime?

    /// `advertisers`: the controller's, at least 1.
    init(advertisers: [AdvertiserMachine] = [AdvertiserMachine(isExtended: false)]) {
        roster = AdvertisingRoster(capacity: advertisers.count)
        self.advertisers = advertisers
    }

    /// The controller is set up: it has `count` advertisers, and all are off. `address`: the controller's only random
    /// address, if it has been set.
    mutating func restart(isExtended: Bool, count: Int, address: DeviceAddress?) {
        self = AdvertisingMachine(
            advertisers: Array(
                repeating: AdvertiserMachine(isExtended: isExtended, address: address),
                count: max(1, min(count, Self.limit))))
    }

    // MARK: Clients

    var hasDemand: Bool { roster.hasDemand }

    /// Clients with a demand.
    var clients: [ClientID] { roster.entries.map(\.client) }

    /// Replaces the demand of `client`; nil: none any more.
    mutating func set(_ demand: AdvertisingDemand?, for client: ClientID, at now: MonotonicTime) {
        roster.set(demand, for: client, at: now)
    }

    /// A Central has left, and may want to come back.
    mutating func hurry(at now: MonotonicTime) { roster.hurry(at: now) }

    /// Ends connectable advertising until `time`: a free place of the controller is for a client.
    mutating func close(until time: MonotonicTime) { closedUntil = time }

    /// Ends this time, if it is over.
    mutating func reopen(at now: MonotonicTime) {
        if let time = closedUntil, time <= now { closedUntil = nil }
    }

    // MARK: The plan

    /// When to plan again though nothing happened.
    var deadline: MonotonicTime? {
        // Without a demand nothing is planned, and a deadline would stay in the past.
        var earliest = MonotonicTime.earlier(roster.deadline, roster.hasDemand ? closedUntil : nil)
        for advertiser in advertisers { earliest = .earlier(earliest, advertiser.deadline) }
        return earliest
    }

    var isActive: Bool { advertisers.contains(where: \.isActive) }

    /// The set-up for the advertiser at `place` now; nil: none.
    private func setup(at place: Int, under conditions: AdvertisingConditions) -> AdvertisingSetup? {
        guard let entry = roster.entry(of: roster.holders[place]),
            let kind = conditions.possible(entry.demand.kind, isOpen: closedUntil == nil)
        else { return nil }
        let timing = entry.demand.timing
        let intervals = entry.isFastUntil == .zero ? timing.slow : timing.fast
        return AdvertisingSetup(
            entry.demand, kind: kind, intervals: conditions.allowed(intervals, for: kind), address: conditions.address,
            setID: UInt8(truncatingIfNeeded: place))
    }

    /// Kinds of the advertisements to send now.
    func kinds(under conditions: AdvertisingConditions) -> [AdvertisingKind] {
        roster.holders.indices.compactMap { setup(at: $0, under: conditions)?.parameters.kind }
    }

    /// An advertiser cannot go on unless the controller does nothing else for a moment.
    func needsQuiet(under conditions: AdvertisingConditions) -> Bool {
        advertisers.indices.contains { advertisers[$0].needsQuiet(for: setup(at: $0, under: conditions)) }
    }

    /// Something is to be advertised, or to be switched off.
    var hasPlan: Bool { roster.hasDemand || isActive || advertisers.contains { $0.deadline != nil } }

    /// Moves each advertiser on by one step. `isQuiet`: nothing else uses the radio.
    mutating func plan(
        mayAdvertise: Bool, isQuiet: Bool, under conditions: AdvertisingConditions, at now: MonotonicTime
    ) -> [Effect] {
        var effects = roster.expire(at: now).map { Effect.ended($0) }
        roster.takeTurns(hasRadio: mayAdvertise, at: now)
        for place in advertisers.indices {
            let wanted = mayAdvertise ? setup(at: place, under: conditions) : nil
            guard let step = advertisers[place].next(wanted: wanted, isQuiet: isQuiet, at: now) else { continue }
            effects.append(.command(step, place: place))
        }
        return effects
    }

    // MARK: Answers of the controller

    /// Takes the status of a command to the advertiser at `place`.
    mutating func answered(
        _ status: HCIStatus, at place: Int, under conditions: AdvertisingConditions, at now: MonotonicTime
    ) -> [Effect] {
        guard advertisers.indices.contains(place) else { return [] }
        let wanted = setup(at: place, under: conditions)
        let refusal = advertisers[place].answered(status, at: now)
        guard let entry = roster.entry(of: roster.holders[place]) else { return [] }
        if let refusal { return refused(refusal, wanted, for: entry.client, under: conditions, at: now) }
        guard !entry.isAnnounced, let wanted, advertisers[place].isRunning(wanted) else { return [] }
        roster.announced(entry.client)
        return [.started(entry.client)]
    }

    private mutating func refused(
        _ refusal: AdvertiserMachine.Refusal, _ wanted: AdvertisingSetup?, for client: ClientID,
        under conditions: AdvertisingConditions, at now: MonotonicTime
    ) -> [Effect] {
        var effects: [Effect] = []
        if case .enable = refusal.effect {
            if refusal.status == .commandDisallowed { effects.append(.disallowed) }
            // A controller that is connectable only without links may refuse with any of these statuses.
            let limits: [HCIStatus] = [
                .connectionLimitExceeded, .connectionRejectedLimitedResources, .commandDisallowed,
            ]
            if wanted?.parameters.kind.isConnectable == true, conditions.hasLinks,
                limits.contains(refusal.status), refusal.status != .commandDisallowed || refusal.isFinal
            {
                return effects + [.connectableRefused]
            }
        }
        guard refusal.isFinal else { return effects }
        let isOfDemand = conditions.hasLinks || roster.entry(of: client)?.demand.isForAnyController == false
        roster.set(nil, for: client, at: now)
        return effects + [.failed(client, refusal.status, isOfDemand: isOfDemand)]
    }

    /// The controller's only random address has changed to `address`.
    mutating func controllerHas(_ address: DeviceAddress) {
        for place in advertisers.indices { advertisers[place].hasControllerAddress(address) }
    }

    /// An advertiser has ended: with a link, or because its time is over.
    mutating func ended(at place: Int) {
        if advertisers.indices.contains(place) { advertisers[place].ended() }
    }

    /// High duty cycle directed advertising is on, or wanted.
    var isHighDuty: Bool { roster.entries.contains { $0.demand.kind.isHighDuty } }

    /// High duty cycle directed advertising is over after 1.28 s.
    mutating func directedTimedOut(at place: Int, at now: MonotonicTime) -> [Effect] {
        guard roster.holders.indices.contains(place), let entry = roster.entry(of: roster.holders[place]),
            entry.demand.kind.isHighDuty
        else { return [] }
        roster.set(nil, for: entry.client, at: now)
        return [.ended(entry.client)]
    }

    // MARK: Links from advertising

    /// The address with which the advertiser at `place` is connectable; nil: not connectable, or an unknown place.
    func connectableAddress(at place: Int) -> DeviceAddress? {
        advertisers.indices.contains(place) ? advertisers[place].connectableAddress : nil
    }

    /// The address with which some advertiser is connectable. As a rule, all advertisers share an address.
    var connectableAddress: DeviceAddress? { advertisers.lazy.compactMap(\.connectableAddress).first }

    /// Advertising has led to a link, and the controller has not reported the link yet: some controllers do so
    /// afterwards.
    mutating func invite(_ handle: UInt16) { invited.insert(handle) }

    /// True if the link of `handle` may come from our advertising: a client advertises connectably now, or did so until
    /// just now. A controller that lies, or was left behind in another state, makes links that no client asked for.
    mutating func isInvited(_ handle: UInt16) -> Bool {
        // Removed in any case, because another link may have the handle later.
        let wasInvited = invited.remove(handle) != nil
        return wasInvited || connectableAddress != nil
    }
}
