// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// Changes of a link's connection parameters: one at a time, and as a Peripheral one request in a while; a value.
struct LinkParameters: Equatable, Sendable {
    /// The parameters that we, as Peripheral, want to request from the Central.
    private(set) var requested: ConnectionParameters?
    /// The parameters that were requested from the Central's link layer.
    private var asked: ConnectionParameters?
    /// When the next such request may be made.
    private(set) var due: MonotonicTime
    /// A change is under way.
    private(set) var isUpdating = false
    /// The latest wish since the current change began.
    private var wanted: ConnectionParameters?

    init(due: MonotonicTime) { self.due = due }

    // MARK: As Peripheral

    mutating func request(_ parameters: ConnectionParameters) { requested = parameters }

    /// The request that may be made now; there is none any more.
    mutating func takeRequest(at now: MonotonicTime) -> ConnectionParameters? {
        guard due <= now else { return nil }
        defer { requested = nil }
        return requested
    }

    mutating func pause(until time: MonotonicTime) { due = time }
    mutating func ask(_ parameters: ConnectionParameters) { asked = parameters }

    /// The link layer has answered.
    mutating func takeAsked() -> ConnectionParameters? {
        defer { asked = nil }
        return asked
    }

    // MARK: Changes

    /// False where another change is under way: of those that are wanted meanwhile, the last counts.
    mutating func begin(_ parameters: ConnectionParameters) -> Bool {
        guard !isUpdating else {
            wanted = parameters
            return false
        }
        isUpdating = true
        return true
    }

    /// The change was made, or refused. Gives what was wanted since.
    mutating func ended() -> ConnectionParameters? {
        isUpdating = false
        defer { wanted = nil }
        return wanted
    }
}
