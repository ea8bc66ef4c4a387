// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Foundation
import SMP

/// Additive: how two devices make sure of each other while they pair.
public enum CBPairingModel: String, Codable, CaseIterable, Sendable {
    /// Without any check of the other device: no protection against an attacker in the middle.
    case justWorks = "just-works"
    /// Six digits go from one device to the other through people, or are known beforehand.
    case passkeyEntry = "passkey-entry"
    /// Both devices show six digits, which people compare.
    case numericComparison = "numeric-comparison"
    /// The devices exchanged data by other means.
    case outOfBand = "out-of-band"
}

/// Additive: how this end shows digits to people, and lets people enter digits. All values but ``none`` need a
/// ``CBPairingAgent``; without an agent, the value counts as ``none``.
public enum CBPairingCapability: String, Codable, CaseIterable, Sendable {
    /// No person takes part.
    case none
    /// This end can show six digits.
    case display
    /// This end can show six digits, and a person can say whether the other device shows the same digits.
    case displayAndConfirmation = "display-and-confirmation"
    /// A person can enter six digits.
    case keyboard
    /// This end can show six digits, and a person can confirm or enter six digits.
    case keyboardAndDisplay = "keyboard-and-display"
}

/// Additive: the devices that a ``CBController`` pairs with, and how.
///
/// A controller whose program sets no policy has ``onDemand``: the behaviour of Apple's systems. A new policy is
/// closed. It pairs with devices that the application has connected to, when they refuse a request for want of
/// encryption. It refuses the pairings that other devices start.
///
/// ```swift
/// var policy = CBPairingPolicy()              // nobody starts a pairing
/// policy.incoming = .openFor(.seconds(120))   // for two minutes everybody may
/// controller.pairingPolicy = policy
/// ```
///
/// Unless the policy allows them, LE legacy pairing and keys of less than 128 bits are refused: a listener can compute
/// the keys of legacy pairing. Each refusal is in the controller's log at the level `info`, with a remedy.
public struct CBPairingPolicy: Hashable, Sendable {
    /// When other devices may start to pair.
    public enum Incoming: Hashable, Sendable {
        /// Never.
        case closed
        /// Always. An agent is asked each time.
        case open
        /// For this time after the policy was set. The permission ends with the process.
        case openFor(Duration)
        /// On demand. An agent is asked each time.
        ///
        /// A device that has connected to us may pair as long as a published service or channel needs encryption. Such
        /// devices make 128 unauthenticated bonds at most. A device that the application has connected to may pair
        /// whenever it asks for security.
        case onDemand
    }

    /// Whether a new pairing replaces the device's bond.
    public enum Replacement: String, Codable, Sendable {
        /// The bond stays; a new pairing needs its removal first.
        case never
        /// The new bond replaces the old one unless it is weaker: unauthenticated for authenticated, legacy for Secure
        /// Connections, or a shorter key.
        case unlessWeaker = "unless-weaker"
    }

    /// Pairings started by other devices.
    public var incoming: Incoming = .closed
    /// True: ``incoming`` also holds for devices that have connected to us. False: ``incoming`` holds only for devices
    /// that we have connected to, which ask by a Security Request; all other pairings are refused.
    public var admitsCentrals = true
    /// As the Central, the controller pairs with a device that refuses a request for want of authentication or
    /// encryption, and then repeats the request.
    public var pairsOnDemand = true
    /// How this end shows digits to people, and lets people enter digits.
    public var capability: CBPairingCapability = .none
    /// The accepted models.
    public var models = Set(CBPairingModel.allCases)
    /// Keys are kept, and outlast the connection. With false, a successful pairing ends as
    /// ``CBPairingError/Code/notBonded``, and protects the present connection only; existing bonds are used as before.
    public var isBonding = true
    /// Every pairing must be protected against an attacker in the middle: no Just Works.
    public var requiresAuthentication = false
    /// The least octets of a key, 7…16; a value outside is moved to the nearer end.
    public var minimumKeySize = 16
    /// Whether a new pairing replaces the device's bond.
    public var replacement: Replacement = .never
    /// Devices, by identifier, with permission for LE legacy pairing.
    public var legacyPeers: Set<UUID> = []
    /// Devices, by address like `C4:7C:8D:00:11:22`, with permission for LE legacy pairing.
    public var legacyAddresses: Set<String> = []
    /// Passkeys of six digits that are known beforehand, as from a label on the device, by identifier.
    public var passkeys: [UUID: CBPasskey] = [:]
    /// Passkeys by address, like `C4:7C:8D:00:11:22`.
    public var addressPasskeys: [String: CBPasskey] = [:]

    /// Addresses of known devices, like `C4:7C:8D:00:11:22`: a device with another address may not pair under them. The
    /// addresses of ``passkeys`` and ``addressPasskeys`` are reserved anyway.
    public var reservedAddresses: Set<String> = []

    /// The six digits to show at the next pairing of a device that has connected to us, in place of new digits: for
    /// example digits that were shown before, or the digits on a label.
    ///
    /// One pairing at most uses the digits. Further pairings of such devices are refused with "Repeated Attempts"
    /// during this pairing, and after a pairing that may have revealed a digit. Setting the policy again, also with the
    /// same digits, allows one more pairing. A pairing that ends before the exchange of digits does not use them up.
    public var nextPasskey: CBPasskey?
    /// Our data for the next pairing, given by other means than the radio, for example in a QR code. A device with the
    /// data pairs by them; other devices do not need them. One pairing uses the data up, like ``nextPasskey``.
    package var outOfBandData: CBOutOfBandData?

    /// Makes a closed policy: no other device may start a pairing.
    public init() {}

    /// The policy of a controller whose program sets none, as on Apple's systems: a request for a protected value
    /// pairs, in both roles. Without a ``CBPairingAgent`` the pairing is Just Works; an agent is asked for all that a
    /// screen and a keyboard can do. Just Works protects from listeners, but not from an attacker in the middle from
    /// the beginning on, and every device in range may pair. Set a policy if the application needs more.
    public static let onDemand: CBPairingPolicy = {
        var policy = CBPairingPolicy()
        policy.incoming = .onDemand
        policy.capability = .keyboardAndDisplay
        return policy
    }()

    /// No pairing without a call: the policy of a part of the gateway at its beginning and at its end.
    package static let neverByItself: CBPairingPolicy = {
        var policy = CBPairingPolicy()
        policy.pairsOnDemand = false
        return policy
    }()
}

/// Additive: a secret of six digits, printed as a placeholder.
public struct CBPasskey: Hashable, Sendable {
    /// 0…999999.
    let value: UInt32

    /// Reads exactly six digits, zeros in front included; nil for anything else.
    public init?(_ digits: String) {
        guard digits.utf8.count == 6,
            digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let value = UInt32(digits)
        else { return nil }
        self.value = value
    }

    static func digits(_ value: UInt32) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
    }
}

extension CBPasskey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "<passkey>" }
    /// A placeholder, as everywhere.
    public var debugDescription: String { "<passkey>" }
    /// Empty.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

// MARK: - As the host has it

extension CBPairingModel {
    init(_ model: AssociationModel) {
        switch model {
        case .justWorks: self = .justWorks
        case .passkeyEntry: self = .passkeyEntry
        case .numericComparison: self = .numericComparison
        case .outOfBand: self = .outOfBand
        }
    }

    var model: AssociationModel {
        switch self {
        case .justWorks: .justWorks
        case .passkeyEntry: .passkeyEntry
        case .numericComparison: .numericComparison
        case .outOfBand: .outOfBand
        }
    }
}

extension CBPairingCapability {
    var capability: IOCapability {
        switch self {
        case .none: .noInputNoOutput
        case .display: .displayOnly
        case .displayAndConfirmation: .displayYesNo
        case .keyboard: .keyboardOnly
        case .keyboardAndDisplay: .keyboardDisplay
        }
    }
}

extension CBPairingPolicy {
    /// `hasAgent`: an agent is there for ``capability``. `number`: grows with each policy. `addresses`: the address of
    /// an identifier.
    func securityPolicy(
        hasAgent: Bool, setAt start: MonotonicTime, number: UInt64, addresses: (UUID) -> DeviceAddress?
    ) -> SecurityPolicy {
        var policy = SecurityPolicy(minimumKeySize: UInt8(clamping: minimumKeySize))
        policy.pairsOnDemand = pairsOnDemand
        policy.acceptsPairing =
            switch incoming {
            case .closed: .closed
            case .open: .open
            case .onDemand: .onDemand
            case .openFor(let duration): .openUntil(start + max(.zero, min(duration, .seconds(86_400))))
            }
        policy.admitsCentrals = admitsCentrals
        if nextPasskey != nil || outOfBandData != nil {
            policy.once = SecurityPolicy.Once(
                number: number, passkey: nextPasskey?.value, outOfBand: outOfBandData?.local)
        }
        policy.ioCapability = hasAgent ? capability.capability : .noInputNoOutput
        policy.models = Set(models.map(\.model))
        policy.isBondable = isBonding
        policy.requiresAuthentication = requiresAuthentication
        policy.replacement = replacement == .never ? .never : .unlessWeaker
        policy.hasAgent = hasAgent
        for identifier in legacyPeers { if let address = addresses(identifier) { policy.legacyPeers.insert(address) } }
        for text in legacyAddresses { policy.legacyPeers.formUnion(Self.addresses(text)) }
        for text in reservedAddresses { policy.reservedIdentities.formUnion(Self.addresses(text)) }
        for (identifier, passkey) in passkeys {
            if let address = addresses(identifier) { policy.passkeys[address] = passkey.value }
        }
        for (text, passkey) in addressPasskeys {
            for address in Self.addresses(text) { policy.passkeys[address] = passkey.value }
        }
        return policy
    }

    /// Both addresses for the text, as the text does not tell a public address from a random one.
    private static func addresses(_ text: String) -> [DeviceAddress] {
        [DeviceAddress(text, kind: .public), DeviceAddress(text, kind: .random)].compactMap { $0 }
    }
}
