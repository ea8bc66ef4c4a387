// SPDX-License-Identifier: Apache-2.0

/// How many octets of a PDU may reach a file, counted from its code: a list of harmless octets by channel and code.
/// Only the code of a PDU outside the list reaches a file.
struct ToldOctets {
    /// The harmless PDUs of one kind of file, in one direction.
    enum Kind: CaseIterable {
        /// A capture, whose purpose is to show the values that the gateway writes to sensors.
        case captureSent, captureReceived
        /// The flight recorder, whose packets go to helpers.
        case recorderSent, recorderReceived

        fileprivate var isReceived: Bool { self == .captureReceived || self == .recorderReceived }
    }

    private static let all = Int.max
    /// Values of at most this length reach the file: they switch something on, as subscriptions do.
    private static let shortValue = 2

    /// By opcode of the Attribute Protocol.
    private let attributes: [Int]

    init(_ kind: Kind) {
        var attributes = [Int](repeating: 1, count: 256)
        for (opcode, count) in Self.harmless { attributes[Int(opcode)] = count }
        // Both kinds of file exist to show the values of sensors. The gateway's own values are for the peer alone.
        if kind.isReceived { for opcode in Self.valuesOfPeer { attributes[Int(opcode)] = Self.all } }
        switch kind {
        case .captureSent: for opcode in Self.valuesForPeer { attributes[Int(opcode)] = Self.all }
        case .captureReceived: attributes[0x17] = Self.all
        case .recorderSent, .recorderReceived: break
        }
        self.attributes = attributes
    }

    /// - Parameter length: Octets of the PDU, its code included.
    func count(on channel: UInt16, code: UInt8, length: Int) -> Int {
        // The fixed channels of an LE link. Core 5.4, Vol 3, Part A, 2.1.
        switch channel {
        case 0x0004:
            let count = attributes[Int(code)]
            return Self.hasWholeValue(code) && length - Self.shortValue <= count ? length : count
        case 0x0005: return Self.isSignal(code) ? Self.all : 1
        case 0x0006: return Self.isHarmlessPairing(code) ? Self.all : 1
        // Channels of applications carry the applications' data, without a code. Enhanced ATT bearers may be among
        // them.
        default: return 0
        }
    }

    /// The octets of Attribute Protocol PDUs that are harmless from either side: kinds, handles, lengths, and names of
    /// services. Core 5.4, Vol 3, Part F, 3.4.8.
    private static let harmless: [UInt8: Int] = [
        // Error, and the MTU.
        0x01: 5, 0x02: 3, 0x03: 3,
        // Find Information: handles and types.
        0x04: 5, 0x05: all,
        // Find By Type Value: handles and the type. The wanted value may be a guess, and the answer confirms the guess.
        0x06: 7, 0x07: all,
        // Read By Type: the answer shows its lengths and its first handle.
        0x08: 21, 0x09: 4,
        // Read, Read Blob, Read Multiple, Read Multiple Variable: handles.
        0x0A: 3, 0x0C: 5, 0x0E: all, 0x20: all,
        // Read By Group Type: services.
        0x10: 21, 0x11: all,
        // Write, Write Command, Prepare Write and its answer, Execute Write: handles, and offsets in a value.
        0x12: 3, 0x13: 1, 0x52: 3, 0xD2: 3, 0x16: 5, 0x17: 5, 0x18: 2, 0x19: 1,
        // Notification, indication and confirmation.
        0x1B: 3, 0x1D: 3, 0x1E: 1,
    ]
    /// The values of a peer's server: Read By Type, Read, Read Blob, Read Multiple and Read Multiple Variable,
    /// notifications and indications.
    private static let valuesOfPeer: [UInt8] = [0x09, 0x0B, 0x0D, 0x0F, 0x1B, 0x1D, 0x21, 0x23]
    /// The requests to a peer's server: writes and searches.
    private static let valuesForPeer: [UInt8] = [0x06, 0x12, 0x16, 0x52]

    /// The octets after the harmless ones are one whole value.
    private static func hasWholeValue(_ opcode: UInt8) -> Bool {
        switch opcode {
        case 0x06, 0x12, 0x1B, 0x1D, 0x52: true
        default: false
        }
    }

    /// Commands of LE signalling. Core 5.4, Vol 3, Part A, 4.
    private static func isSignal(_ code: UInt8) -> Bool {
        switch code {
        case 0x01, 0x06, 0x07, 0x12...0x1A: true
        default: false
        }
    }

    /// PDUs of the Security Manager that give no key away: Pairing Request, Response and Failed, Security Request,
    /// Public Key, DHKey Check, Keypress Notification. Core 5.4, Vol 3, Part H, 3.3.
    ///
    /// PDUs 0x06…0x0A distribute keys. In LE legacy pairing, Pairing Confirm, 0x03, and Pairing Random, 0x04, give the
    /// key and the passkey away. With a Temporary Key of zero, or one of a million, the random number follows from the
    /// confirm value, and the key from both random numbers (2.2.3, 2.2.4). With Secure Connections, Pairing Random
    /// opens the commitment of Pairing Confirm (2.3.5.6.3). The private key is never sent, and the key of Pairing DHKey
    /// Check depends on the private key.
    private static func isHarmlessPairing(_ code: UInt8) -> Bool {
        switch code {
        case 0x01, 0x02, 0x05, 0x0B, 0x0C, 0x0D, 0x0E: true
        default: false
        }
    }
}
