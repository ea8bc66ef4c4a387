// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Foundation
import SMP

/// Additive: how two devices make sure of each other while they pair.
public enum CBPairingModel: String, Codable, CaseIterable, Sendable {
    /// Nobody makes sure of anything: no protection against somebody in the middle.
    case justWorks = "just-works"
    /// Six digits go from one device to the other through people, or are known beforehand.
    case passkeyEntry = "passkey-entry"
    /// Both devices show six digits, which people compare.
    case numericComparison = "numeric-comparison"
    /// Data went from one device to the other by other means.
    case outOfBand = "out-of-band"
}

/// Additive: what this end can show to people, and take in from them. Whatever it says needs a ``CBPairingAgent`` that
/// does it; without one, it counts as ``none``.
public enum CBPairingCapability: String, Codable, CaseIterable, Sendable {
    /// Nobody is there.
    case none
    /// Six digits can be shown.
    case display
    /// Six digits can be shown, and somebody can say whether the other device shows the same.
    case displayAndConfirmation = "display-and-confirmation"
    /// Six digits can be entered.
    case keyboard
    /// All of that.
    case keyboardAndDisplay = "keyboard-and-display"
}

/// Additive: whom a ``CBController`` pairs with, and how.
///
/// A controller whose program sets no policy has ``onDemand``: what Apple's systems do by themselves. A policy that is made
/// here is closed until it is told otherwise: it pairs with devices that the application has connected to when they refuse
/// something for want of encryption, and refuses what other devices start.
///
/// ```swift
/// var policy = CBPairingPolicy()              // nobody starts a pairing
/// policy.incoming = .openFor(.seconds(120))   // for two minutes everybody may
/// controller.pairingPolicy = policy
/// ```
///
/// Under every policy LE legacy pairing, whose keys somebody who listens can compute, and keys of less than 128 bits are
/// refused unless it says otherwise. Each refusal is in the controller's log at the level `info`, with a remedy.
public struct CBPairingPolicy: Hashable, Sendable {
    /// When other devices may start to pair.
    public enum Incoming: Hashable, Sendable {
        /// Never.
        case closed
        /// Always. With an agent, it is asked each time.
        case open
        /// For so long from when the policy was set. Nothing of it outlives the process.
        case openFor(Duration)
        /// When there is a demand. With an agent, it is asked each time.
        ///
        /// A device that has connected to us may pair as long as a service or a channel that is published needs encryption;
        /// such devices make 128 bonds at most that are not authenticated. A device that the application has connected to
        /// may pair whenever it asks for security.
        case onDemand
    }

    /// What becomes of a bond when its device pairs anew.
    public enum Replacement: String, Codable, Sendable {
        /// The bond stays; it has to be removed first.
        case never
        /// The new one takes its place unless it is weaker: unauthenticated for authenticated, legacy for Secure
        /// Connections, or a shorter key.
        case unlessWeaker = "unless-weaker"
    }

    /// Pairings that other devices start.
    public var incoming: Incoming = .closed
    /// What ``incoming`` says holds for devices that have connected to us, too; otherwise for those alone that we have
    /// connected to, which ask by a Security Request. Others are refused, whoever might agree.
    public var admitsCentrals = true
    /// A device that we are connected to as the Central is paired with when it refuses something for want of
    /// authentication or encryption; what it refused is then asked again.
    public var pairsOnDemand = true
    /// What this end can show and take in.
    public var capability: CBPairingCapability = .none
    /// The models that are accepted.
    public var models = Set(CBPairingModel.allCases)
    /// Keys are kept, so that they outlast the connection. Without, a pairing that succeeds ends as
    /// ``CBPairingError/Code/notBonded``, and protects the connection that it was made on; bonds that are there are used
    /// as before.
    public var isBonding = true
    /// Every pairing must be protected against somebody in the middle: no Just Works.
    public var requiresAuthentication = false
    /// Octets that a key must have, 7…16; others are moved to the nearer end.
    public var minimumKeySize = 16
    /// What becomes of a bond when its device pairs anew.
    public var replacement: Replacement = .never
    /// Devices, by identifier, that may pair by LE legacy pairing.
    public var legacyPeers: Set<UUID> = []
    /// The same by address, like `C4:7C:8D:00:11:22`.
    public var legacyAddresses: Set<String> = []
    /// Passkeys of six digits that are known beforehand, as from a label on the device, by identifier.
    public var passkeys: [UUID: CBPasskey] = [:]
    /// The same by address, like `C4:7C:8D:00:11:22`.
    public var addressPasskeys: [String: CBPasskey] = [:]

    /// Addresses of devices that are known, like `C4:7C:8D:00:11:22`: nobody with another address may pair under them. Those
    /// of ``passkeys`` and ``addressPasskeys`` are reserved anyway.
    public var reservedAddresses: Set<String> = []

    /// The six digits that the next pairing which a device that has connected to us starts shows instead of new ones, as
    /// where they were shown before, or stand on a label.
    ///
    /// They are used by one pairing at most. While that goes on, and once any of the digits may be known from it, pairings that
    /// such devices start are refused with "Repeated Attempts", until the policy is set again; setting it again with the same
    /// digits allows one more. A pairing that ends before its devices have come to the digits does not use them up.
    public var nextPasskey: CBPasskey?
    /// Data of ours that was given by other means than the radio, as in a QR code, to whoever pairs next. Devices that have
    /// it pair by it, others do not need it. One pairing uses it up as it does ``nextPasskey``.
    package var outOfBandData: CBOutOfBandData?

    /// Lets nobody in who starts a pairing.
    public init() {}

    /// The policy of a controller whose program sets none, as on Apple's systems: a request for a protected value pairs, in
    /// both roles. The pairing is Just Works without a ``CBPairingAgent``; an agent is asked what a screen and a keyboard can do. Such a
    /// key protects from those who listen, not from somebody who was in the middle from the beginning, and whoever is near
    /// enough may pair. Set a policy where that is too little.
    public static let onDemand: CBPairingPolicy = {
        var policy = CBPairingPolicy()
        policy.incoming = .onDemand
        policy.capability = .keyboardAndDisplay
        return policy
    }()

    /// Nobody pairs but by a call: what a part of the gateway begins with, and ends with.
    package static let neverByItself: CBPairingPolicy = {
        var policy = CBPairingPolicy()
        policy.pairsOnDemand = false
        return policy
    }()
}

/// Additive: six digits that nobody may see: they print as a placeholder.
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
    /// `hasAgent`: somebody is there for what ``capability`` says. `number`: grows with each policy that is set.
    /// `addresses`: of identifiers.
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

    /// Nobody says of an address whether it is public or random.
    private static func addresses(_ text: String) -> [DeviceAddress] {
        [DeviceAddress(text, kind: .public), DeviceAddress(text, kind: .random)].compactMap { $0 }
    }
}
