// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Logging
import Platform
import Readings

/// The result of the operator's word about a sensor.
package struct TrustedSensor: Codable, Equatable, Sendable {
    /// Its id in topics.
    package var sensor: String
    /// The device that is the sensor from now on; nil if the word was about the counter of its packets.
    package var address: String?
    /// The result, in a sentence.
    package var text: String

    package init(sensor: String, address: String? = nil, text: String) {
        (self.sensor, self.address, self.text) = (sensor, address, text)
    }
}

extension Collector {
    /// Takes the operator's word: for a device that claims to be the sensor, or, without an address, for the open
    /// question about the sensor: the counter of its packets, or the single device that claims its place. Nil if no
    /// answer comes within `limit`.
    package func trust(
        _ text: String, _ address: UInt64?, within limit: Duration
    ) async -> Result<TrustedSensor, SensorUnknown>? {
        await Waiting.answer(within: limit) {
            (answer: @escaping @Sendable (Result<TrustedSensor, SensorUnknown>) -> Void) in
            queue.async { [self] in
                do throws(SensorUnknown) {
                    answer(.success(try settle(text, address)))
                } catch {
                    answer(.failure(error))
                }
            }
        }
    }

    /// A person has entered a key again: the sensor may count from another number, if its packets go back.
    package func trustCounter(of text: String) {
        queue.async { [self] in
            let name = DeviceName(text)
            for sensor in listened.values where name.isOne(of: [Self.known(sensor)]) { _ = settleCounter(of: sensor) }
        }
    }

    private func settle(_ text: String, _ address: UInt64?) throws(SensorUnknown) -> TrustedSensor {
        guard let (sensor, rule) = try meant(by: text) else {
            let known = (Array(linked.values) + Array(listened.values)).map(Self.known)
            throw SensorUnknown(description: DeviceName(text).complaint(among: known, rules))
        }
        if let address { return try place(address, rule, sensor) }
        let listener = sensor as? ListenedSensor
        if let listener, listener.counter.trouble != nil { return settled(listener) }
        let others = places.claims(of: rule).filter(isProven)
        if let claim = others.first, let address = claim.candidate.address {
            guard others.count == 1 else {
                let names = others.compactMap(\.address).sorted().joined(separator: " or ")
                throw SensorUnknown(description: "several devices claim to be \(rule.label): say which, \(names)")
            }
            return try place(address, rule, sensor)
        }
        if let listener, listener.key.exists { return settled(listener) }
        throw SensorUnknown(
            description: "nothing is in doubt about \(rule.label): give the address of the right device")
    }

    private func settled(_ sensor: ListenedSensor) -> TrustedSensor {
        _ = settleCounter(of: sensor)
        return TrustedSensor(
            sensor: sensor.device, text: "the packets of \(sensor.device) count from where they are now")
    }

    /// The sensor of this name, and its entry; or an entry that waits for a sensor; nil if there is neither. Throws if
    /// several sensors have this name.
    func meant(by text: String) throws(SensorUnknown) -> (SensorSource?, SensorRule)? {
        let sources: [SensorSource] = linked.values.filter { !$0.life.isRemoved } + Array(listened.values)
        do throws(DeviceName.Unclear) {
            let found = try DeviceName(text).pick(sources.map(Self.known))
            if let sensor = sources.first(where: { $0.candidate.identifier == found.identifier }) {
                return (sensor, sensor.rule)
            }
        } catch {
            guard error.isUnknown else { throw SensorUnknown(description: error.description) }
        }
        return rules.first { DeviceName(text).isAwaited(by: $0) }.map { (nil, $0) }
    }

    /// Gives the entry's single place to a device. The device may still be unheard.
    private func place(
        _ address: UInt64, _ rule: SensorRule, _ sensor: SensorSource?
    ) throws(SensorUnknown) -> TrustedSensor {
        guard Self.isOpen(rule) else {
            throw SensorUnknown(
                description: rule.isSingle
                    ? "the entry for \(rule.label) names its device: change the entry"
                    : "the entry for \(rule.label) is about several sensors: none of them takes the place of another")
        }
        guard DeviceAddress(kind: .public, value: address).isDevice else {
            throw SensorUnknown(description: "the address is no device's address")
        }
        let text = DeviceAddress(kind: .public, value: address).description
        let name = rule.id ?? sensor?.device ?? rule.label
        let result = TrustedSensor(sensor: name, address: text, text: "\(text) is \(name) from now on")
        logger.notice("the operator says which device is a sensor", metadata: ["sensor": "\(name)", "peer": "\(text)"])
        keepPlace(of: rule, address)
        for other in Array(linked.values) where other.rule.key == rule.key && other.candidate.address != address {
            unkeep(other.candidate.identifier, of: rule)
            other.life.doubt()
            remove(other, because: "the operator chose another device as the sensor")
        }
        if let claim = places.claims[address], claim.rule.key == rule.key {
            give(claim, from: holder(of: rule), because: "the operator says so")
        } else if let holder = holder(of: rule), let former = holder.candidate.address, former != address {
            letGo(holder, at: former, because: "the operator chose another device as the sensor")
        }
        listened[address]?.contest.settle()
        for claim in places.claims(of: rule) { claim.contest.settle() }
        listenAsNeeded()
        scanAnew()
        return result
    }
}
