// SPDX-License-Identifier: Apache-2.0

/// A value with secrets never prints them.
extension PairingMachine: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<pairing as \(role)>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Prints the code and the length of a PDU: phase 3 sends keys.
extension PairingMachine.Effect: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String {
        switch self {
        case .send(let octets) where octets.first == SMPPDU.failedCode: "send Pairing Failed \(octets.dropFirst())"
        case .send(let octets): "send code \(octets.first ?? 0), \(octets.count) octets"
        case .ask(.display): "ask to display a passkey"
        case .ask(let question): "ask \(question)"
        case .encrypt: "encrypt"
        case .finished(let result): "finished by \(result.model.rawValue)"
        case .failed(let failure): "failed: \(failure)"
        }
    }

    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension PairingSecrets: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<pairing secrets>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension OutOfBandData: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<out of band data>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension LocalOutOfBandData: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<out of band data>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
