// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Foundation
import Logging
import Readings

/// The common state of accepted sensors. Their values come on a link
/// (``LinkedSensor``), or in advertisements (``ListenedSensor``). Lives on the collector's queue.
class SensorSource {
    /// The facts by which a rule accepted the sensor; judged again when the rules change.
    var candidate: SensorRule.Candidate
    var rule: SensorRule
    /// The `<dev>` of topics.
    var device: String {
        didSet { if device != oldValue { moveValues() } }
    }
    private let sensors: SensorTable
    /// The entry that was found in the table, or put there.
    private var known: SensorEntry?
    var isRemoved = false
    /// Whether the sensor has worked, in this run or an earlier run. Until then the sensor is a candidate, known only
    /// by an advertisement that any device can send.
    var isProven: Bool
    /// Whether the broker has this sensor as online.
    var isAnnounced = false

    /// The sensor's description of its make, as far as requested.
    var information = DeviceInformation()
    var rssi: Int8?
    /// The time of the last sighting by a scan.
    var heardAt: DispatchTime?
    /// ``heardAt``, in milliseconds since boot.
    var heardUptime: Int64?
    /// The time of the last report of the signal to other gateways.
    var signalTold: DispatchTime?
    /// The sensor's events, for `martlet why`.
    var events = SensorEvents()
    var silence = SilenceWatch()
    /// The state that all surfaces show.
    var standing = SensorStanding()
    var sources = SourceCounts()
    var readings: Int { sources.total }
    var lastFailure: String?
    /// The trouble of the sensor's security, and the remedy.
    var trouble: String?

    init(candidate: SensorRule.Candidate, rule: SensorRule, isProven: Bool, sensors: SensorTable) {
        self.sensors = sensors
        self.candidate = candidate
        self.rule = rule
        self.isProven = isProven
        device = Self.device(of: candidate, rule: rule)
    }

    /// The sensor's own name, unchanged.
    var advertisedName: String? { candidate.name }
    /// Its place in the table of sensors, from its first value on.
    var entry: SensorEntry {
        if let known { return known }
        let entry = sensors.entry(of: device)
        known = entry
        return entry
    }
    /// The newest values.
    var values: [LatestValue] { known?.values ?? [] }

    private func moveValues() {
        guard let former = known else { return }
        known = nil
        former.moveValues(to: entry)
    }

    /// It is no sensor any more, or another device is.
    func forgetValues() {
        known?.removeValues()
        known = nil
    }

    /// Characteristics that are not among these are collected no more.
    func keepValues(of characteristics: [String]) { known?.keep(Set(characteristics)) }

    /// When the newest value came, in milliseconds since boot.
    var lastValue: Int64? { known?.newestAt }
    var hasLink: Bool { false }
    /// Since when it is looked for in this run, in milliseconds since boot; nil where that is not known.
    var began: Int64? { nil }

    /// The sensor's own name, fit for payloads and logs.
    var name: String? { AdvertisedName.clean(advertisedName) }

    /// The configured id, or else the digits of the address, or else digits of the identifier, which is as stable.
    static func device(of candidate: SensorRule.Candidate, rule: SensorRule) -> String {
        if let id = rule.id { return id }
        if let address = candidate.address { return DeviceAddress(kind: .public, value: address).compact }
        return String(candidate.identifier.uuidString.lowercased().filter { $0 != "-" }.suffix(12))
    }

    var address: String? { candidate.address.map { DeviceAddress(kind: .public, value: $0).description } }

    var status: SensorStatus {
        SensorStatus(
            id: device, name: name, address: address, identifier: candidate.identifier.uuidString,
            link: .unavailable, rssi: rssi.map(Int.init), readings: readings, drops: 0, reconnects: [:],
            lastFailure: lastFailure, trouble: trouble, missing: [], sources: sources.named, title: title,
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
                ? value.fields.map { ValueText.of($0, characteristic: reading.characteristic) } : nil)
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
