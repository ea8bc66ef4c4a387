// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// What ``HostReplay`` has seen. Times are in milliseconds since the first packet.
package struct ReplayReport: Codable, Equatable, Sendable {
    package struct Event: Codable, Equatable, Sendable {
        package enum Kind: String, Codable, Sendable {
            case state, linkUp = "link-up", linkDown = "link-down", decision, cured, restart, trouble
        }

        package var atMs: Int64
        package var kind: Kind
        package var text: String
    }

    /// What this host does against trouble.
    package struct Decision: Codable, Equatable, Sendable {
        package var atMs: Int64
        /// A step of the ladder, or `pause`.
        package var step: String
        package var reason: String
        /// The host of the recording did so too; nil at its end, and after it.
        package var isRecorded: Bool?
    }

    package struct Command: Codable, Equatable, Sendable {
        package var atMs: Int64
        /// As `0x200C`.
        package var opcode: String
    }

    /// Events that are kept; more are counted.
    package static let eventLimit = 2_000

    /// Of a support bundle, which of its recordings: what the line above it says, like `now`.
    package var recording: String?
    package var packets: Int
    package var durationMs: Int64
    /// When the first packet came, in milliseconds since 1970, by the clock of whoever recorded it.
    package var startedMs: Int64?
    /// The file ends in the middle of a packet.
    package var isTruncated = false
    /// The set-up of the controller is in it; else an ordinary controller stands in for what it does not show.
    package var beginsWithSetUp: Bool
    /// Commands that the controller did not answer.
    package var unanswered: [Command]
    package var decisions: [Decision] = []
    package var events: [Event] = []
    package var eventsLeftOut = 0
    package var advertisements: UInt64 = 0
    package var dataPackets: UInt64 = 0
    package var malformedPackets: UInt64 = 0
    package var hardwareErrors: UInt64 = 0
    /// Links that came up, those that were there when it began among them, and those that stood at its end.
    package var links = 0
    package var linksAtEnd = 0

    init(packets: Int, durationMs: Int64, beginsWithSetUp: Bool, unanswered: [Command]) {
        self.packets = packets
        self.durationMs = durationMs
        self.beginsWithSetUp = beginsWithSetUp
        self.unanswered = Array(unanswered.prefix(Self.eventLimit))
    }

    mutating func note(at time: MonotonicTime, _ kind: Event.Kind, _ text: String) {
        guard events.count < Self.eventLimit else {
            eventsLeftOut += 1
            return
        }
        events.append(Event(atMs: time.wholeMilliseconds, kind: kind, text: text))
    }

    mutating func linkUp(_ peer: DeviceAddress, at time: MonotonicTime) {
        links += 1
        note(at: time, .linkUp, "\(peer)")
    }

    mutating func linkDown(_ reason: HCIStatus, at time: MonotonicTime) { note(at: time, .linkDown, "\(reason)") }

    mutating func decide(
        _ decision: RecoveryLadder.Decision, _ trouble: RadioTrouble, at time: MonotonicTime, isRecorded: Bool?
    ) {
        let step: String
        switch decision {
        case .take(let taken): step = taken.rawValue
        case .pause: step = "pause"
        }
        note(at: time, .decision, "\(step): \(trouble.words)")
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
