// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Foundation
import Readings

/// Devices that scans have reported and that are no sensors. They only serve to explain why an entry of the
/// configuration has no sensor.
///
/// Bounded for any number of devices: the device that was unheard for longest makes room.
struct HeardDevices: Sendable {
    /// Limit of devices.
    static let capacity = 256
    /// Limit of remembered services for each device.
    static let maximumServices = 16
    /// Entries that are compared with the heard devices; further entries get no hints.
    static let maximumEntries = 32
    static let maximumHints = 3
    /// Nanoseconds. A device that was unheard for longer is gone.
    static let memory: UInt64 = 600_000_000_000

    struct Device: Sendable {
        var candidate: SensorRule.Candidate
        var rssi: Int8?
        var isConnectable: Bool
        /// Its address changes.
        var isPrivate: Bool
        /// The content of the device's advertisement, unless encrypted.
        var packet: AdvertisedPacket?
        /// Nil for a device of a known family, or with unknown octets.
        var octets: HeardOctets?
        var at: UInt64
        var order: UInt64
    }

    private var devices: [UUID: Device] = [:]
    private var order: UInt64 = 0

    var count: Int { devices.count }

    /// The devices heard lately, with the milliseconds since then.
    func recent(at now: DispatchTime) -> [(device: Device, age: Int64)] {
        devices.values.compactMap { device in
            let age = now.uptimeNanoseconds - min(device.at, now.uptimeNanoseconds)
            return age <= Self.memory ? (device, Int64(age / 1_000_000)) : nil
        }
    }

    /// The device at an address.
    func device(at address: UInt64) -> Device? { devices.values.first { $0.candidate.address == address } }

    mutating func record(
        _ candidate: SensorRule.Candidate, rssi: Int8?, isConnectable: Bool, isPrivate: Bool = false,
        packet: AdvertisedPacket? = nil, octets: AdvertisedOctets? = nil, at now: DispatchTime
    ) {
        let identifier = candidate.identifier
        if devices[identifier] == nil, devices.count >= Self.capacity,
            let oldest = devices.min(by: { $0.value.order < $1.value.order })
        {
            devices[oldest.key] = nil
        }
        order += 1
        var candidate = candidate
        candidate.services = Array(candidate.services.prefix(Self.maximumServices))
        // A sighting may lack the data of the scan response.
        candidate.name = candidate.name ?? devices[identifier]?.candidate.name
        if candidate.services.isEmpty { candidate.services = devices[identifier]?.candidate.services ?? [] }
        if candidate.family == nil, let known = devices[identifier]?.candidate {
            (candidate.family, candidate.model) = (known.family, known.model)
        }
        devices[identifier] = Device(
            candidate: candidate, rssi: rssi, isConnectable: isConnectable, isPrivate: isPrivate,
            packet: packet ?? devices[identifier]?.packet,
            octets: candidate.family == nil ? octets.map(HeardOctets.init) : nil, at: now.uptimeNanoseconds,
            order: order)
    }

    /// The entries, each with the devices that are most like it.
    func awaited(_ rules: [SensorRule], at now: DispatchTime) -> [AwaitedSensor] {
        rules.enumerated().map { index, rule in
            AwaitedSensor(rule, nearest: index < Self.maximumEntries ? nearest(to: rule, at: now) : [])
        }
    }

    private func nearest(to rule: SensorRule, at now: DispatchTime) -> [AwaitedSensor.Heard] {
        var found: [(heard: AwaitedSensor.Heard, distance: Int)] = []
        for device in devices.values {
            let age = now.uptimeNanoseconds - min(device.at, now.uptimeNanoseconds)
            guard age <= Self.memory, let (likeness, distance) = rule.likeness(of: device.candidate) else { continue }
            let address = device.candidate.address.map { DeviceAddress(kind: .public, value: $0).description }
            let heard = AwaitedSensor.Heard(
                name: AdvertisedName.clean(device.candidate.name), address: address, rssi: device.rssi.map(Int.init),
                connectable: device.isConnectable, likeness: likeness, ageMs: Int64(age / 1_000_000))
            found.append((rule.judged(heard, device), distance))
        }
        let sorted = found.sorted { one, other in
            (one.distance, -(one.heard.rssi ?? -128), one.heard.address ?? "")
                < (other.distance, -(other.heard.rssi ?? -128), other.heard.address ?? "")
        }
        return sorted.prefix(Self.maximumHints).map(\.heard)
    }
}

extension SensorRule {
    /// Adds the reason why nothing is collected from the rule's device, if the device itself is the reason.
    fileprivate func judged(_ heard: AwaitedSensor.Heard, _ device: HeardDevices.Device) -> AwaitedSensor.Heard {
        // An entry with an address and a family is about the device, even while no family recognises its packets.
        let isMeant = heard.likeness == .all || address != nil && address == device.candidate.address
        guard isMeant, device.candidate.family == nil else { return heard }
        var heard = heard
        if namesNothing, profile == nil, SensorProfile.of(device.candidate.services) == nil {
            (heard.refusal, heard.octets) = (.notUnderstood, device.octets)
        } else if !device.isConnectable {
            (heard.refusal, heard.octets) = (.noConnection, device.octets)
        }
        return heard
    }

    /// A common service counts as this many edits, if nothing else is alike.
    private static let serviceDistance = 32

    /// The likeness of a device to the rule, and its distance from the rule; nil if the device is not alike.
    func likeness(of candidate: Candidate) -> (AwaitedSensor.Heard.Likeness, distance: Int)? {
        if accepts(candidate) { return (.all, 0) }
        if let address, let given = candidate.address {
            let digits = Self.digitsApart(address, given)
            if digits <= Self.slippedDigits { return (.address, digits) }
        }
        if let name, let given = candidate.name, let edits = Self.slip(name, given) { return (.name, edits) }
        let wanted = service.map { [$0] } ?? services
        return wanted.contains(where: candidate.services.contains) ? (.service, Self.serviceDistance) : nil
    }

    /// Digits of an address that a typing error may change.
    static let slippedDigits = 2

    /// In how many hexadecimal digits two addresses differ.
    static func digitsApart(_ one: UInt64, _ other: UInt64) -> Int {
        stride(from: 0, to: 48, by: 4).count { (one ^ other) >> UInt64($0) & 0xF != 0 }
    }

    private static func slip(_ pattern: String, _ name: String) -> Int? {
        guard pattern.last == "*" else { return NearestName.slip(pattern, name) }
        let beginning = String(pattern.dropLast())
        // A missing or additional letter is a typing error, too.
        return (-1...1).compactMap { NearestName.slip(beginning, String(name.prefix(max(0, beginning.count + $0)))) }
            .min()
    }
}

extension Collector {
    /// Entries without a sensor.
    var unanswered: [SensorRule] {
        let present = linked.values.filter { !$0.life.isRemoved }
        let answered = Set(present.map(\.rule.key) + listened.values.map(\.rule.key))
        return rules.filter { !answered.contains($0.key) }
    }
}
