// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import HCI

/// Results of ``HostReplay``. Times are in milliseconds since the first packet.
package struct ReplayReport: Codable, Equatable, Sendable {
    package struct Event: Codable, Equatable, Sendable {
        package enum Kind: String, Codable, Sendable {
            case state, linkUp = "link-up", linkDown = "link-down", decision, cured, restart, trouble
        }

        package var atMs: Int64
        package var kind: Kind
        package var text: String
    }

    /// A decision of this host against trouble.
    package struct Decision: Codable, Equatable, Sendable {
        package var atMs: Int64
        /// A step of the ladder, or `pause`.
        package var step: String
        package var reason: String
        /// The recorded host decided alike; nil at the end of the recording, and after it.
        package var isRecorded: Bool?
    }

    package struct Command: Codable, Equatable, Sendable {
        package var atMs: Int64
        /// As `0x200C`.
        package var opcode: String
    }

    /// Limit of kept events; further events are only counted.
    package static let eventLimit = 2_000

    /// For a support bundle: the title of the recording in the bundle, like `now`.
    package var recording: String?
    package var packets: Int
    package var durationMs: Int64
    /// When the first packet came, in milliseconds since 1970, by the recorder's clock.
    package var startedMs: Int64?
    /// The file ends in the middle of a packet.
    package var isTruncated = false
    /// The recording contains the set-up of the controller. Otherwise an ordinary controller fills the gaps.
    package var beginsWithSetUp: Bool
    /// Commands without an answer from the controller.
    package var unanswered: [Command]
    package var decisions: [Decision] = []
    package var events: [Event] = []
    package var eventsLeftOut = 0
    package var advertisements: UInt64 = 0
    package var dataPackets: UInt64 = 0
    package var malformedPackets: UInt64 = 0
    package var hardwareErrors: UInt64 = 0
    /// `links`: links that came up, with the links from before the recording. `linksAtEnd`: links up at the end.
    package var links = 0
    package var linksAtEnd = 0

    init(packets: Int, durationMs: Int64, beginsWithSetUp: Bool, unanswered: [Command]) {
        self.packets = packets
        self.durationMs = durationMs
        self.beginsWithSetUp = beginsWithSetUp
        self.unanswered = Array(unanswered.prefix(Self.eventLimit))
    }

    mutating func record(at time: MonotonicTime, _ kind: Event.Kind, _ text: String) {
        guard events.count < Self.eventLimit else {
            eventsLeftOut += 1
            return
        }
        events.append(Event(atMs: time.wholeMilliseconds, kind: kind, text: text))
    }

    mutating func linkUp(_ peer: DeviceAddress, at time: MonotonicTime) {
        links += 1
        record(at: time, .linkUp, "\(peer)")
    }

    mutating func linkDown(_ reason: HCIStatus, at time: MonotonicTime) { record(at: time, .linkDown, "\(reason)") }

    mutating func decide(
        _ decision: RecoveryLadder.Decision, _ trouble: RadioTrouble, at time: MonotonicTime, isRecorded: Bool?
    ) {
        let step: String
        switch decision {
        case .take(let taken): step = taken.rawValue
        case .pause: step = "pause"
        }
        record(at: time, .decision, "\(step): \(trouble.words)")
        guard decisions.count < Self.eventLimit else { return }
        decisions.append(
            Decision(
                atMs: time.wholeMilliseconds, step: step, reason: trouble.words, isRecorded: isRecorded))
    }

    mutating func finish(_ counters: HostCounters, links: Int) {
        advertisements = counters.advertisingReports
        dataPackets = counters.aclPacketsReceived
        malformedPackets = counters.malformedPackets
        hardwareErrors = counters.hardwareErrors
        linksAtEnd = links
    }
}
