// SPDX-License-Identifier: Apache-2.0

import HCI

/// The answer of a faulty controller to a command that it claims to carry out.
package struct CommandRefusal: Hashable, Sendable {
    /// The event that a refusal comes in. Vol 4, Part E, 4.4 leaves the choice to the controller.
    package enum Form: Hashable, Sendable, CaseIterable {
        /// The one that the command has where it is granted.
        case usual
        case commandComplete
        case commandStatus
    }

    /// Nil: it does not answer at all.
    package let status: HCIStatus?
    package let form: Form
    /// Only what begins something is refused: of Scan Enable, the one with 1.
    package let beginningsOnly: Bool
    /// Only what asks for more than LE 1M is refused, of the extended commands that scan and connect.
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
