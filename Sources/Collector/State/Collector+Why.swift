// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Foundation
import Health
import Platform
import Readings

/// The answers for `martlet why`; called on any thread.
extension Collector {
    /// The facts about sensors at a moment, for a search outside the collector's queue.
    private struct Surroundings {
        var explanation: Result<SensorExplanation, SensorUnknown>?
        var rules: [SensorRule] = []
        var heard = HeardDevices()
        var departed: [DepartedSensor] = []
        var known: [DeviceName.Known] = []
        var controller: String?
        /// The uses that the controller refuses permanently, in words.
        var refusal: String?
        var now: Int64 = 0
        var boot = ""
        var time: DispatchTime
        /// The facts that earlier runs have kept.
        var fact: @Sendable (String) -> String? = { _ in nil }
        var offset: Int64?
        var sharesSensors = false
        var installation = Installation.package
        /// Devices that claim to be the sensor of an entry, by the entry's key.
        var contests: [String: String] = [:]
    }

    /// Explains the state of a sensor. `text`: its id, name, address or identifier; also of a sensor that an entry
    /// waits for. Nil if no answer comes within `limit`.
    package func explain(
        _ text: String, within limit: Duration
    ) async -> Result<SensorExplanation, SensorUnknown>? {
        let found = await Waiting.answer(within: limit) { (answer: @escaping @Sendable (Surroundings) -> Void) in
            queue.async { [self] in answer(look(for: text)) }
        }
        // The comparisons take long, so they stay off the collector's queue.
        return found.map { $0.explanation ?? Self.explain(DeviceName(text), in: $0) }
    }

    private func look(for text: String) -> Surroundings {
        var around = Surroundings(time: now)
        around.now = uptime
        recordRadio()
        judgeAll()
        around.offset = clock.anchor?.offset
        around.installation = installation
        (around.boot, around.fact) = (clock.stamp().boot, outlet.identifier)
        (around.controller, around.refusal) = (controllerTrouble, controllerRefusal)
        around.sharesSensors = outlet.sharesSensors()
        let sources: [SensorSource] = linked.values.filter { !$0.life.isRemoved } + Array(listened.values)
        around.known = sources.map(Self.known)
        do throws(DeviceName.Unclear) {
            let name = try DeviceName(text).pick(around.known)
            if let sensor = linked[name.identifier] {
                around.explanation = .success(explanation(of: sensor, around))
                return around
            }
            if let sensor = listened.values.first(where: { $0.candidate.identifier == name.identifier }) {
                around.explanation = .success(explanation(ofListened: sensor, around))
                return around
            }
        } catch {
            if !error.isUnknown { around.explanation = .failure(SensorUnknown(description: error.description)) }
        }
        (around.rules, around.heard, around.departed, around.contests) = (rules, heard, departed.all, contests)
        return around
    }

    static func known(_ sensor: SensorSource) -> DeviceName.Known {
        DeviceName.Known(
            identifier: sensor.candidate.identifier, id: sensor.device,
            name: sensor.advertisedName, given: sensor.rule.facts.label, address: sensor.candidate.address,
            isProven: sensor.life.isProven)
    }

    // MARK: An accepted sensor

    private func explanation(of sensor: LinkedSensor, _ around: Surroundings) -> SensorExplanation {
        if sensor.link == .collecting {
            look(at: sensor)
            judge(sensor, at: around.now)
        }
        let now = around.now
        func age(_ moment: Int64?) -> Int64? { moment.map { max(0, now.subtractingSaturated($0)) } }
        var facts = SensorCase(id: sensor.device, link: sensor.link)
        facts.installation = installation
        facts.connectedAge = age(sensor.record.since)
        facts.lastValueAge = age(sensor.lastValue)
        facts.lastHeardAge = age(lastHeard(sensor))
        facts.rssi = sensor.strength.map(Int.init)
        facts.usual = sensor.readings.usualMs
        (facts.state, facts.unheardAge) = (sensor.standing.state, age(sensor.standing.unheardSince))
        facts.isPairing = sensor.pairing.isUnderway
        facts.owner = owners[sensor.device]
        facts.trouble = sensor.trouble.text
        facts.lastFailure = sensor.link == .collecting ? nil : sensor.trouble.failure
        facts.missing = sensor.plan.missing
        facts.pollInterval = sensor.plan.pollInterval
        (facts.turns.shortage, facts.turns.wanted) = (slots.shortage, sensor.wantedInterval)
        facts.turns.period = slots.shortage == nil ? nil : sensor.turn.period
        if sensor.link == .waiting || sensor.link == .resting, let deadline = sensor.deadline {
            let now = self.now.uptimeNanoseconds
            facts.nextTry = Int64((max(deadline.uptimeNanoseconds, now) - now) / 1_000_000)
        }
        facts.lastLink.end = sensor.events.last(.linkEnded)
        facts.lastLink.age = age(facts.lastLink.end?.uptimeMs)
        let ends = sensor.events.ends.entries(at: now)
        facts.lastLink.losses = ends.filter { $0.reason?.party != .gateway }.reduce(0) { $0 + $1.count }
        facts.controller = sensor.link == .unavailable ? controller.statusDescription : around.controller
        facts.refusal = around.refusal
        var answer = SensorExplanation(
            sensor: sensor.device, state: .link(sensor.link), answer: facts.answer, advice: facts.advice, uptimeMs: now)
        answer.name = sensor.rule.facts.label ?? sensor.name
        answer.address = sensor.peripheral.address
        answer.identifier = sensor.candidate.identifier.uuidString
        answer.add(sensor.standing, at: now)
        answer.link = sensor.record.number
        answer.peculiarities = sensor.record.peculiarities.isEmpty ? nil : sensor.record.peculiarities
        (answer.rssi, answer.usualMs, answer.nextTryMs) = (facts.rssi, facts.usual, facts.nextTry)
        (answer.lastValueAgeMs, answer.lastHeardAgeMs) = (facts.lastValueAge, facts.lastHeardAge)
        answer.radioSecondsDay = sensor.record.radioSecondsDay(readings: sensor.readings.total, at: now)
        answer.add(sensor.events, around.offset)
        return answer
    }

    private func explanation(ofListened sensor: ListenedSensor, _ around: Surroundings) -> SensorExplanation {
        if !sensor.sendsEventsOnly {
            look(at: sensor)
            judge(sensor, at: around.now)
        }
        let now = around.now
        func age(_ moment: Int64?) -> Int64? { moment.map { max(0, now.subtractingSaturated($0)) } }
        var facts = SensorCase(id: sensor.device, link: .listening)
        facts.installation = installation
        facts.owner = owners[sensor.device]
        (facts.lastValueAge, facts.lastHeardAge) = (age(sensor.lastValue), age(lastHeard(sensor)))
        facts.rssi = sensor.signal.rssi.map(Int.init)
        (facts.usual, facts.state) = (sensor.readings.usualMs, sensor.standing.state)
        (facts.trouble, facts.controller) = (sensor.complaint, around.controller)
        facts.unreadAge = age(sensor.unread.at)
        (facts.refusal, facts.unheardAge) = (around.refusal, age(sensor.standing.unheardSince))
        var answer = SensorExplanation(
            sensor: sensor.device, state: .link(.listening), answer: facts.answer, advice: facts.advice, uptimeMs: now)
        (answer.name, answer.address) = (sensor.rule.facts.label ?? sensor.name, sensor.address)
        answer.identifier = sensor.candidate.identifier.uuidString
        (answer.rssi, answer.usualMs) = (facts.rssi, facts.usual)
        (answer.lastValueAgeMs, answer.lastHeardAgeMs) = (facts.lastValueAge, facts.lastHeardAge)
        answer.octets = sensor.unread.octets
        answer.add(sensor.standing, at: now)
        answer.add(sensor.events, around.offset)
        return answer
    }

    // MARK: All other sensors

    /// Awaited by an entry, known from before, in the air, or not known at all.
    private static func explain(
        _ name: DeviceName, in around: Surroundings
    ) -> Result<SensorExplanation, SensorUnknown> {
        if let rule = around.rules.first(where: { name.isAwaited(by: $0) || $0.label == name.text }) {
            return .success(awaited(rule, around))
        }
        let departed = around.departed.last { former in
            let known = DeviceName.Known(
                identifier: former.identifier, id: former.device, name: former.name, address: former.address)
            return name.isOne(of: [known])
        }
        if let departed { return .success(removed(departed, around)) }
        let heard = around.heard.recent(at: around.time).first { device, _ in
            let known = DeviceName.Known(
                identifier: device.candidate.identifier, id: nil, name: device.candidate.name,
                address: device.candidate.address)
            return name.isOne(of: [known])
        }
        if let heard { return .success(notAccepted(heard.device, heard.age, around)) }
        return .failure(SensorUnknown(description: Self.complaint(of: name, in: around)))
    }

    private static func complaint(of name: DeviceName, in around: Surroundings) -> String {
        let others: Advice = ", and no [[sensor]] entry has this name. \(.martlet(.status)) shows all sensors."
        return name.complaint(
            among: around.known, around.rules, departed: around.departed.map(\.device),
            otherwise: others.text(on: around.installation))
    }

    private static func awaited(_ rule: SensorRule, _ around: Surroundings) -> SensorExplanation {
        var awaited = around.heard.awaited([rule], at: around.time).first ?? AwaitedSensor(rule)
        if around.sharesSensors { awaited.mayBeElsewhere = true }
        let wants = awaited.wants.isEmpty ? "no particular device" : awaited.wants
        let seen = awaited.refused.map { heard in
            let signal = heard.rssi.map { " at \($0) dBm" } ?? ""
            return "The sensor is \(awaited.state); last heard \(SpokenTime.of(heard.ageMs)) ago\(signal)."
        }
        var answer = SensorExplanation(
            sensor: awaited.entry, state: .awaited,
            answer: seen ?? "The sensor has not been seen since the gateway started; its entry asks for \(wants).",
            advice: around.controller.map { "Nothing is heard without a controller: \($0)." }
                ?? around.refusal.map { SensorCase.adviceOnRefusal($0, on: around.installation) }
                ?? around.contests[rule.key].map(SensorCase.sentence) ?? awaited.advice(on: around.installation),
            uptimeMs: around.now)
        answer.health = around.controller == nil ? awaited.health : .unknown
        (answer.name, answer.address, answer.awaited) = (awaited.name, awaited.address, awaited)
        if let heard = awaited.refused {
            (answer.rssi, answer.lastHeardAgeMs, answer.octets) = (heard.rssi, heard.ageMs, heard.octets)
        }
        // The sensor may have been collected before, for example until it was unpaired, or before a restart.
        if let id = rule.id {
            if let former = around.departed.last(where: { $0.device == id }) {
                answer.add(former.events, around.offset)
            } else {
                answer.events = formerEvents(of: id, around.fact, boot: around.boot)
            }
        }
        return answer
    }

    private static func removed(_ former: DepartedSensor, _ around: Surroundings) -> SensorExplanation {
        let removal = former.events.last(.removed)
        let ago = removal.map { SpokenTime.of(around.now.subtractingSaturated($0.uptimeMs)) + " ago" } ?? "before"
        let reason = removal?.detail ?? "no entry accepts the sensor any more"
        let address = former.address.map { DeviceAddress(kind: .public, value: $0).description }
        let again: Advice =
            "To collect from the sensor again: write a [[sensor]] entry, or run "
            + "\(.martlet(.accept, address ?? "ADDRESS"))."
        var answer = SensorExplanation(
            sensor: former.device, state: .removed,
            answer: "The gateway let the sensor go \(ago): \(reason).",
            advice: again.text(on: around.installation),
            uptimeMs: around.now)
        answer.health = .off
        answer.name = former.name
        answer.address = address
        answer.identifier = former.identifier.uuidString
        answer.add(former.events, around.offset)
        return answer
    }

    private static func notAccepted(
        _ device: HeardDevices.Device, _ age: Int64, _ around: Surroundings
    ) -> SensorExplanation {
        let address = device.candidate.address.map { DeviceAddress(kind: .public, value: $0).description }
        let signal = device.rssi.map { " at \($0) dBm" } ?? ""
        let name = AdvertisedName.clean(device.candidate.name)
        var answer = SensorExplanation(
            sensor: address ?? device.candidate.identifier.uuidString, state: .notAccepted,
            answer: "The gateway collects nothing from the device: no [[sensor]] entry accepts the device; last heard "
                + "\(SpokenTime.of(age)) ago\(signal).",
            uptimeMs: around.now)
        if !device.isConnectable {
            answer.advice = "The device takes no connection: the gateway can collect nothing."
        } else if device.isPrivate {
            answer.advice =
                "To collect from the device, write an entry with its name: its address changes every few minutes."
        } else {
            let advice: Advice = "To collect from the device: \(.martlet(.accept, address ?? "ADDRESS"))."
            answer.advice = advice.text(on: around.installation)
        }
        (answer.name, answer.address, answer.identifier) = (name, address, device.candidate.identifier.uuidString)
        (answer.rssi, answer.lastHeardAgeMs, answer.octets) = (device.rssi.map(Int.init), age, device.octets)
        return answer
    }
}

extension SensorExplanation {
    fileprivate mutating func add(_ standing: SensorStanding, at now: Int64) {
        health = standing.state
        healthAgeMs = standing.since.map { max(0, now.subtractingSaturated($0)) }
    }

    /// `offset`: Unix time minus uptime, where that is known.
    fileprivate mutating func add(_ history: SensorEvents, _ offset: Int64?) {
        ends = history.ends.entries(at: uptimeMs)
        events = history.story
        guard let offset else { return }
        for index in events.indices { events[index].date(with: offset) }
    }
}

extension AwaitedSensor {
    /// The things to check.
    fileprivate func advice(on installation: Installation) -> String {
        if let advice = refusalAdvice(on: installation) { return advice }
        guard !nearest.isEmpty else {
            let other = mayBeElsewhere == true ? "a phone or another gateway" : "a phone"
            return "No similar device was heard lately: is the sensor switched on, near, and not connected to \(other)?"
        }
        let hints = nearest.map { heard in
            let name = heard.name.map(quoted) ?? "a device without a name"
            let facts = [
                heard.address, heard.rssi.map { "\($0) dBm" }, heard.likeness == .service ? "has the service" : nil,
                heard.connectable ? nil : "takes no connection",
            ]
            return "\(name) (\(facts.compactMap { $0 }.joined(separator: ", ")))"
        }
        return "Is the sensor among these devices, by another name or address? In the air: "
            + hints.joined(separator: "; ") + "."
    }
}
