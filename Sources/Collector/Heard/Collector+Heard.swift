// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Foundation
import Platform
import Readings

/// The devices in the air, for a person who chooses sensors.
extension Collector {
    static let maximumHeard = 256

    /// All devices heard in the last minutes, sensors first, then strongest first; nil if no answer comes within
    /// `limit`. Makes the radio listen for all devices for a while.
    package func heardSensors(within limit: Duration) async -> [HeardSensor]? {
        let found = await Waiting.answer(within: limit) { (answer: @escaping @Sendable ([HeardSensor]) -> Void) in
            queue.async { [self] in
                scan.ask(at: now)
                scanIfNeeded()
                answer(heardNow)
            }
        }
        guard let found else { return nil }
        let sorted = found.sorted { one, other in
            (one.isAccepted ? 0 : 1, -(one.rssi ?? -128), one.address)
                < (other.isAccepted ? 0 : 1, -(other.rssi ?? -128), other.address)
        }
        return Array(sorted.prefix(Self.maximumHeard)).sorted { one, other in
            (-(one.rssi ?? -128), one.address) < (-(other.rssi ?? -128), other.address)
        }
    }

    /// The facts known of a device at an address: whether it was heard, its advertised services, and whether its
    /// address changes.
    package func heard(
        at address: UInt64, within limit: Duration
    ) async -> (isHeard: Bool, services: [BluetoothUUID], family: String?, isPrivate: Bool) {
        let found = await Waiting.answer(within: limit) {
            (answer: @escaping @Sendable ((Bool, [BluetoothUUID], String?, Bool)) -> Void) in
            queue.async { [self] in
                if let sensor = listened[address] { return answer((true, [], sensor.family.family, false)) }
                if let sensor = linked.values.first(where: { $0.candidate.address == address }) {
                    let services = sensor.candidate.services.isEmpty ? sensor.rule.services : sensor.candidate.services
                    return answer((true, services, nil, sensor.pairing.isStranger))
                }
                let device = heard.device(at: address)
                answer(
                    (
                        device != nil, device?.candidate.services ?? [], device?.candidate.family,
                        device?.isPrivate ?? false
                    ))
            }
        }
        guard let found else { return (false, [], nil, false) }
        return (isHeard: found.0, services: found.1, family: found.2, isPrivate: found.3)
    }

    /// The id of a sensor at an address, and its identifier while it has a link, because it does not advertise then.
    package func collected(at address: UInt64, within limit: Duration) async -> (id: String?, linked: UUID?) {
        let found = await Waiting.answer(within: limit) { (answer: @escaping @Sendable ((String?, UUID?)) -> Void) in
            queue.async { [self] in
                if let sensor = listened[address] { return answer((sensor.device, nil)) }
                guard let sensor = linked.values.first(where: { $0.candidate.address == address && !$0.life.isRemoved })
                else { return answer((nil, nil)) }
                let isLinked = sensor.peripheral.state == .connected
                answer((sensor.device, isLinked ? sensor.candidate.identifier : nil))
            }
        }
        return (id: found?.0, linked: found?.1)
    }

    private var heardNow: [HeardSensor] {
        let now = self.now
        let present = linked.values.filter { !$0.life.isRemoved }
        var found = present.compactMap { heardSensor($0, at: now) } + listened.values.map { heardSensor($0, at: now) }
        var known = Set(found.map(\.address))
        for (device, age) in heard.recent(at: now) {
            guard let value = device.candidate.address else { continue }
            let address = DeviceAddress(kind: .public, value: value).description
            guard known.insert(address).inserted else { continue }
            let rule = rules.first { $0.accepts(device.candidate) }
            let name = AdvertisedName.clean(device.candidate.name)
            found.append(
                HeardSensor(
                    address: address, name: rule?.facts.label ?? name, rssi: device.rssi.map(Int.init),
                    family: device.candidate.family ?? SensorProfile.of(device.candidate.services)?.name, id: rule?.id,
                    isAccepted: rule != nil, isConnectable: device.isConnectable, values: values(of: device),
                    trouble: device.isPrivate && rule == nil ? Self.privateTrouble : nil, ageMs: age,
                    title: rule.map { $0.facts.title(id: Self.id(of: value, $0), name: name) }))
        }
        // Sensors that an entry expects by their address.
        for rule in rules {
            guard let value = rule.address else { continue }
            let address = DeviceAddress(kind: .public, value: value).description
            guard known.insert(address).inserted else { continue }
            found.append(
                HeardSensor(
                    address: address, name: rule.facts.label, family: SensorProfile.of(rule.services)?.name,
                    id: Self.id(of: value, rule), isAccepted: true, trouble: "the sensor was not heard yet",
                    ageMs: Int64(HeardDevices.memory / 1_000_000),
                    title: rule.facts.title(id: Self.id(of: value, rule), name: nil)))
        }
        return found
    }

    /// The advertised values of a device that no entry accepts.
    private func values(of device: HeardDevices.Device) -> [String] {
        guard let family = device.candidate.family, let packet = device.packet else { return [] }
        return [ValueText.of(characteristic: family, value: packet.value)]
    }

    private func heardSensor(_ sensor: ListenedSensor, at now: DispatchTime) -> HeardSensor {
        let status = sensor.status
        return HeardSensor(
            address: sensor.address ?? "", name: sensor.rule.facts.label ?? sensor.name, rssi: status.rssi,
            family: status.family,
            id: sensor.device, isAccepted: true, isConnectable: false,
            values: status.values.map(\.words), trouble: status.trouble,
            ageMs: sensor.signal.age(at: now) ?? Int64(HeardDevices.memory / 1_000_000), title: sensor.title)
    }

    package static let privateTrouble =
        "its address changes every few minutes: the device needs an entry with its name in the configuration file"

    private static func id(of address: UInt64, _ rule: SensorRule) -> String {
        rule.id ?? DeviceAddress(kind: .public, value: address).compact
    }

    private func heardSensor(_ sensor: LinkedSensor, at now: DispatchTime) -> HeardSensor? {
        guard let value = sensor.candidate.address else { return nil }
        let status = sensor.status
        let services = sensor.candidate.services.isEmpty ? sensor.rule.services : sensor.candidate.services
        let values = status.values.map(\.words)
        var trouble = status.trouble ?? status.lastFailure
        if trouble == nil, !status.missing.isEmpty { trouble = status.missing.joined(separator: "; ") }
        return HeardSensor(
            address: DeviceAddress(kind: .public, value: value).description,
            name: sensor.rule.facts.label ?? sensor.name, rssi: status.rssi,
            family: SensorProfile.of(services)?.name ?? SensorProfile.of(sensor.rule.services)?.name,
            id: sensor.device, isAccepted: true, values: values, trouble: trouble,
            ageMs: age(of: sensor, status, at: now), title: sensor.title)
    }

    /// Milliseconds since the last sighting, value or link.
    private func age(of sensor: LinkedSensor, _ status: SensorStatus, at now: DispatchTime) -> Int64 {
        if sensor.link == .settingUp { return 0 }
        let uptime = self.uptime
        var ages = status.values.map { max(0, uptime.subtractingSaturated($0.uptimeMs)) }
        if let age = sensor.signal.age(at: now) { ages.append(age) }
        return ages.min() ?? (sensor.link == .collecting ? 0 : Int64(HeardDevices.memory / 1_000_000))
    }
}
