// SPDX-License-Identifier: Apache-2.0

import HCI

/// The answer of a faulty controller to a command that it claims to carry out.
package struct CommandRefusal: Hashable, Sendable {
    /// The event that carries the refusal. Vol 4, Part E, 4.4 leaves the choice to the controller.
    package enum Form: Hashable, Sendable, CaseIterable {
        /// The event that normally answers the command.
        case usual
        case commandComplete
        case commandStatus
    }

    /// Nil: the controller does not answer at all.
    package let status: HCIStatus?
    package let form: Form
    /// Refuses only commands that begin something: for Scan Enable, only the value 1.
    package let beginningsOnly: Bool
    /// Refuses extended commands that scan or connect only if they ask for more PHYs than LE 1M.
    package let otherPHYsOnly: Bool

    private init(status: HCIStatus?, form: Form, beginningsOnly: Bool, otherPHYsOnly: Bool) {
        (self.status, self.form) = (status, form)
        (self.beginningsOnly, self.otherPHYsOnly) = (beginningsOnly, otherPHYsOnly)
    }

    package static func status(
        _ status: HCIStatus, in form: Form = .usual, beginningsOnly: Bool = false, onOtherPHYsOnly: Bool = false
    ) -> Self {
        Self(status: status, form: form, beginningsOnly: beginningsOnly, otherPHYsOnly: onOtherPHYsOnly)
    }

    package static let silence = Self(status: nil, form: .usual, beginningsOnly: false, otherPHYsOnly: false)

    func concerns(_ opcode: HCIOpcode, _ parameters: ArraySlice<UInt8>) -> Bool {
        if beginningsOnly, parameters.first == 0 { return false }
        guard otherPHYsOnly else { return true }
        // Scanning_PHYs and Initiating_PHYs. Vol 4, Part E, 7.8.64 and 7.8.66.
        let place = opcode == .leExtendedCreateConnection ? 9 : 2
        return parameters.dropFirst(place).first.map { LEPHYs(rawValue: $0) != .le1M } ?? true
    }
}
