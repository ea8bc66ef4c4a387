// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Platform

/// Decides which of several gateways at a broker takes care of a sensor; a value without I/O, clocks and chance.
///
/// Each sensor has a topic, `…/dev/<dev>/owner`. The gateway that takes care of a sensor publishes a claim there, and
/// repeats the claim as long as it hears the sensor. A broker sends the messages of a topic to all gateways in the same
/// order. So all gateways, including the owner, agree that the last claim names the owner: a gateway is the owner when
/// its own claim comes back.
///
/// A gateway keeps readings of another gateway's sensor in the journal until the owner repeats its claim. The claim
/// proves that the owner was alive when the reading came, so the owner delivers its own copy. If no claim comes,
/// another gateway takes over and delivers the kept readings.
struct LeaseMachine {
    /// How long a claim is valid.
    static let term: Duration = .seconds(50)
    static let renewal: Duration = .seconds(20)
    /// The broker's retained messages of a topic come within this time.
    static let answer: Duration = .seconds(2)
    /// After this time without an owner, readings are delivered in any case.
    static let patience: Duration = .seconds(15)
    /// The longest wait of a gateway before its claim: the gateway that hears the sensor best claims it first.
    static let longestDelay: Duration = .seconds(3)
    /// To take over a sensor, a gateway has to hear it better by this many dB, for ``betterTime``.
    static let hysteresis = 8
    static let betterTime: Duration = .seconds(30)
    private static let maximumSensors = 1_024
    /// Limit of subscriptions at once, because the broker sends the retained messages at once.
    private static let subscriptionsAtOnce = 16

    enum Wish: Equatable {
        case subscribe([String])
        /// Nil takes the claim back.
        case say(SensorLease?, of: String)
        /// The owner has changed, or there is none and the wait for an owner is over.
        case changed(String, SharedSensor.Owner)
        /// Another gateway delivers these rows.
        case drop([Int64])
        /// A claim does not come back: the broker may not allow it.
        case unheard(String)
    }

    enum Verdict: Equatable {
        case deliver
        case keep
        /// Another gateway delivers the row.
        case drop
    }

    let gateway: String
    private(set) var sensors: [String: SharedSensor] = [:]
    private var wishes: [Wish] = []
    /// Since when there is a connection; nil without a connection.
    private var connectedSince: MonotonicTime?
    private var isConnected: Bool { connectedSince != nil }
    /// On this connection, the log has a warning that no claim comes back.
    private var hasComplained = false
    /// Young rows that were held back because their deliverer was unknown: the first row of each sensor.
    private var held: [String: Int64] = [:]
    /// Unreadable messages about owners.
    private var senseless = 0

    init(gateway: String) { self.gateway = gateway }

    // MARK: - Connections

    /// - Parameter retains: The broker retains claims, so its answers come at once.
    mutating func connected(_ devices: some Sequence<String>, retains: Bool, at now: MonotonicTime) {
        connectedSince = now
        hasComplained = false
        held = [:]
        for device in devices { watch(device, at: now) }
        for device in sensors.keys {
            sensors[device]?.isSubscribed = false
            // Other gateways may have made claims meanwhile.
            if sensors[device]?.owner == .us { become(.nobody, of: device, at: now) }
            sensors[device]?.ownerlessSince = now
            sensors[device]?.isOrphan = false
            sensors[device]?.unanswered = 0
            clearDeadlines(of: device)
            expectClaim(of: device, at: now, after: retains ? Self.answer : Self.renewal + Self.answer, spread: 1)
        }
    }

    mutating func disconnected() {
        connectedSince = nil
        for device in sensors.keys { clearDeadlines(of: device) }
    }

    /// Gives up this gateway's sensors that it no longer hears; for the end.
    mutating func release() {
        for (device, sensor) in sensors where sensor.owner == .us && !sensor.isPresent {
            wishes.append(.say(nil, of: device))
        }
    }

    // MARK: - Events

    /// This gateway may take care of the sensor.
    mutating func watch(_ device: String, at now: MonotonicTime) {
        guard sensors[device] == nil, sensors.count < Self.maximumSensors else { return }
        sensors[device] = SharedSensor(at: now)
    }

    mutating func forget(_ device: String) {
        guard let sensor = sensors.removeValue(forKey: device) else { return }
        if sensor.owner == .us { wishes.append(.say(nil, of: device)) }
    }

    mutating func record(_ device: String, isPresent: Bool, at now: MonotonicTime) {
        watch(device, at: now)
        guard sensors[device]?.isPresent != isPresent else { return }
        sensors[device]?.isPresent = isPresent
        if isPresent {
            let isKnown = sensors[device]?.isSubscribed == true
            expectClaim(of: device, at: now, after: isKnown ? .zero : Self.answer, spread: 1)
            if sensors[device]?.owner == .us { sensors[device]?.renewal = now }
        }
    }

    mutating func record(_ device: String, rssi: Int, at now: MonotonicTime) {
        watch(device, at: now)
        sensors[device]?.signal.record(rssi, at: now)
        guard let sensor = sensors[device], case .other = sensor.owner,
            let ours = sensor.signal.rssi(at: now),
            sensor.theirRSSI.map({ ours >= $0 + Self.hysteresis }) ?? true
        else {
            sensors[device]?.signal.compared(isBetter: false, at: now)
            return
        }
        sensors[device]?.signal.compared(isBetter: true, at: now)
    }

    /// A claim for a sensor has come.
    ///
    /// - Parameters:
    ///   - lease: Nil if the claim was taken back.
    ///   - isRetained: The claim was made some time ago.
    ///   - wall: Now, in milliseconds since 1970; nil if unknown.
    mutating func received(
        _ lease: SensorLease?, of device: String, isRetained: Bool, at now: MonotonicTime, wall: Int64?, spread: Double
    ) {
        guard let sensor = sensors[device] else { return }
        guard let lease else {
            become(.nobody, of: device, at: now)
            return expectClaim(of: device, at: now, spread: spread)
        }
        guard lease.gateway != gateway else {
            // A claim of an earlier run was about another time.
            if isRetained, sensor.heldSince == nil {
                if sensor.owner == .nobody, sensor.isPresent { sensors[device]?.claim = now }
                return
            }
            // The last claim wins, even if another gateway's claim came between sending and receiving this claim.
            if sensor.heldSince == nil { sensors[device]?.heldSince = now }
            become(.us, of: device, at: now, until: now + Self.term)
            sensors[device]?.renewal = now + (isRetained ? .zero : Self.renewal)
            return
        }
        sensors[device]?.heldSince = nil
        let term = Self.term.wholeMilliseconds
        // The age of the claim, as far as known. An old claim is valid for no longer than a new claim.
        var elapsed: Int64 = 0
        if isRetained, let wall, let until = lease.until {
            elapsed = min(max(wall.subtractingSaturated(until.subtractingSaturated(term)), 0), term)
        }
        guard elapsed < term else {
            become(.nobody, of: device, at: now)
            return expectClaim(of: device, at: now, spread: spread)
        }
        let lastHeard = lease.age.map { now + .milliseconds(-$0) } ?? MonotonicTime(nanoseconds: .min)
        sensors[device]?.theirRSSI = sensor.signal.wasHeardOften(since: lastHeard) ? nil : lease.rssi
        if let wall {
            let since = wall.subtractingSaturated(elapsed).subtractingSaturated(lease.held ?? 0)
            sensors[device]?.theirSince = since
            // After an old claim, the owner may have stopped since.
            let said = wall.subtractingSaturated(isRetained ? term : 0)
            let heard = lease.age.map { said.subtractingSaturated($0) }
            if let heard, since <= heard { cover(since...heard, of: device) }
        }
        become(.other(lease.gateway), of: device, at: now, until: now + .milliseconds(term - elapsed))
    }

    /// A message on the topic of a sensor's owner was unreadable.
    ///
    /// - Returns: Whether this is worth a line in the log: the first time, then at doubling distances.
    mutating func receivedNonsense() -> Bool {
        senseless = senseless.addingSaturated(1)
        return senseless & (senseless - 1) == 0
    }

    /// Another gateway has heard the sensor in this time, and delivers the readings.
    private mutating func cover(_ time: ClosedRange<Int64>, of device: String) {
        let known = sensors[device]?.covered
        let start = known.map { $0.overlaps(time) ? min($0.lowerBound, time.lowerBound) : time.lowerBound }
        sensors[device]?.covered = (start ?? time.lowerBound)...time.upperBound
        if let rows = sensors[device]?.takeCovered(), !rows.isEmpty { wishes.append(.drop(rows.sorted())) }
    }

    private mutating func clearDeadlines(of device: String) {
        sensors[device]?.claim = nil
        sensors[device]?.renewal = nil
    }

    private mutating func become(
        _ owner: SharedSensor.Owner, of device: String, at now: MonotonicTime, until end: MonotonicTime = .zero
    ) {
        guard var sensor = sensors[device] else { return }
        let before = sensor.owner
        (sensor.owner, sensor.end) = (owner, end)
        // An old claim time would come before the claim of a gateway that hears the sensor better.
        if owner != .nobody { sensor.claim = nil }
        if owner == .us { sensor.unanswered = 0 }
        if owner == before {
            sensors[device] = sensor
            return
        }
        switch owner {
        case .nobody: (sensor.ownerlessSince, sensor.isOrphan, sensor.theirRSSI) = (now, false, nil)
        case .us: sensor.kept.removeAll()
        case .other: break
        }
        sensor.signal.compareAnew()
        sensors[device] = sensor
        wishes.append(.changed(device, owner))
    }

    private mutating func expectClaim(
        of device: String, at now: MonotonicTime, after wait: Duration = .zero, spread: Double
    ) {
        guard isConnected, let sensor = sensors[device], sensor.isPresent, sensor.owner == .nobody, sensor.claim == nil
        else { return }
        // Below −40 dBm each dB costs a sixtieth of the longest delay.
        let weakness = min(max(-40 - (sensor.signal.rssi(at: now) ?? -70), 0), 60)
        sensors[device]?.claim = now + wait + Self.longestDelay * (Double(weakness) / 60 * 0.75 + (spread - 0.5) * 0.25)
    }

    // MARK: - Due actions

    var nextDue: MonotonicTime? {
        guard wishes.isEmpty else { return .zero }
        var due: MonotonicTime?
        for sensor in sensors.values {
            if isConnected, !sensor.isSubscribed { return .zero }
            if let time = sensor.due(isConnected: isConnected) { due = min(due ?? time, time) }
        }
        return due
    }

    /// - Parameter wall: Now, in milliseconds since 1970; nil if unknown.
    mutating func takeDue(at now: MonotonicTime, wall: Int64?, spread: Double) -> [Wish] {
        for (device, sensor) in sensors {
            if sensor.owner != .nobody, sensor.end <= now {
                become(.nobody, of: device, at: now)
                expectClaim(of: device, at: now, spread: spread)
            }
            if sensor.owner == .nobody, !sensor.isOrphan, now - sensor.ownerlessSince >= Self.patience {
                sensors[device]?.isOrphan = true
                sensors[device]?.kept.removeAll()
                wishes.append(.changed(device, .nobody))
            }
            if isConnected { speak(of: device, at: now, wall: wall) }
        }
        if isConnected {
            let new = sensors.filter { !$0.value.isSubscribed }.map(\.key).sorted().prefix(Self.subscriptionsAtOnce)
            for device in new { sensors[device]?.isSubscribed = true }
            if !new.isEmpty { wishes.append(.subscribe(Array(new))) }
        }
        return takeWishes()
    }

    /// The wishes that do not wait for a time.
    mutating func takeWishes() -> [Wish] {
        defer { wishes.removeAll() }
        return wishes
    }

    private mutating func speak(of device: String, at now: MonotonicTime, wall: Int64?) {
        guard let sensor = sensors[device] else { return }
        switch sensor.owner {
        case .us:
            guard sensor.isPresent, let renewal = sensor.renewal, renewal <= now else {
                if !sensor.isPresent { sensors[device]?.renewal = nil }
                return
            }
            sensors[device]?.renewal = now + Self.renewal
            say(device, at: now, wall: wall)
        case .nobody:
            guard let claim = sensor.claim, claim <= now else { return }
            guard sensor.isPresent else {
                sensors[device]?.claim = nil
                return
            }
            sensors[device]?.claim = now + Self.renewal
            sensors[device]?.unanswered += 1
            if sensor.unanswered == 1, !hasComplained {
                hasComplained = true
                wishes.append(.unheard(device))
            }
            say(device, at: now, wall: wall)
        case .other:
            guard let since = sensor.signal.betterSince, now - since >= Self.betterTime else { return }
            sensors[device]?.signal.compareAnew()
            // A gateway that hears a sensor may still be refused a link by the sensor.
            guard sensor.isPresent, sensor.signal.rssi(at: now) != nil else { return }
            say(device, at: now, wall: wall)
        }
    }

    private mutating func say(_ device: String, at now: MonotonicTime, wall: Int64?) {
        guard let sensor = sensors[device] else { return }
        // A gateway that takes over a sensor holds the sensor when all gateways have heard its claim.
        let isTakeover = if case .other = sensor.owner { true } else { false }
        let heldSince = sensor.heldSince ?? now
        if !isTakeover { sensors[device]?.heldSince = heldSince }
        let lease = SensorLease(
            gateway: gateway, rssi: sensor.signal.rssi(at: now),
            until: wall.map { $0.addingSaturated(Self.term.wholeMilliseconds) },
            age: sensor.signal.heard.map { (now - $0).wholeMilliseconds },
            held: (now - heldSince).wholeMilliseconds)
        wishes.append(.say(lease, of: device))
    }

    // MARK: - Readings

    func isOthers(_ device: String) -> Bool {
        if case .other = sensors[device]?.owner { true } else { false }
    }

    /// Whether this gateway speaks for the sensor: its availability, and its announcements to Home Assistant.
    func speaksFor(_ device: String) -> Bool {
        guard let sensor = sensors[device] else { return true }
        return switch sensor.owner {
        case .us: true
        case .nobody: sensor.isOrphan
        case .other: false
        }
    }

    /// - Parameter unix: The time of the reading, in milliseconds since 1970; nil if unknown.
    func verdict(on device: String, unix: Int64?) -> Verdict {
        guard let sensor = sensors[device], let unix else { return .deliver }
        if sensor.covered?.contains(unix) == true { return .drop }
        // Readings from before the other gateway's claim belong to this gateway.
        return switch sensor.owner {
        case .us: .deliver
        case .other: sensor.theirSince.map { unix < $0 } == true ? .deliver : .keep
        case .nobody: sensor.isOrphan ? .deliver : .keep
        }
    }

    /// At the start of a connection, the time until which the owner of some sensor may be unknown: the whole backlog
    /// would be held back. Nil if all owners are known.
    func learningEnd(at now: MonotonicTime) -> MonotonicTime? {
        guard let connectedSince, now - connectedSince < Self.patience else { return nil }
        let isOpen = sensors.values.contains { $0.owner == .nobody && !$0.isOrphan }
        return isOpen ? connectedSince + Self.patience : nil
    }

    /// Holds a row back until its deliverer is known.
    mutating func keep(_ n: Int64, of device: String, unix: Int64) { sensors[device]?.kept[n] = unix }

    /// Holds a young row back until its deliverer is known. The history lane takes the row when it is old.
    mutating func hold(_ n: Int64, of device: String) { held[device] = min(held[device] ?? n, n) }

    /// The first of the sensor's held rows, which may go out now.
    mutating func releaseHeld(of device: String) -> Int64? { held.removeValue(forKey: device) }

    var kept: Set<Int64> {
        var rows: Set<Int64> = []
        for sensor in sensors.values { rows.formUnion(sensor.kept.keys) }
        return rows
    }
}
