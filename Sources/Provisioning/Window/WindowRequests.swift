// SPDX-License-Identifier: Apache-2.0

import Gateway
import Operations

/// A request of `martlet provision` on the control socket, as the client writes it. The answer is a ``WindowReport``, for
/// `label` with a ``LabelReport``. The dialogue has ``WindowLine``s, and the client answers with ``WindowAnswer``s.
package struct WindowRequest: Encodable, Equatable, Sendable {
    package var command: String?
    package var action: WindowAction
    /// For `open`.
    package var minutes: Int?
    /// For the dialogue: a person confirms whether a phone shows the same digits. `watch`: only watches, if the window
    /// is open already.
    package var compare: Bool?
    package var watch: Bool?
    /// For `label`.
    package var new: Bool?
    /// For `forget`: address or identifier; nil: all.
    package var phone: String?

    package init(_ action: WindowAction, isDialogue: Bool = false) {
        command = (isDialogue ? OperationName.provisionOpen : .provision).rawValue
        self.action = action
    }
}

extension WindowReport {
    package init(_ state: WindowState) {
        self.init(open: state.isOpen, seconds: state.secondsLeft, failures: state.failures)
    }

    init(_ state: WindowState, _ printed: LabelReport) {
        self.init(state)
        (name, passkey, code) = (printed.name, printed.passkey, printed.code)
        (label, labelTries) = (printed.condition, printed.tries)
        (condition, tries) = (printed.condition, printed.tries)
    }
}

/// The text of a gateway's label.
package struct LabelReport: Equatable, Sendable {
    package var name: String
    package var passkey: String
    package var code: String
    package var condition: String
    package var tries: Int
}

extension LabelReport {
    /// Nil for the report of another action.
    package init?(_ report: WindowReport) {
        guard let name = report.name, let passkey = report.passkey, let code = report.code,
            let condition = report.condition, let tries = report.tries
        else { return nil }
        self.init(name: name, passkey: passkey, code: code, condition: condition, tries: tries)
    }
}

/// The client's line in the dialogue.
package struct WindowAnswer: Codable, Equatable, Sendable {
    package enum Word: String, Codable, Sendable {
        case same, different, close
    }

    package var word: Word
    package init(_ word: Word) { self.word = word }
}

/// The content of a gateway's QR code: docs/provisioning-protocol.md.
package enum PairingCode {
    package static func text(
        name: String, address: String?, passkey: String, confirm: [UInt8]?, random: [UInt8]?
    ) -> String {
        var text = "martlet:1?name=\(escaped(name))"
        if let address { text += "&address=\(address)" }
        text += "&passkey=\(passkey)"
        if let confirm, let random { text += "&confirm=\(hexadecimal(confirm))&random=\(hexadecimal(random))" }
        return text
    }

    private static func hexadecimal(_ octets: [UInt8]) -> String {
        octets.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Percent-encodes all characters except RFC 3986's unreserved characters.
    private static func escaped(_ text: String) -> String {
        text.utf8.map { octet in
            switch octet {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                String(UnicodeScalar(octet))
            default: "%" + hexadecimal([octet]).uppercased()
            }
        }.joined()
    }
}
