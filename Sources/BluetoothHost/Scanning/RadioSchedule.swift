// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Uses of the radio beside links.
package struct RadioUsers: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let scan = Self(rawValue: 1 << 0)
    package static let initiate = Self(rawValue: 1 << 1)
    package static let advertise = Self(rawValue: 1 << 2)

    package static let single: [Self] = [.scan, .initiate, .advertise]
    /// Every pair of two different users.
    package static let pairs: [Self] = [[.scan, .initiate], [.scan, .advertise], [.initiate, .advertise]]
}

/// Decides who may use the radio. Compatible users use the radio together. Other users take turns, and the user that
/// has waited longest comes next. Thus no user starves, whatever the other users do.
package struct RadioSchedule: Sendable {
    /// A turn of scanning or initiating. Sensors advertise every second or two.
    package static let slice: Duration = .seconds(4)
    /// A turn with an advertiser on or waiting: a Central that looks for us gives up sooner than we do.
    package static let advertisingSlice: Duration = .seconds(2)

    private var current: RadioUsers = []
    private var lastServed: [RadioUsers: MonotonicTime] = [:]
    /// When turns change next; nil while all users have the radio.
    package private(set) var sliceEnd: MonotonicTime?

    package init() {}

    /// Gives the radio to users. `conflicts`: pairs that cannot use the radio together.
    package mutating func turn(of wanted: RadioUsers, conflicts: Set<RadioUsers>, at now: MonotonicTime) -> RadioUsers {
        // Nearly always: nothing to choose from.
        let isContended = conflicts.contains { $0.isSubset(of: wanted) }
        let groups = isContended ? Self.groups(of: wanted, conflicts) : []
        guard groups.count > 1 else {
            sliceEnd = nil
            current = wanted
            return wanted
        }
        let isOver = sliceEnd.map { $0 <= now } ?? true
        if !isOver, groups.contains(current) { return current }
        // The wishes changed during the turn. A user that is on and still wants the radio stays on for the rest of the
        // turn.
        if !isOver, let rest = groups.first(where: { !current.isDisjoint(with: $0) && current.isSubset(of: $0) }) {
            current = rest
            return current
        }
        for user in RadioUsers.single where current.contains(user) { lastServed[user] = now }
        current = groups.min { waiting(in: $0) < waiting(in: $1) } ?? wanted
        let length = wanted.contains(.advertise) ? Self.advertisingSlice : Self.slice
        sliceEnd = now + length
        return current
    }

    /// When the longest waiting member of the group last had the radio.
    private func waiting(in group: RadioUsers) -> MonotonicTime {
        let never = MonotonicTime(nanoseconds: .min)
        return RadioUsers.single.filter { group.contains($0) }.map { lastServed[$0] ?? never }.min() ?? never
    }

    /// The largest sets of compatible users.
    private static func groups(of wanted: RadioUsers, _ conflicts: Set<RadioUsers>) -> [RadioUsers] {
        let possible = (1...7 as ClosedRange<UInt8>).map(RadioUsers.init(rawValue:)).filter { group in
            group.isSubset(of: wanted) && !conflicts.contains { $0.isSubset(of: group) }
        }
        return possible.filter { group in !possible.contains { $0 != group && group.isSubset(of: $0) } }
    }
}
