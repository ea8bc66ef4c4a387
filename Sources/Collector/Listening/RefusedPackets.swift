// SPDX-License-Identifier: Apache-2.0

/// Packets of a sensor that make no reading.
struct RefusedPackets: Equatable, Sendable {
    /// Why a packet of the sensor makes no reading. Counted by name.
    enum Reason: String, Sendable {
        /// Encrypted, and its entry has no key.
        case noKey = "no-key"
        /// The key does not open the packet: the key is wrong, or another device sent the packet.
        case wrongKey = "wrong-key"
        /// Not encrypted, although the entry has a key: any device may have sent the packet.
        case notEncrypted = "not-encrypted"
        /// Authentic, but heard before, or older than an earlier packet.
        case replayed
        /// An encrypted event that nothing distinguishes from a recording.
        case uncounted
        /// Authentic, but too early: the facts of earlier runs were unknown, and there was no room to wait for them.
        case tooEarly = "too-early"
        /// The packet is of another family than the entry's.
        case otherFamily = "other-family"
        /// From the sensor, but with impossible or unknown content; or without a comparable packet that would prove the
        /// key.
        case notUnderstood = "not-understood"
    }

    /// Packets that repeated an earlier packet.
    private(set) var repeats = 0
    private var counts: [Reason: Int] = [:]

    mutating func count(_ reason: Reason, _ packets: Int = 1) {
        guard packets > 0 else { return }
        counts[reason, default: 0] += packets
    }

    mutating func countRepeat() { repeats += 1 }

    /// By the names of the reasons; nil if no packet was refused.
    var named: [String: Int]? {
        counts.isEmpty ? nil : Dictionary(uniqueKeysWithValues: counts.map { ($0.key.rawValue, $0.value) })
    }
}
