// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Foundation
import Logging
import Readings

/// The common state of accepted sensors. Their values come on a link
/// (``LinkedSensor``), or in advertisements (``ListenedSensor``). Lives on the collector's queue.
///
/// Each part is a value with private state, and its rules are its functions.
class SensorSource {
    /// The facts by which a rule accepted the sensor; judged again when the rules change.
    private(set) final var candidate: SensorRule.Candidate
    private(set) final var rule: SensorRule
    /// Its place in the table of sensors, from its first value on.
    final var entry: EntryHold
    final var life: SensorLife
    /// The sensor's description of its make, as far as requested.
    final var information = DeviceInformation()
    final var signal = SensorSignal()
    /// The sensor's events, for `martlet why`.
    final var events = SensorEvents()
    final var readings = SensorReadings()
    /// The state that all surfaces show.
    final var standing = SensorStanding()
    final var trouble = SensorTrouble()

    init(candidate: SensorRule.Candidate, rule: SensorRule, life: SensorLife, sensors: SensorTable) {
        self.candidate = candidate
        self.rule = rule
        self.life = life
        entry = EntryHold(Self.device(of: candidate, rule: rule), in: sensors)
    }

    /// The `<dev>` of topics.
    final var device: String { entry.device }
    /// The sensor's own name, unchanged.
    var advertisedName: String? { candidate.name }
    /// When the newest value came, in milliseconds since boot.
    var lastValue: Int64? { entry.newestAt }
    var hasLink: Bool { false }

    /// The sensor's own name, fit for payloads and logs.
    var name: String? { AdvertisedName.clean(advertisedName) }

    /// The configured id, or else the digits of the address, or else digits of the identifier, which is as stable.
    static func device(of candidate: SensorRule.Candidate, rule: SensorRule) -> String {
        if let id = rule.id { return id }
        if let address = candidate.address { return DeviceAddress(kind: .public, value: address).compact }
        return String(candidate.identifier.uuidString.lowercased().filter { $0 != "-" }.suffix(12))
    }

    /// The sensor belongs to this rule from now on.
    final func follow(_ rule: SensorRule) { self.rule = rule }

    /// A bond has told the sensor's lasting address.
    final func identified(at address: UInt64?) { candidate.address = address }

    /// The rule or the address has changed, and the sensor's id may have changed with them.
    final func rename() { entry.rename(to: Self.device(of: candidate, rule: rule)) }

    var address: String? { candidate.address.map { DeviceAddress(kind: .public, value: $0).description } }

    var status: SensorStatus {
        SensorStatus(
            id: device, name: name, address: address, identifier: candidate.identifier.uuidString,
            link: .unavailable, rssi: signal.rssi.map(Int.init), readings: readings.total, drops: 0, reconnects: [:],
            lastFailure: trouble.failure, trouble: trouble.text, missing: [], sources: readings.named, title: title,
            label: rule.facts.label, room: rule.facts.room, offsets: offsets, values: [])
    }

    /// The best name for people.
    var title: String { rule.facts.title(id: device, name: name) }

    private var offsets: [String: Double]? {
        let offsets = rule.facts.offsets.compactMap { quantity, offset in
            Field.Value.decimal(offset).number.map { (quantity.key, $0) }
        }
        return offsets.isEmpty ? nil : Dictionary(offsets) { first, _ in first }
    }

    var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = ["sensor": "\(device)"]
        if let address { metadata["peer"] = "\(address)" }
        if let name = rule.facts.label ?? name { metadata["sensor.name"] = "\(name)" }
        return metadata
    }
}

extension SensorStatus.Value {
    init(_ value: LatestValue) {
        let reading = value.reading
        self.init(
            characteristic: reading.characteristic, value: reading.value.hexadecimal,
            source: reading.source.rawValue, uptimeMs: reading.stamp.uptimeMilliseconds,
            unixMs: reading.stamp.unixMilliseconds,
            fields: value.fields?.map { DecodedField($0) },
            text: value.isCorrected
                ? value.fields.map { ValueText.of($0, characteristic: reading.characteristic) }
                : value.fields == nil ? ValueText.string(of: reading.characteristic, value: reading.value) : nil)
    }

    /// States whose end the sensor never reports are over after their time.
    mutating func endStates() {
        guard let ageMs, let octets = [UInt8](hexadecimal: value) else { return }
        let seconds = SensorFamilies.family(characteristic)?.impulses(of: octets) ?? [:]
        guard !seconds.isEmpty else { return }
        fields = fields?.map { field in
            guard let duration = Quantity(key: field.quantity).flatMap({ seconds[$0] }),
                ageMs / 1_000 >= Int64(clamping: duration)
            else { return field }
            var field = field
            field.value = .number(0)
            return field
        }
    }
}
