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

/// Sensors that advertise their values. The scan that finds sensors reports each device once. A separate scan listens
/// to the sensors that an entry accepts, and hears all packets of these sensors only.
extension Collector {
    /// Makes the radio listen only to addresses in entries and to accepted devices.
    func listenAsNeeded() {
        guard !isStopping else { return }
        let named = rules.filter(\.namesNothing).compactMap(\.address).filter { linkedSensor(at: $0) == nil }
        let addresses = places.addresses.union(named)
        guard radio.listener != nil || !addresses.isEmpty else { return }
        let isHeard = radio.listen(to: addresses, isPassive: !places.needResponses, queue: queue) { [weak self] heard in
            self?.receive(heard)
        }
        if !isHeard { logger.warning("the host serves too many clients: nothing is listened to") }
    }

    private func linkedSensor(at address: UInt64) -> LinkedSensor? {
        linked.values.first { $0.candidate.address == address }
    }

    private func receive(_ heard: [AdvertisementListener.Heard]) {
        guard !isStopping else { return }
        for one in heard where one.address.isDevice {
            let advertisements = Advertisement.all(
                in: one.octets, responseAt: one.responseAt, address: one.address.value)
            var isUnderstood = false
            for advertisement in advertisements where !isUnderstood || advertisement.isFurther {
                guard let found = SensorFamilies.recognise(advertisement) else {
                    // The packet is from the sensor, but its values are impossible, for example a humidity of 300 %.
                    let sensor = listened[one.address.value]
                    if let sensor, sensor.family.saysWhatCannotBe(advertisement) {
                        sensor.refused.count(.notUnderstood)
                    }
                    continue
                }
                isUnderstood = true
                let address = one.address.value
                guard let sensor = places[address] ?? admit(one, advertisement, found) else {
                    break
                }
                let stamp = clock.stamp()
                if let rssi = one.rssi { recordSighting(of: sensor, rssi: Int(rssi), at: stamp.uptimeMilliseconds) }
                if places.isClaiming(address), !hear(sensor, found) { break }
                receive(found, of: sensor, at: stamp)
            }
            if !isUnderstood, let sensor = listened[one.address.value] {
                sensor.unread.heard(
                    AdvertisedOctets(one.octets.span.bytes, responseAt: one.responseAt), at: uptime,
                    hasValues: sensor.standing.state.isPresent)
            }
        }
    }

    // MARK: Admission

    /// Takes a device from a scan, if its advertisement is of a family and an entry accepts the device.
    func listen(to candidate: SensorRule.Candidate, _ found: SensorFamilies.Recognised) -> Bool {
        guard let address = candidate.address, places[address] == nil,
            let rule = rules.first(where: { $0.accepts(candidate) }), rule.namesNothing
        else { return false }
        return admit(candidate, rule, found) != nil
    }

    /// The first packet of a device that an entry names by its address.
    private func admit(
        _ heard: AdvertisementListener.Heard, _ advertisement: Advertisement, _ found: SensorFamilies.Recognised
    ) -> ListenedSensor? {
        var candidate = SensorRule.Candidate(
            name: advertisement.name, address: heard.address.value,
            identifier: controller.identifier(of: heard.address), services: advertisement.services)
        candidate.add(advertisement, found)
        candidate.rssi = heard.rssi
        guard let rule = rules.first(where: { $0.accepts(candidate) }), rule.namesNothing else { return nil }
        return admit(candidate, rule, found)
    }

    private func admit(
        _ candidate: SensorRule.Candidate, _ rule: SensorRule, _ found: SensorFamilies.Recognised
    ) -> ListenedSensor? {
        guard let address = candidate.address, linkedSensor(at: address) == nil else { return nil }
        // An entry for a single sensor has its sensor already, with a link.
        if rule.isSingle, linked.values.contains(where: { $0.life.isProven && $0.rule.key == rule.key }) { return nil }
        guard hasRoom(for: candidate, rule) else {
            if rule.address == address { warnOfMaximum() } else { claim(candidate, rule, found) }
            return places.claims[address]
        }
        let sensor = ListenedSensor(
            candidate: candidate, rule: rule, family: found.decoder, sensors: outlet.sensors)
        sensor.place.recall(isRemembered(candidate, rule))
        begin(sensor, at: address)
        return sensor
    }

    /// The device has a place from now on.
    func begin(_ sensor: ListenedSensor, at address: UInt64) {
        places.begin(sensor, at: address)
        if rounds.judgement == nil { judgeAll() }
        takeUpHistory(of: sensor)
        resumeCounter(of: sensor)
        record(.listening, of: sensor, sensor.family.name)
        logger.info("listening", metadata: sensor.metadata.merging(["family": "\(sensor.family.family)"]) { $1 })
        listenAsNeeded()
    }

    // MARK: Packets

    /// Opens a packet if necessary, and makes a reading of a new packet.
    private func receive(_ found: SensorFamilies.Recognised, of sensor: ListenedSensor, at stamp: TimeStamp) {
        let now = stamp.uptimeMilliseconds
        // A device that borrows the sensor's address may send another family's packets.
        if !found.decoder.isEnvelope, !wants(found.decoder, sensor) { return sensor.refused.count(.otherFamily) }
        var (family, packet): (SensorFamily, AdvertisedPacket)
        var counter: PacketNumber?
        var tag: PacketTag?
        var isProven = true
        var isSealed = false
        sensor.place.heard(at: now)
        switch found.packet {
        case .plain(let plain):
            guard !sensor.key.exists else { return refusePlain(found.decoder, of: sensor) }
            (family, packet) = (found.decoder, plain)
        case .sealed(let sealed):
            if !sensor.key.exists, let readable = found.readable {
                (family, packet) = (found.decoder, readable)
            } else {
                guard found.decoder.needs.key != .none else { return refusePlain(found.decoder, of: sensor) }
                guard let opened = open(sealed, found, of: sensor, at: now) else { return }
                (family, packet) = opened
                if !wants(family, sensor), !wants(found.decoder, sensor) { return sensor.refused.count(.otherFamily) }
                isProven = sensor.key.proves(sealed)
                isSealed = sealed.isAuthentic
                // Nothing distinguishes an old packet, so a recorded event would happen again.
                if packet.isEvent, sealed.counter == nil { return sensor.refused.count(.uncounted) }
            }
            (counter, tag) = (sealed.counter, sealed.tag.map { PacketTag($0) })
        }
        if isProven { recordSpeaking(sensor) }
        sensor.decoded(by: family)
        if sensor.key.recordSealing(isSealed), sensor.life.isAnnounced { describe(sensor) }
        if let medium = sensor.rule.medium { packet = family.packet(packet, ofTankWith: medium) }
        if let model = packet.model, sensor.information.model == nil { sensor.information.record(model: model) }
        if sensor.key.exists, let counter, !knowsEarlierRuns {
            return wait(
                with: EarlyPackets.Packet(
                    packet: packet, stream: family.family, counter: counter, tag: tag, stamp: stamp), of: sensor)
        }
        judge(packet, family.family, of: sensor, counter: counter, tag: tag, isProven: isProven, at: stamp)
    }

    /// The sensor's entry names the family, or none.
    private func wants(_ family: SensorFamily, _ sensor: ListenedSensor) -> Bool {
        sensor.rule.family.map { $0 == family.family } ?? true
    }

    /// Makes a reading of a new packet.
    func judge(
        _ packet: AdvertisedPacket, _ family: String, of sensor: ListenedSensor, counter: PacketNumber?,
        tag: PacketTag?, isProven: Bool = true, at stamp: TimeStamp
    ) {
        let now = stamp.uptimeMilliseconds
        switch sensor.packets.judge(packet, stream: family, counter: counter, tag: tag, at: now) {
        case .repeated: sensor.refused.countRepeat()
        case .replayed: recordReplay(of: sensor)
        case .new(let missing):
            sensor.counter.settle()
            if missing > 0 { outlet.countGap(sensor.device, missing) }
            if isProven {
                collect(packet, family, of: sensor, at: stamp)
            } else {
                prove(packet, family, of: sensor, at: stamp)
            }
            if counter != nil { keepCounter(of: sensor, at: now, isEvent: packet.isEvent) }
        }
    }

    /// Any device may have sent a plain packet. From a sensor with a key, only packets that the key opens count.
    private func refusePlain(_ family: SensorFamily, of sensor: ListenedSensor) {
        sensor.refused.count(.notEncrypted)
        guard family.needs.key == .none, !sensor.key.hasOpened, family.family == sensor.family.family else { return }
        tell(
            sensor,
            "\(family.name) is never encrypted, and its entry has a key: remove its bindkey, or give the address of the sensor that "
                + "the key is for")
    }

    /// Holds opened packets while nothing has proved the key.
    private func prove(
        _ packet: AdvertisedPacket, _ family: String, of sensor: ListenedSensor, at stamp: TimeStamp
    ) {
        let (verdict, discarded) = sensor.key.judge(packet, at: stamp)
        sensor.refused.count(.notUnderstood, discarded)
        switch verdict {
        case .wait: break
        case .right(let held):
            for one in held { collect(one.packet, family, of: sensor, at: one.stamp) }
            recordOpened(by: sensor, at: stamp.uptimeMilliseconds)
        case .wrong(let count):
            sensor.refused.count(.wrongKey, count)
            reportWrongKey(sensor)
        }
    }

    private func reportWrongKey(_ sensor: ListenedSensor) {
        guard sensor.rule.bindKey != nil else {
            let answer = sensor.key.quest.failure.map { ", and the sensor gave no other key: \($0)" } ?? ""
            return tell(sensor, "the key from the sensor opens none of the last packets" + answer)
        }
        tell(
            sensor,
            advise(
                "the key of its entry does not open its packets: perhaps the maker's app gave the sensor a new key; "
                    + "compare the two keys, and " + keyAdvice(for: sensor)))
    }

    private func open(
        _ sealed: SealedPacket, _ found: SensorFamilies.Recognised, of sensor: ListenedSensor, at now: Int64
    ) -> (SensorFamily, AdvertisedPacket)? {
        let family = found.decoder
        guard family.needs.key != .none else { return nil }
        guard let given = sensor.key.octets else {
            sensor.refused.count(.noKey)
            if family.isEnvelope, seekKey(of: sensor) { return nil }
            let answer = sensor.key.quest.failure.map { " The sensor gave no key: \($0)." } ?? ""
            tell(
                sensor,
                advise(
                    "its values are encrypted, and its entry has no key: " + keyAdvice(for: sensor)
                        + ". \(family.needs.hint)") + answer)
            return nil
        }
        let plaintext = family.key(from: given).flatMap { PacketCipher.open(sealed, key: $0) }
        guard let opened = plaintext.flatMap(found.opened) else {
            // The tag proves that the packet is the sensor's, so no person has to look for another key.
            if plaintext != nil, sealed.isAuthentic {
                refuseUnread(of: sensor, at: now)
                return nil
            }
            sensor.refused.count(.wrongKey)
            guard sensor.key.failed(at: now), !(family.isEnvelope && seekKey(of: sensor)) else { return nil }
            // Foreign packets at the sensor's address are no news while the key opens the sensor's own.
            if !sensor.key.wasRight(at: now) { reportWrongKey(sensor) }
            return nil
        }
        guard sensor.key.proves(sealed) else { return opened }
        recordOpened(by: sensor, at: now)
        return opened
    }

    private func recordOpened(by sensor: ListenedSensor, at now: Int64) {
        sensor.key.opened(at: now)
        sensor.place.opened()
        sensor.trouble.settle()
    }

    private func refuseUnread(of sensor: ListenedSensor, at now: Int64) {
        sensor.refused.count(.notUnderstood)
        recordOpened(by: sensor, at: now)
    }

    private func tell(_ sensor: ListenedSensor, _ trouble: String) {
        guard sensor.trouble.record(trouble) else { return }
        record(.keyNeeded, of: sensor, trouble)
        logger.warning(
            "a sensor's packets cannot be read", metadata: sensor.metadata.merging(["cause": "\(trouble)"]) { $1 })
    }

    private func collect(
        _ packet: AdvertisedPacket, _ family: String, of sensor: ListenedSensor, at stamp: TimeStamp
    ) {
        let reading = Reading(
            device: sensor.device, characteristic: family, source: .advert, value: packet.value,
            rssi: sensor.signal.rssi, stamp: stamp)
        sensor.readings.count(.advert)
        sensor.show(reading, about: packet.fields)
        if !packet.isEvent, sensor.sendsEventsOnly {
            sensor.sentValue()
            keepPlace(of: sensor)
            if sensor.life.isAnnounced { describe(sensor) }
        }
        if sensor.life.prove() {
            sensor.readings.begin(at: reading.stamp.uptimeMilliseconds)
            if rounds.begin(at: now) { rearm() }
            keepEvents(of: sensor)
        }
        if !sensor.life.isAnnounced { appear(sensor, at: stamp.uptimeMilliseconds) }
        append(reading)
    }
}

extension SensorRule.Candidate {
    /// Adds the facts about the sender from an advertisement of a family.
    mutating func add(_ advertisement: Advertisement, _ found: SensorFamilies.Recognised?) {
        let data = advertisement.manufacturerData
        if data.count >= 2 { manufacturer = UInt16(data[0]) | UInt16(data[1]) << 8 }
        guard let found else { return }
        family = found.decoder.family
        switch found.packet {
        case .plain(let packet): model = packet.model
        case .sealed(let packet): model = packet.model
        }
    }
}
