// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// The devices that are heard by their advertisements: those that hold a place, and those that claim one.
///
/// Nothing is collected from a device that claims a place. All times in milliseconds since boot.
struct ListenedPlaces {
    /// How long a claim is remembered after its last packet.
    private static let claimMemory: Int64 = 600_000

    /// By address.
    private(set) var holders: [UInt64: ListenedSensor] = [:]
    /// By address.
    private(set) var claims: [UInt64: ListenedSensor] = [:]
    /// Since when the holder of an entry's place has not been heard in this run, by the entry's key; as many as sensors.
    private var awaitedSince: [String: Int64] = [:]

    /// One with a place, or one that claims one.
    subscript(address: UInt64) -> ListenedSensor? { holders[address] ?? claims[address] }
    var addresses: Set<UInt64> { Set(holders.keys).union(claims.keys) }
    /// Some of them say all only when they are asked.
    var needResponses: Bool {
        holders.values.contains { $0.family.needs.needsActiveScan }
            || claims.values.contains { $0.family.needs.needsActiveScan }
    }
    /// Those without proof yet.
    var unheld: Int { holders.values.count { !$0.place.isHeld } }

    func holder(of rule: SensorRule) -> ListenedSensor? { holders.values.first { $0.rule.key == rule.key } }
    func claims(of rule: SensorRule) -> [ListenedSensor] { claims.values.filter { $0.rule.key == rule.key } }
    /// Since when the entry's holder is awaited.
    func awaitedSince(_ rule: SensorRule) -> Int64? { awaitedSince[rule.key] }

    /// The device has the place at its address from now on, and claims it no more.
    mutating func begin(_ sensor: ListenedSensor, at address: UInt64) {
        claims[address] = nil
        holders[address] = sensor
    }

    mutating func end(at address: UInt64) { holders[address] = nil }

    mutating func claim(_ sensor: ListenedSensor, at address: UInt64, now: Int64, maximum: Int) {
        claims[address] = sensor
        if awaitedSince[sensor.rule.key] == nil, awaitedSince.count < maximum { awaitedSince[sensor.rule.key] = now }
    }

    /// Makes room for one claim more: the one that shows least, and was heard longest ago, goes.
    mutating func dropWeakestClaim(_ isProven: (ListenedSensor) -> Bool) {
        let weakest = claims.min { first, second in
            let (isSure, isOtherSure) = (isProven(first.value), isProven(second.value))
            return isSure == isOtherSure ? first.value.place.last < second.value.place.last : !isSure
        }
        if let weakest { claims[weakest.key] = nil }
    }

    /// A device claims again what it still may.
    mutating func dropClaims() { claims = [:] }

    /// Forgets the claims of devices that were not heard lately. True where there was one.
    mutating func expireClaims(at now: Int64) -> Bool {
        let count = claims.count
        claims = claims.filter { now.subtractingSaturated($0.value.place.last) <= Self.claimMemory }
        return claims.count != count
    }

    mutating func removeAll() { (holders, claims) = ([:], [:]) }
}
