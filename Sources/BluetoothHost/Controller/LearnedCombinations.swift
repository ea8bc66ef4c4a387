// SPDX-License-Identifier: Apache-2.0

/// Combinations of radio users that a controller does not bear, although it may claim them. They are kept as long as
/// the host uses this controller, through every reset.
package struct LearnedCombinations: Sendable {
    /// Refusals with Command Disallowed may have other reasons. This many refusals are no accident.
    package static let strikeLimit = 2

    private var strikes: [RadioUsers: Int] = [:]
    /// Pairs of users that do not go together.
    package private(set) var conflicts: Set<RadioUsers> = []
    /// With this many links, the controller refuses connectable advertising; nil: it never has.
    private var connectableLimit: Int?

    package init() {}

    /// `companyIdentifier`: Assigned Numbers, 7.1.
    package init(companyIdentifier: UInt16) {
        // Some chips of Broadcom (later Cypress) stop answering if they initiate while advertising.
        if [0x000F, 0x0131].contains(companyIdentifier) { conflicts.insert([.initiate, .advertise]) }
    }

    /// A command for `user` was disallowed while `others` used the radio.
    package mutating func refused(_ user: RadioUsers, beside others: RadioUsers) {
        for pair in Self.pairs(of: user, others) {
            strikes[pair, default: 0] += 1
            if strikes[pair, default: 0] >= Self.strikeLimit { conflicts.insert(pair) }
        }
    }

    /// The controller stopped answering when `user` was to start beside `others`.
    package mutating func wedged(_ user: RadioUsers, beside others: RadioUsers) {
        conflicts.formUnion(Self.pairs(of: user, others))
    }

    private static func pairs(of user: RadioUsers, _ others: RadioUsers) -> [RadioUsers] {
        let others = others.subtracting(user)
        return RadioUsers.pairs.filter { $0.isSuperset(of: user) && !$0.isDisjoint(with: others) }
    }

    package func isConnectable(beside links: Int) -> Bool { connectableLimit.map { links < $0 } ?? true }

    /// Connectable advertising was refused beside this number of links.
    package mutating func refusedConnectable(beside links: Int) {
        guard links > 0 else { return }
        connectableLimit = min(connectableLimit ?? links, links)
    }
}
