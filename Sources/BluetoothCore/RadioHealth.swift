// SPDX-License-Identifier: Apache-2.0

/// The state of the radio, and the steps that were taken to recover it.
package struct RadioHealth: Codable, Equatable, Sendable {
    /// A recovery step, or its result.
    package struct Event: Codable, Equatable, Sendable {
        package enum Outcome: String, Codable, Sendable {
            /// A step was taken.
            case taken
            /// A step could not be taken.
            case failed
            /// The radio works again.
            case cured
        }

        /// Counts the events of this run of the program, from 1.
        package var number: UInt64
        package var outcome: Outcome
        /// Nil if the radio came back by itself.
        package var step: RecoveryStep?
        /// The fault, or why the step failed.
        package var reason: String
        /// When, in milliseconds since boot.
        package var uptimeMs: Int64
        /// For a cure: how long the fault had lasted, in milliseconds.
        package var lastedMs: Int64?

        package init(
            number: UInt64, _ outcome: Outcome, step: RecoveryStep?, reason: String, uptimeMs: Int64,
            lastedMs: Int64? = nil
        ) {
            self.number = number
            self.outcome = outcome
            self.step = step
            self.reason = reason
            self.uptimeMs = uptimeMs
            self.lastedMs = lastedMs
        }
    }

    /// A use of the radio that the controller refuses altogether.
    package struct Refusal: Codable, Equatable, Sendable {
        package enum Use: String, Codable, Sendable {
            case scan
            case connect
            case advertise
        }

        package var use: Use
        /// A sentence without its full stop.
        package var reason: String

        package init(_ use: Use, reason: String) { (self.use, self.reason) = (use, reason) }
    }

    /// Events that are kept.
    package static let capacity = 16

    /// The present fault; nil while the radio works.
    package var trouble: String?
    /// The newest events, in the order of time; at most ``capacity``.
    package private(set) var events: [Event] = []
    /// How often each step was taken in this run of the program.
    package private(set) var taken: [String: UInt64] = [:]
    /// When an advertisement was heard last, in milliseconds since boot.
    package var lastAdvertMs: Int64?
    /// When a packet of a link was heard last, in milliseconds since boot.
    package var lastLinkMs: Int64?
    /// The controller has granted the last scan, though it need not scan at this very moment.
    package var isScanning = false
    /// Uses of the radio that the controller refuses for good, though the controller works otherwise; nil: none.
    package var refusals: [Refusal]?

    package init() {}

    /// Notes an event, with the next number.
    package mutating func record(
        _ outcome: Event.Outcome, step: RecoveryStep?, reason: String, uptimeMs: Int64, lastedMs: Int64? = nil
    ) {
        let number = (events.last?.number ?? 0) + 1
        if events.count == Self.capacity { events.removeFirst() }
        events.append(
            Event(number: number, outcome, step: step, reason: reason, uptimeMs: uptimeMs, lastedMs: lastedMs))
        if outcome == .taken, let step { taken[step.rawValue, default: 0] += 1 }
    }
}
