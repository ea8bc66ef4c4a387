// SPDX-License-Identifier: Apache-2.0

import Gateway
import Operations

/// A request of `martlet provision` on the control socket, as the client writes it. The answer is a ``WindowReport``,
/// or a ``LabelReport`` for `label`. The dialogue has ``WindowLine``s, and the client answers with ``WindowAnswer``s.
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

package struct WindowReport: Codable, Equatable, Sendable {
    package struct Phone: Codable, Equatable, Sendable {
        package var address: String
        package var identifier: String
        package var since: String
    }

    package var open: Bool
    package var opener: String?
    /// Seconds until the window closes by itself.
    package var seconds: Int?
    package var failures: Int
    /// The passkey for the next phone.
    package var passkey: String?
    /// Why no phone can pair.
    package var problem: String?
    /// `good`, `used`, `void`; nil without a label.
    package var label: String?
    package var labelTries: Int?
    package var phones: [Phone]?
    /// The content of a QR code for the next phone.
    package var code: String?
}

package struct LabelReport: Codable, Equatable, Sendable {
    package var name: String
    package var passkey: String
    package var code: String
    package var condition: String
    package var tries: Int
}

/// A line of the dialogue, as the result of a `ControlResponse`.
package struct WindowLine: Codable, Equatable, Sendable {
    package enum Kind: String, Codable, Sendable {
        case state, began, compare, paired, failed
    }

    package var kind: Kind
    package var window: WindowReport?
    /// For `compare`.
    package var digits: String?
    package var text: String?
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
