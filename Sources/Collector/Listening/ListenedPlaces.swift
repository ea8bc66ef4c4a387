// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// The devices that are heard by their advertisements: holders of a place, and devices that claim a place.
///
/// Nothing is collected from a device that claims a place. All times in milliseconds since boot.
struct ListenedPlaces {
    /// How long a claim is remembered after its last packet.
    private static let claimMemory: Int64 = 600_000

    /// By address.
    private(set) var holders: [UInt64: ListenedSensor] = [:]
    /// By address.
    private(set) var claims: [UInt64: ListenedSensor] = [:]
    /// Since when the holder of an entry's place is unheard in this run, by the entry's key; as many as sensors.
    private var awaitedSince: [String: Int64] = [:]

    /// The holder at an address, or the device that claims a place.
    subscript(address: UInt64) -> ListenedSensor? { holders[address] ?? claims[address] }
    /// Whether the device claims a place.
    func isClaiming(_ address: UInt64) -> Bool { !claims.isEmpty && claims[address] != nil }
    var addresses: Set<UInt64> { Set(holders.keys).union(claims.keys) }
    /// Some devices send all their data only in a scan response.
    var needResponses: Bool {
        holders.values.contains { $0.family.needs.needsActiveScan }
            || claims.values.contains { $0.family.needs.needsActiveScan }
    }
    /// Devices with a place and without proof so far.
    var unheld: Int { holders.values.count { !$0.place.isHeld } }

    func holder(of rule: SensorRule) -> ListenedSensor? { holders.values.first { $0.rule.key == rule.key } }
    func claims(of rule: SensorRule) -> [ListenedSensor] { claims.values.filter { $0.rule.key == rule.key } }
    /// Since when the entry's holder is awaited.
    func awaitedSince(_ rule: SensorRule) -> Int64? { awaitedSince[rule.key] }

    /// The device has a place from now on, and claims none.
    mutating func begin(_ sensor: ListenedSensor, at address: UInt64) {
        claims[address] = nil
        holders[address] = sensor
    }

    mutating func end(at address: UInt64) { holders[address] = nil }

    mutating func claim(_ sensor: ListenedSensor, at address: UInt64, now: Int64, maximum: Int) {
        claims[address] = sensor
        if awaitedSince[sensor.rule.key] == nil, awaitedSince.count < maximum { awaitedSince[sensor.rule.key] = now }
    }

    /// Makes room for a further claim: of the claims with the least proof, the claim that was heard longest ago goes.
    mutating func dropWeakestClaim(_ isProven: (ListenedSensor) -> Bool) {
        let weakest = claims.min { first, second in
            let (isSure, isOtherSure) = (isProven(first.value), isProven(second.value))
            return isSure == isOtherSure ? first.value.place.last < second.value.place.last : !isSure
        }
        if let weakest { claims[weakest.key] = nil }
    }

    /// A device makes its claim again if a rule still allows it.
    mutating func dropClaims() { claims = [:] }

    /// Forgets the claims of devices that were not heard lately. True if a claim was forgotten.
    mutating func expireClaims(at now: Int64) -> Bool {
        let count = claims.count
        claims = claims.filter { now.subtractingSaturated($0.value.place.last) <= Self.claimMemory }
        return claims.count != count
    }

    mutating func removeAll() { (holders, claims) = ([:], [:]) }
}
