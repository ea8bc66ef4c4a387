// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// The key of a sensor's advertisements, and how well the key opens them. All times in milliseconds since boot.
struct SensorKey: Sendable {
    /// After this many unopened packets in a row, the key counts as wrong. Other devices may send similar packets.
    static let closedLimit = 5
    /// For this time after an opened packet, an entry's key does not count as wrong.
    static let openedMemory: Int64 = 600_000

    /// From the entry, 16, 12 or 24 octets, or from the sensor, 24 octets; nil without a key.
    private(set) var octets: [UInt8]?
    /// The key is from the sensor, which can be asked again.
    private(set) var isOfSensor = false
    /// The key has opened the last packet, and has proved that the packet is whole and from the sensor.
    private(set) var isSealing = false
    /// The question to the sensor for its key.
    var quest = KeyQuest()
    /// The proof of the key, for a cipher without authentication.
    private var proof = KeyProof()
    /// Packets in a row that the key did not open.
    private var closed = 0
    /// The time of the last opened packet.
    private var openedAt: Int64?

    init(_ secret: Secret?) { octets = Self.octets(secret) }

    private static func octets(_ secret: Secret?) -> [UInt8]? { secret.flatMap { [UInt8](hexadecimal: $0.revealed) } }

    var exists: Bool { octets != nil }
    /// The key has opened a packet of the sensor.
    var hasOpened: Bool { openedAt != nil }

    /// The entry has another key.
    mutating func change(to secret: Secret?) { change(to: Self.octets(secret)) }

    private mutating func change(to octets: [UInt8]?) {
        (self.octets, isOfSensor) = (octets, false)
        (closed, openedAt, proof) = (0, nil, KeyProof())
    }

    /// Takes the octets of the sensor's characteristic Encrypted Data Key Material.
    mutating func take(_ material: [UInt8]) -> KeyQuest.Outcome {
        guard material.count == KeyMaterial.length else {
            return .failed(
                "its characteristic 2B88 has \(material.count) octets, and \(KeyMaterial.length) are a key"
            )
        }
        guard material != octets else { return .sameKey }
        change(to: material)
        isOfSensor = true
        return .newKey
    }

    /// The key has opened a packet of the sensor.
    mutating func opened(at now: Int64) { (closed, openedAt) = (0, now) }

    /// The key has not opened a packet. True if the key seems to be wrong.
    mutating func failed(at now: Int64) -> Bool {
        closed += 1
        return closed >= Self.closedLimit && (isOfSensor || !wasRight(at: now))
    }

    /// The key has opened a packet lately.
    func wasRight(at now: Int64) -> Bool {
        openedAt.map { now.subtractingSaturated($0) < Self.openedMemory } ?? false
    }

    /// A packet counts. True if this changes ``isSealing``.
    mutating func recordSealing(_ isSealed: Bool) -> Bool {
        defer { isSealing = isSealed }
        return isSealing != isSealed
    }

    // MARK: Ciphers without authentication

    /// Whether the packets that the key opens are the sensor's.
    func proves(_ packet: SealedPacket) -> Bool { !packet.needsProof || proof.isProven }

    /// Compares an opened packet with the packets before. `discarded`: packets that could not be compared.
    mutating func judge(
        _ packet: AdvertisedPacket, at stamp: TimeStamp
    ) -> (verdict: KeyProof.Verdict, discarded: Int) {
        let before = proof.discarded
        let verdict = proof.judge(packet, at: stamp)
        return (verdict, proof.discarded - before)
    }
}
