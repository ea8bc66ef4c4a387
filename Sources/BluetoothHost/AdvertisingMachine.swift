// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// What is advertised for all clients: who has which advertiser of the controller (``AdvertisingRoster``), and what each of
/// them is doing (``AdvertiserMachine``). Each place of the roster has one advertiser, from one set-up of the controller to
/// the next.
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
        /// It is not connectable beside so many links as there are.
        case connectableRefused
    }

    /// Advertisers that are used at most, whatever the controller has.
    static let limit = 16

    private var roster: AdvertisingRoster
    /// One for each place of the roster.
    private var advertisers: [AdvertiserMachine]
    /// Connection handles of links that advertising has ended with, and that the controller has not told of yet.
    private var invited: Set<UInt16> = []

    /// `advertisers`: those of the controller, at least 1.
    init(advertisers: [AdvertiserMachine] = [AdvertiserMachine(isExtended: false)]) {
        roster = AdvertisingRoster(capacity: advertisers.count)
        self.advertisers = advertisers
    }

    /// The controller is set up: it has `count` advertisers. `address`: the random one that it has been given for its only
    /// one. Nothing is advertised any more.
    mutating func restart(isExtended: Bool, count: Int, address: DeviceAddress?) {
        self = AdvertisingMachine(
            advertisers: Array(
                repeating: AdvertiserMachine(isExtended: isExtended, address: address),
                count: max(1, min(count, Self.limit))))
    }

    // MARK: Clients

    var hasDemand: Bool { roster.hasDemand }

    /// Clients that want to be advertised for.
    var clients: [ClientID] { roster.entries.map(\.client) }

    /// Replaces what `client` wants; nil: nothing any more.
    mutating func set(_ demand: AdvertisingDemand?, for client: ClientID, at now: MonotonicTime) {
        roster.set(demand, for: client, at: now)
    }

    /// A Central has left, and may want to come back.
    mutating func hurry(at now: MonotonicTime) { roster.hurry(at: now) }

    // MARK: The plan

    /// When to plan again though nothing happened.
    var deadline: MonotonicTime? {
        var earliest = roster.deadline
        for advertiser in advertisers {
            guard let time = advertiser.deadline else { continue }
            earliest = earliest.map { min($0, time) } ?? time
        }
        return earliest
    }

    var isActive: Bool { advertisers.contains(where: \.isActive) }

    /// What the advertiser at `place` should send now; nil: nothing.
    private func setup(at place: Int, under conditions: AdvertisingConditions) -> AdvertisingSetup? {
        guard let entry = roster.entry(of: roster.holders[place]), let kind = conditions.possible(entry.demand.kind)
        else { return nil }
        let timing = entry.demand.timing
        let intervals = entry.isFastUntil == .zero ? timing.slow : timing.fast
        return AdvertisingSetup(
            entry.demand, kind: kind, intervals: conditions.allowed(intervals, for: kind), address: conditions.address,
            setID: UInt8(truncatingIfNeeded: place))
    }

    /// Kinds that are to be advertised now.
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

    // MARK: What the controller says

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
            // A controller that is connectable without links only may say so with any of these.
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

    /// The controller's only random address is another one now.
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

    // MARK: Links that come of it

    /// What the advertiser at `place` sends, so that somebody may connect; nil: nothing, or there is no such advertiser.
    func connectableAddress(at place: Int) -> DeviceAddress? {
        advertisers.indices.contains(place) ? advertisers[place].connectableAddress : nil
    }

    /// What some advertiser sends, so that somebody may connect. All have the same as a rule.
    var connectableAddress: DeviceAddress? { advertisers.lazy.compactMap(\.connectableAddress).first }

    /// A link came of advertising, and the controller has not told of it yet: some controllers do so afterwards.
    mutating func invite(_ handle: UInt16) { invited.insert(handle) }

    /// Somebody may connect to us with this handle: a client advertises so, or has done so until just now. A controller that
    /// was left behind in another state, or lies, makes links that nobody here knows of.
    mutating func isInvited(_ handle: UInt16) -> Bool {
        // Taken out in any case: the handle may be another link's later.
        let wasInvited = invited.remove(handle) != nil
        return wasInvited || connectableAddress != nil
    }
}
