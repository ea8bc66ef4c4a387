// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Foundation
import Logging
import Platform
import Readings
import SensorCipher

/// The places of sensors that advertise. A single packet is a claim; ``PlaceHold`` says when a claim becomes a place.
///
/// An entry about one sensor has one place. The journal remembers who holds it. Another device that an entry accepts is heard
/// beside it, and nothing is collected from that one: it gets the place when the holder is silent, or when the operator says so.
extension Collector {
    /// Whether the entry leaves open which device it is about.
    static func isOpen(_ rule: SensorRule) -> Bool { rule.isSingle && rule.address == nil && rule.identifier == nil }

    private static func placeKey(_ rule: SensorRule) -> String { "place:\(rule.key)" }
    /// Behind the address of a sensor that speaks only when something happens.
    private static let eventsMark = "events"

    /// The device that holds the entry's place, from this run or an earlier one, and whether it speaks of events alone.
    private func place(of rule: SensorRule) -> (address: UInt64, sendsEventsOnly: Bool)? {
        guard Self.isOpen(rule), let text = outlet.identifier(Self.placeKey(rule)) else { return nil }
        let parts = text.split(separator: " ")
        guard let first = parts.first, let address = DeviceAddress(String(first), kind: .public) else { return nil }
        return (address.value, parts.dropFirst().first == Self.eventsMark[...])
    }

    func keptPlace(of rule: SensorRule) -> UInt64? { place(of: rule)?.address }

    func keepPlace(of rule: SensorRule, _ address: UInt64, sendsEventsOnly: Bool = false) {
        guard Self.isOpen(rule), knowsEarlierRuns else { return }
        let text =
            DeviceAddress(kind: .public, value: address).compact + (sendsEventsOnly ? " " + Self.eventsMark : "")
        if outlet.identifier(Self.placeKey(rule)) != text { outlet.keep(text, Self.placeKey(rule)) }
    }

    func keepPlace(of sensor: ListenedSensor) {
        guard sensor.place.isHeld, let address = sensor.candidate.address else { return }
        keepPlace(of: sensor.rule, address, sendsEventsOnly: sensor.sendsEventsOnly)
    }

    /// Whether no other device holds the entry's place, by the operator's word or because its values come without a link.
    func mayHavePlace(_ candidate: SensorRule.Candidate, _ rule: SensorRule) -> Bool {
        if linked.values.contains(where: { $0.rule.key == rule.key && isAway($0) }) { return true }
        return holder(of: rule).map { !$0.rule.isSingle } ?? keptPlace(of: rule).map { $0 == candidate.address } ?? true
    }

    func holder(of rule: SensorRule) -> ListenedSensor? { places.holder(of: rule) }

    /// An entry whose sensor another device may claim to be: the scan has to tell of such a device.
    func mayBeClaimed(_ rule: SensorRule) -> Bool { Self.isOpen(rule) && rule.namesNothing && holder(of: rule) != nil }

    // MARK: Admission

    /// Whether the device gets a place at once; one that does not claims it.
    func hasRoom(for candidate: SensorRule.Candidate, _ rule: SensorRule) -> Bool {
        guard let address = candidate.address else { return false }
        if Self.isOpen(rule) {
            if holder(of: rule) != nil { return false }
            guard keptPlace(of: rule).map({ $0 == address }) ?? true else { return false }
            return listened.count < Self.maximumSensors || makeRoom()
        }
        let isNamed = rule.isSingle || isRemembered(candidate, rule)
        if !isNamed, places.unheld >= limits.claims.unheld { return false }
        return listened.count < Self.maximumSensors || isNamed && makeRoom()
    }

    func isRemembered(_ candidate: SensorRule.Candidate, _ rule: SensorRule) -> Bool {
        if let kept = keptPlace(of: rule) { return kept == candidate.address }
        return !Self.isOpen(rule) && wasAnnounced(SensorSource.device(of: candidate, rule: rule))
    }

    /// Hears the device from now on; nothing is collected from it.
    func claim(_ candidate: SensorRule.Candidate, _ rule: SensorRule, _ found: SensorFamilies.Recognised) {
        guard let address = candidate.address, places.claims[address] == nil else { return }
        let now = uptime
        if places.claims.count >= limits.claims.claims {
            places.dropWeakestClaim(isProven)
            // A scan tells of each device once: one that had to go is only told of by a new one.
            scan.renewSoon(at: self.now)
            rearm()
        }
        let claim = ListenedSensor(
            candidate: candidate, rule: rule, family: found.decoder, sensors: outlet.sensors)
        claim.place.heard(at: now)
        places.claim(claim, at: address, now: now, maximum: Self.maximumSensors)
        logger.debug("a device claims a place", metadata: claim.metadata)
        listenAsNeeded()
    }

    func isProven(_ sensor: ListenedSensor) -> Bool {
        sensor.place.isProven(hasKey: sensor.key != nil, limits.claims)
    }

    /// A packet of a device that claims a place; true when it has just got one, so that the packet counts.
    func hear(_ claim: ListenedSensor, _ found: SensorFamilies.Recognised) -> Bool {
        claim.place.heard(at: uptime)
        if let key = claim.key, !claim.place.hasOpened, opens(found, key, claim) { claim.place.opened() }
        guard isProven(claim), claim.mayBeDecidedOn(at: claim.place.last) else { return false }
        return decide(on: claim)
    }

    /// Whether the key opens the packet; where the cipher does not say so, several packets have to be alike.
    private func opens(_ found: SensorFamilies.Recognised, _ key: [UInt8], _ claim: ListenedSensor) -> Bool {
        guard case .sealed(let sealed) = found.packet, found.decoder.needs.key != .none,
            let plaintext = found.decoder.key(from: key).flatMap({ PacketCipher.open(sealed, key: $0) })
        else { return false }
        if sealed.isAuthentic { return true }
        guard let packet = found.decoder.unsealed(sealed, plaintext: plaintext) else { return false }
        guard sealed.needsProof else { return true }
        if case .right = claim.keyProof.take(packet, at: clock.stamp()) { return true }
        return false
    }

    private func decide(on claim: ListenedSensor) -> Bool {
        let rule = claim.rule
        guard Self.isOpen(rule) else {
            guard listened.count < Self.maximumSensors || makeRoom() else {
                warnOfMaximum()
                return false
            }
            promote(claim)
            return true
        }
        let holder = holder(of: rule)
        switch PlaceVerdict.of(standing(of: rule, holder)) {
        case .contest:
            contest(claim, holder)
            return false
        case .take:
            give(claim, from: holder, because: "another device speaks in its place, and it was silent")
            return true
        }
    }

    private func standing(of rule: SensorRule, _ holder: ListenedSensor?) -> PlaceVerdict.Holder? {
        let now = uptime
        guard let holder else {
            // The one that an earlier run has collected from gets as long to be heard as it may be silent.
            guard let kept = place(of: rule), let since = places.awaitedSince(rule) else { return nil }
            return PlaceVerdict.Holder(
                isHeld: true, quiet: now.subtractingSaturated(since), limit: limits.silence.unknown,
                isSilentByNature: kept.sendsEventsOnly)
        }
        // Packets that a key does not open are anybody's.
        let spoke = holder.key == nil ? holder.heardUptime : holder.lastValue
        return PlaceVerdict.Holder(
            isHeld: holder.place.isHeld, quiet: now.subtractingSaturated(spoke ?? holder.place.first ?? now),
            limit: limits.silence.limit(usual: holder.silence.usualMs), isSilentByNature: holder.sendsEventsOnly)
    }

    /// Makes one place free; false when everybody speaks.
    private func makeRoom() -> Bool {
        let now = uptime
        let sensors = Array(listened)
        let standings = sensors.map { _, sensor in
            PlaceBound.Standing(
                isHeld: sensor.place.isHeld, isRemembered: sensor.place.isRemembered, isNamed: sensor.rule.isSingle,
                quiet: now.subtractingSaturated(sensor.place.last), span: sensor.place.span)
        }
        guard let index = PlaceBound.leastWorthy(standings, silence: limits.silence.unknown) else { return false }
        letGo(sensors[index].value, at: sensors[index].key, because: "another sensor needs its place")
        return true
    }

    /// Ends listening to a sensor; what it was is kept for `martlet why`.
    func letGo(_ sensor: ListenedSensor, at address: UInt64, because reason: String) {
        logger.info("sensor let go", metadata: sensor.metadata.merging(["cause": "\(reason)"]) { $1 })
        note(.removed, of: sensor, reason)
        refuseEarly(of: sensor)
        if knowsEarlierRuns { writeCounter(of: sensor) }
        announce(sensor, isOnline: false)
        places.end(at: address)
        keepHistory(of: sensor)
        sensor.forgetValues()
    }

    private func promote(_ claim: ListenedSensor) {
        guard let address = claim.candidate.address else { return }
        begin(claim, at: address)
    }

    func give(_ claim: ListenedSensor, from holder: ListenedSensor?, because reason: String) {
        if let holder, let address = holder.candidate.address {
            logger.notice(
                "the place of a sensor goes to another device",
                metadata: claim.metadata.merging(["former": "\(holder.address ?? "")", "cause": "\(reason)"]) { $1 })
            letGo(holder, at: address, because: reason)
        }
        promote(claim)
        noteSpeaking(claim)
        if let address = claim.candidate.address {
            keepPlace(of: claim.rule, address, sendsEventsOnly: holder?.sendsEventsOnly ?? false)
        }
    }

    // MARK: Two devices

    private func contest(_ claim: ListenedSensor, _ holder: ListenedSensor?) {
        // The first of several is told of.
        guard holder.map({ $0.contest == nil }) ?? (claim.contest == nil) else { return }
        let device = claim.device
        let other = claim.address ?? "another device"
        let kept = keptPlace(of: claim.rule).map { DeviceAddress(kind: .public, value: $0).description }
        let place = holder?.address ?? kept
        let text =
            "two devices claim to be \(device): \(place ?? "one") holds its place, and \(other) speaks, too; if \(other) is the "
            + "sensor, run martlet trust \(device) \(other)"
        if let holder {
            (holder.contest, holder.claimant) = (text, claim.address)
            note(.claimed, of: holder, "\(other) claims to be it, too")
        } else {
            claim.contest = text
        }
        logger.warning(
            "two devices claim to be one sensor",
            metadata: ["sensor": "\(device)", "peer": "\(place ?? "")", "other": "\(other)", "cause": "\(text)"])
    }

    /// To be called now and then: claims end, and places are looked at.
    func lookAtClaims() {
        let hasEnded = places.expireClaims(at: uptime)
        for sensor in listened.values where sensor.contest != nil {
            if !places.claims(of: sensor.rule).contains(where: isProven) { sensor.contest = nil }
        }
        if hasEnded { listenAsNeeded() }
    }

    /// The claims of devices without a place, by the entries' keys.
    var contests: [String: String] {
        Dictionary(places.claims.values.compactMap { claim in claim.contest.map { (claim.rule.key, $0) } }) {
            first, _ in first
        }
    }

    /// A packet of a sensor came: it may hold its place from now on.
    func noteSpeaking(_ sensor: ListenedSensor) {
        guard sensor.place.hold(hasKey: sensor.key != nil, limits.claims) else { return }
        keepPlace(of: sensor)
    }

    /// It is known what earlier runs have kept: a device that has a place which is another's gives it back.
    func returnPlaces() {
        for (address, sensor) in listened {
            sensor.place.isRemembered = isRemembered(sensor.candidate, sensor.rule)
            guard let kept = keptPlace(of: sensor.rule), kept != address else {
                keepPlace(of: sensor)
                continue
            }
            letGo(sensor, at: address, because: "another device held its place before")
        }
        listenAsNeeded()
        scanIfNeeded()
    }
}
