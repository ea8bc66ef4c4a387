// SPDX-License-Identifier: Apache-2.0

/// The measurements of `martlet selftest`, for a board and its adapter. Contains no address and no name: people may
/// publish it.
package struct SelfTestReport: Codable, Equatable, Sendable {
    package struct Board: Codable, Equatable, Sendable {
        package var model: String?
        package var kernel: String?
        package var processors: Int
        package var memoryMib: Int?
        package var temperatureC: Double?
        /// The power supply has been too weak since the start; nil if the board does not report this.
        package var wasUndervolted: Bool?
        package var hasRtc: Bool
        package var isClockSynchronized: Bool?
    }

    package struct Adapter: Codable, Equatable, Sendable {
        /// `usb`, `serial`, `virtio`; nil for an adapter that is not the kernel's.
        package var bus: String?
        /// Assigned Numbers, 7.1, as four hexadecimal digits.
        package var company: String
        /// Assigned Numbers, 2.1: 9 is 5.0, 10 is 5.1, …, 13 is 5.4.
        package var hciVersion: Int
        package var hasExtendedAdvertising: Bool
        package var hasCodedPhy: Bool
        package var resolvesPrivateAddresses: Bool
        package var scansWhileInitiating: Bool
        /// The adapter's room for ACL packets, and the octets of each packet.
        package var aclCount: Int
        package var aclLength: Int
        /// Entries of the Filter Accept List.
        package var acceptListSize: Int
        /// Milliseconds from the opening to the ready adapter.
        package var readyMs: Int
    }

    package struct Advertisements: Codable, Equatable, Sendable {
        package var seconds: Double
        package var packets: Int
        /// Devices that sent these packets.
        package var devices: Int
        package var packetsASecond: Double
        /// The longest time without a packet, in milliseconds.
        package var longestGapMs: Int
    }

    package struct Links: Codable, Equatable, Sendable {
        /// Named sensors, named sensors heard, and the most simultaneous links.
        package var asked: Int
        package var heard: Int
        package var up: Int
        /// Why a further link failed; nil if all heard sensors have a link.
        package var refusal: String?
        /// From the connection request to the link, in milliseconds.
        package var connectMedianMs: Int?
        /// Reads of one characteristic, one after the other, and the octets of the values; nil without a readable
        /// value.
        package var readsASecond: Double?
        package var octetsASecond: Int?
    }

    /// Writes of 4 KiB that wait for the disk, in milliseconds.
    package struct Disk: Codable, Equatable, Sendable {
        package var writes: Int
        package var medianMs: Double
        package var worstMs: Double
    }

    package var version: String
    package var board: Board
    package var adapter: Adapter?
    /// Why there is no adapter.
    package var adapterProblem: String?
    package var advertisements: Advertisements?
    /// Nil if no sensors were named.
    package var links: Links?
    package var disk: Disk?
    package var diskProblem: String?
}
