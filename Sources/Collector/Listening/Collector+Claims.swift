// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Foundation
import Health
import Logging
import Platform
import Readings
import SensorCipher

/// The places of sensors that advertise. A single packet is a claim; ``PlaceHold`` says when a claim becomes a place.
///
/// An entry for a single sensor has a single place, and the journal remembers the holder. The collector also hears
/// other devices that the entry accepts, but takes nothing from them. Another device gets the place when the holder is
/// silent, or on the operator's word.
extension Collector {
    /// Whether the entry names no certain device.
    static func isOpen(_ rule: SensorRule) -> Bool { rule.isSingle && rule.address == nil && rule.identifier == nil }

    private static func placeKey(_ rule: SensorRule) -> String { "place:\(rule.key)" }
    /// Follows the address of a sensor that reports events only.
    private static let eventsMark = "events"

    /// The device that holds the entry's place, from this run or an earlier run, and whether the device reports events
    /// only.
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

    /// Whether the device may have the entry's place. False if another device holds the place: by the operator's word,
    /// or because its values come without a link.
    func mayHavePlace(_ candidate: SensorRule.Candidate, _ rule: SensorRule) -> Bool {
        if linked.values.contains(where: { $0.rule.key == rule.key && isAway($0) }) { return true }
        return holder(of: rule).map { !$0.rule.isSingle } ?? keptPlace(of: rule).map { $0 == candidate.address } ?? true
    }

    func holder(of rule: SensorRule) -> ListenedSensor? { places.holder(of: rule) }

    /// An entry whose sensor another device may claim to be. The scan has to report such devices.
    func mayBeClaimed(_ rule: SensorRule) -> Bool { Self.isOpen(rule) && rule.namesNothing && holder(of: rule) != nil }

    // MARK: Admission

    /// Whether the device gets a place at once; otherwise the device claims a place.
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

    /// Hears the device from now on, without collecting its values.
    func claim(_ candidate: SensorRule.Candidate, _ rule: SensorRule, _ found: SensorFamilies.Recognised) {
        guard let address = candidate.address, places.claims[address] == nil else { return }
        let now = uptime
        if places.claims.count >= limits.claims.claims {
            places.dropWeakestClaim(isProven)
            // A scan reports each device once, so only a new scan reports a dropped device again.
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
        sensor.place.isProven(hasKey: sensor.key.exists, limits.claims)
    }

    /// Takes a packet of a device that claims a place. True if the device has just got a place, so the packet counts.
    func hear(_ claim: ListenedSensor, _ found: SensorFamilies.Recognised) -> Bool {
        claim.place.heard(at: uptime)
        if let key = claim.key.octets, !claim.place.hasOpened, opens(found, key, claim) { claim.place.opened() }
        guard isProven(claim), claim.contest.takeDecision(at: claim.place.last) else { return false }
        return decide(on: claim)
    }

    /// Whether the key opens the packet. If the cipher gives no proof, several packets have to be alike.
    private func opens(_ found: SensorFamilies.Recognised, _ key: [UInt8], _ claim: ListenedSensor) -> Bool {
        guard case .sealed(let sealed) = found.packet, found.decoder.needs.key != .none,
            let plaintext = found.decoder.key(from: key).flatMap({ PacketCipher.open(sealed, key: $0) })
        else { return false }
        if sealed.isAuthentic { return true }
        guard let packet = found.decoder.unsealed(sealed, plaintext: plaintext) else { return false }
        guard sealed.needsProof else { return true }
        if case .right = claim.key.judge(packet, at: clock.stamp()).verdict { return true }
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
            give(claim, from: holder, because: "another device speaks in its place, and the sensor was silent")
            return true
        }
    }

    private func standing(of rule: SensorRule, _ holder: ListenedSensor?) -> PlaceVerdict.Holder? {
        let now = uptime
        guard let holder else {
            // The sensor of an earlier run may stay unheard as long as it may be silent.
            guard let kept = place(of: rule), let since = places.awaitedSince(rule) else { return nil }
            return PlaceVerdict.Holder(
                isHeld: true, quiet: now.subtractingSaturated(since), limit: limits.silence.unknown,
                isSilentByNature: kept.sendsEventsOnly)
        }
        // Any device may have sent packets that a key does not open.
        let spoke = holder.key.exists ? holder.lastValue : holder.signal.heardAt
        return PlaceVerdict.Holder(
            isHeld: holder.place.isHeld, quiet: now.subtractingSaturated(spoke ?? holder.place.first ?? now),
            limit: limits.silence.limit(usual: holder.readings.usualMs), isSilentByNature: holder.sendsEventsOnly)
    }

    /// Frees a place; false if no place can be freed.
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

    /// Ends listening to a sensor; keeps its history for `martlet why`.
    func letGo(_ sensor: ListenedSensor, at address: UInt64, because reason: String) {
        logger.info("sensor let go", metadata: sensor.metadata.merging(["cause": "\(reason)"]) { $1 })
        record(.removed, of: sensor, reason)
        refuseEarly(of: sensor)
        if knowsEarlierRuns { writeCounter(of: sensor) }
        announce(sensor, isOnline: false)
        places.end(at: address)
        keepHistory(of: sensor)
        sensor.entry.forget()
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
        recordSpeaking(claim)
        if let address = claim.candidate.address {
            keepPlace(of: claim.rule, address, sendsEventsOnly: holder?.sendsEventsOnly ?? false)
        }
    }

    // MARK: Two devices

    private func contest(_ claim: ListenedSensor, _ holder: ListenedSensor?) {
        // Only the first of several devices is reported.
        guard holder.map({ !$0.contest.isOpen }) ?? !claim.contest.isOpen else { return }
        let device = claim.device
        let other = claim.address ?? "another device"
        let kept = keptPlace(of: claim.rule).map { DeviceAddress(kind: .public, value: $0).description }
        let place = holder?.address ?? kept
        let text = advise(
            "two devices claim to be \(device): \(place ?? "one") holds its place, and \(other) speaks, too; if \(other) is the "
                + "sensor, run \(.martlet(.trust, device, claim.address ?? "ADDRESS"))")
        if let holder {
            holder.contest.open(text, by: claim.address)
            record(.claimed, of: holder, "\(other) claims to be this sensor, too")
        } else {
            claim.contest.open(text, by: nil)
        }
        logger.warning(
            "two devices claim to be one sensor",
            metadata: ["sensor": "\(device)", "peer": "\(place ?? "")", "other": "\(other)", "cause": "\(text)"])
    }

    /// Called now and then: ends claims, and checks contested places.
    func lookAtClaims() {
        let hasEnded = places.expireClaims(at: uptime)
        for sensor in listened.values where sensor.contest.isOpen {
            if !places.claims(of: sensor.rule).contains(where: isProven) { sensor.contest.settle() }
        }
        if hasEnded { listenAsNeeded() }
    }

    /// The claims of devices without a place, by the entries' keys.
    var contests: [String: String] {
        Dictionary(places.claims.values.compactMap { claim in claim.contest.text.map { (claim.rule.key, $0) } }) {
            first, _ in first
        }
    }

    /// A packet of a sensor came. The sensor may hold its place from now on.
    func recordSpeaking(_ sensor: ListenedSensor) {
        guard sensor.place.hold(hasKey: sensor.key.exists, limits.claims) else { return }
        keepPlace(of: sensor)
    }

    /// The facts of earlier runs are known. A device gives its place back if the place belongs to another device.
    func returnPlaces() {
        for (address, sensor) in listened {
            sensor.place.recall(isRemembered(sensor.candidate, sensor.rule))
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
