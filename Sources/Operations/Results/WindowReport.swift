// SPDX-License-Identifier: Apache-2.0

/// The window in which phones pair, and the gateway's label.
package struct WindowReport: PartlySeen, Equatable {
    package struct Phone: Codable, Equatable, Sendable {
        package var address: String
        package var identifier: String
        package var since: String

        package init(address: String, identifier: String, since: String) {
            (self.address, self.identifier, self.since) = (address, identifier, since)
        }
    }

    package private(set) var open: Bool
    /// `open`, by the key of the release before.
    package private(set) var isOpen: Bool
    package var opener: String?
    /// Seconds until the window closes by itself.
    package private(set) var seconds: Int?
    /// `seconds`, by the page's key.
    package private(set) var secondsLeft: Int?
    package var failures: Int
    /// The passkey for the next phone; the label's for the action `label`.
    package var passkey: String?
    /// Why no phone can pair.
    package var problem: String?
    /// `good`, `used`, `void`; nil without a label.
    package var label: String?
    package var labelTries: Int?
    package var phones: [Phone]?
    /// The content of a QR code for the next phone.
    package var code: String?
    /// For the action `label`: the gateway's name on the label.
    package var name: String?
    /// For the action `label`: `label` and `labelTries`, by keys of their own.
    package var condition: String?
    package var tries: Int?

    package init(open: Bool, seconds: Int? = nil, failures: Int) {
        (self.open, isOpen, self.failures) = (open, open, failures)
        (self.seconds, secondsLeft) = (seconds, seconds)
    }

    /// Only the control socket has passkeys, the label and the phones: others see them where the window shows them.
    package func seen(by caller: OperationRow.Caller) -> Self {
        caller == .socket ? self : Self(open: open, seconds: seconds, failures: failures)
    }
}
