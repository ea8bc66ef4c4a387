// SPDX-License-Identifier: Apache-2.0

/// What `martlet selftest` has measured of a board and its adapter. No address and no name is in it: it may be posted.
package struct SelfTestReport: Codable, Equatable, Sendable {
    package struct Board: Codable, Equatable, Sendable {
        package var model: String?
        package var kernel: String?
        package var processors: Int
        package var memoryMib: Int?
        package var temperatureC: Double?
        /// The power supply was too weak since the start; nil where the board does not say.
        package var wasUndervolted: Bool?
        package var hasRtc: Bool
        package var isClockSynchronized: Bool?
    }

    package struct Adapter: Codable, Equatable, Sendable {
        /// `usb`, `serial`, `virtio`; nil for one that is none of the kernel's.
        package var bus: String?
        /// Assigned Numbers, 7.1, as four hexadecimal digits.
        package var company: String
        /// Assigned Numbers, 2.1: 9 is 5.0, 10 is 5.1, …, 13 is 5.4.
        package var hciVersion: Int
        package var hasExtendedAdvertising: Bool
        package var hasCodedPhy: Bool
        package var resolvesPrivateAddresses: Bool
        package var scansWhileInitiating: Bool
        /// ACL packets that it has room for, and the octets of each.
        package var aclCount: Int
        package var aclLength: Int
        /// Entries of its Filter Accept List.
        package var acceptListSize: Int
        /// Milliseconds from the opening to when it could be used.
        package var readyMs: Int
    }

    package struct Advertisements: Codable, Equatable, Sendable {
        package var seconds: Double
        package var packets: Int
        /// Of so many devices.
        package var devices: Int
        package var packetsASecond: Double
        /// The longest time without one, in milliseconds.
        package var longestGapMs: Int
    }

    package struct Links: Codable, Equatable, Sendable {
        /// Sensors that were named, those among them that were heard, and how many links stood at the same time.
        package var asked: Int
        package var heard: Int
        package var up: Int
        /// Why one more did not come about; nil where all that were heard have a link.
        package var refusal: String?
        /// From the wish to the link, in milliseconds.
        package var connectMedianMs: Int?
        /// Reads of one characteristic, one after the other, and the octets of their values; nil where nothing could be read.
        package var readsASecond: Double?
        package var octetsASecond: Int?
    }

    /// Writes of 4 KiB that wait until they are on the disk, in milliseconds.
    package struct Disk: Codable, Equatable, Sendable {
        package var writes: Int
        package var medianMs: Double
        package var worstMs: Double
    }

    package var version: String
    package var board: Board
    package var adapter: Adapter?
    /// Why there is none.
    package var adapterProblem: String?
    package var advertisements: Advertisements?
    /// Nil where no sensor was named.
    package var links: Links?
    package var disk: Disk?
    package var diskProblem: String?
}
