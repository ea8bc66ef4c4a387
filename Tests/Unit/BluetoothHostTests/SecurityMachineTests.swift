// SPDX-License-Identifier: Apache-2.0

import SMP
import BluetoothCore
import BluetoothHost
import HCI
import Testing

/// The machines under the host's security, each alone.
struct SecurityMachineTests {
    private static let start = MonotonicTime(nanoseconds: 1_000_000_000)

    private func bond(keySize: UInt8 = 16, isAuthenticated: Bool = true) throws -> Bond {
        try #require(Sample.bond(1, keySize: keySize, isAuthenticated: isAuthenticated))
    }

    // MARK: Encryption

    enum Step: Sendable {
        /// Encryption begins, or not, with the key of a bond.
        case start(isAuthenticated: Bool = true, Bool = true)
        /// The controller reports encryption.
        case change(
            HCIStatus = .success, isEnabled: Bool = true, keySize: UInt8? = nil, minimum: UInt8 = 16,
            gives: EncryptionMachine.Outcome = .encrypted)
        /// Seconds since the start.
        case expire(Int, HCIStatus? = nil)
        /// The protection of the link, and the state of the machine.
        case has(LinkSecurity?, holdsData: Bool = false, isChanging: Bool = false)
    }

    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var isCentral = true
        let steps: [Step]
    }

    private static func key(isAuthenticated: Bool = true, _ size: UInt8 = 16) -> LinkSecurity {
        LinkSecurity(isEncrypted: true, isAuthenticated: isAuthenticated, isSecureConnections: true, keySize: size)
    }

    private static let failures: [HCIStatus] = [
        .pinOrKeyMissing, .micFailure, .llResponseTimeout, .unsupportedRemoteFeature,
    ]

    private static let ways: [Row] =
        [
            Row(
                testDescription: "a link is worth what its key is worth, once the controller says that it is in use",
                steps: [
                    .has(nil), .start(), .has(nil, holdsData: true, isChanging: true), .start(false), .change(),
                    .has(key()),
                ]),
            Row(
                testDescription: "while the key changes the old one counts",
                steps: [
                    .start(isAuthenticated: false), .change(), .start(),
                    .has(key(isAuthenticated: false), isChanging: true), .change(), .has(key()),
                ]),
            Row(
                testDescription: "encryption that nobody asked for is not believed",
                steps: [
                    .change(.pinOrKeyMissing, gives: .ignored), .change(isEnabled: false, gives: .ignored),
                    .change(gives: .failed(.unspecifiedError)), .has(nil),
                ]),
            Row(
                testDescription: "a link that became plain again has failed", isCentral: false,
                steps: [.start(), .change(), .change(isEnabled: false, gives: .failed(.unspecifiedError)), .has(nil)]),
            Row(
                testDescription: "a key that the controller shortened is worth less, or too little",
                steps: [
                    .start(), .change(keySize: 7, minimum: 7), .has(key(7)), .start(),
                    .change(keySize: 7, gives: .failed(.insufficientSecurity)), .has(nil),
                ]),
            Row(
                testDescription: "a controller that never says how it ended is waited for 25 seconds",
                steps: [.start(), .expire(24), .expire(25, .llResponseTimeout), .expire(90)]),
            Row(
                testDescription: "a Peripheral sends on while its key is tried, and may be asked for another",
                isCentral: false,
                steps: [
                    .start(isAuthenticated: false), .has(nil, isChanging: true), .start(), .change(), .has(key()),
                ]),
        ]

    /// At the start, and during a change of an encrypted link's key.
    private static let ends: [Row] = failures.flatMap { status -> [Row] in
        let end: [Step] = [
            .start(), .change(status, gives: .failed(status)), .has(nil), .change(gives: .ignored), .start(false),
            .has(nil),
        ]
        let refresh: [Step] = [.start(), .change()]
        return [
            Row(testDescription: "\(status) is final", steps: end),
            Row(testDescription: "\(status) is final for a key that changes", steps: refresh + end),
        ]
    }

    @Test(arguments: ways + ends) func `a link is as secure as its controller says`(row: Row) throws {
        var machine = EncryptionMachine(isCentral: row.isCentral)
        for (index, step) in row.steps.enumerated() {
            let isSo: Bool
            switch step {
            case .start(let isAuthenticated, let begins):
                isSo = machine.start(with: try bond(isAuthenticated: isAuthenticated), at: Self.start) == begins
            case .change(let status, let isEnabled, let keySize, let minimum, let outcome):
                isSo =
                    machine.changed(status, isEnabled: isEnabled, keySize: keySize, minimumKeySize: minimum) == outcome
            case .expire(let seconds, let status): isSo = machine.expire(at: Self.start + .seconds(seconds)) == status
            case .has(let security, let holdsData, let isChanging):
                isSo =
                    machine.security == security && machine.isEncrypted == (security != nil)
                    && machine.holdsData == holdsData && machine.isChanging == isChanging
                    && machine.deadline == (isChanging ? Self.start + .seconds(25) : nil)
            }
            #expect(isSo, "step \(index), \(step): \(machine)")
        }
    }

    @Test(arguments: [(0, 7), (7, 7), (12, 12), (16, 16), (200, 16)] as [(UInt8, UInt8)])
    func `the smallest key is between 7 and 16 octets`(asked: UInt8, given: UInt8) throws {
        let policy = SecurityPolicy(minimumKeySize: asked)
        #expect(policy.minimumKeySize == given)
        #expect(policy.allows(try bond(keySize: given)))
        if given > 7 { #expect(!policy.allows(try bond(keySize: given - 1))) }
    }

    // MARK: Privacy

    private static let fallback = DeviceAddress(kind: .random, value: 0xC000_0000_0001)

    @Test func `a private address changes every 15 minutes`() throws {
        var machine = PrivacyMachine()
        #expect(!machine.wantsAddressChange && !machine.wantsRandomness)
        #expect(machine.ownAddressKind(hasPublicAddress: true) == .public)
        machine.set(.resolvable, identityKey: Sample.key(1))
        #expect(machine.wantsAddressChange && machine.wantsRandomness)
        #expect(machine.ownAddressKind(hasPublicAddress: true) == .random)
        #expect(machine.makeAddress(fallback: Self.fallback, at: Self.start) == nil)
        machine.provide(randomness: (0..<16).map { UInt8($0) })
        #expect(!machine.wantsRandomness)
        let firstMade = machine.makeAddress(fallback: Self.fallback, at: Self.start)
        let first = try #require(firstMade)
        #expect(first.isResolved(by: Sample.key(1)))
        #expect(!machine.wantsAddressChange && machine.address == first)
        #expect(machine.deadline == Self.start + .seconds(900))
        machine.advance(to: Self.start + .seconds(899))
        #expect(!machine.wantsAddressChange)
        let later = Self.start + .seconds(900)
        machine.advance(to: later)
        #expect(machine.wantsAddressChange && machine.deadline == nil)
        let secondMade = machine.makeAddress(fallback: Self.fallback, at: later)
        let second = try #require(secondMade)
        #expect(second != first && second.isResolved(by: Sample.key(1)))
    }

    @Test func `addresses that nobody resolves are made of randomness alone`() throws {
        var machine = PrivacyMachine()
        machine.set(.nonResolvable, identityKey: Sample.key(1))
        machine.provide(randomness: [1, 2, 3, 4, 5, 6, 7, 8])
        let addressMade = machine.makeAddress(fallback: Self.fallback, at: Self.start)
        let address = try #require(addressMade)
        #expect(address.isNonResolvablePrivate)
        #expect(machine.wantsRandomness)
    }

    @Test func `switched off, the address of the installation comes back`() throws {
        var machine = PrivacyMachine()
        machine.set(.off, identityKey: Sample.key(1))
        #expect(!machine.wantsAddressChange, "nothing private is in the controller")
        machine.set(.resolvable, identityKey: Sample.key(1))
        machine.provide(randomness: [UInt8](repeating: 9, count: 500))
        #expect(machine.makeAddress(fallback: Self.fallback, at: Self.start) != nil)
        machine.set(.off, identityKey: Sample.key(1))
        #expect(machine.wantsAddressChange && !machine.wantsRandomness && machine.deadline == nil)
        #expect(machine.makeAddress(fallback: Self.fallback, at: Self.start) == Self.fallback)
        #expect(machine.deadline == nil && machine.ownAddressKind(hasPublicAddress: true) == .public)
    }

    @Test func `a refused address is tried again, and a new start wants another`() throws {
        var machine = PrivacyMachine()
        machine.set(.resolvable, identityKey: Sample.key(1))
        machine.provide(randomness: [UInt8](repeating: 9, count: 64))
        #expect(machine.makeAddress(fallback: Self.fallback, at: Self.start) != nil)
        machine.refused(at: Self.start)
        #expect(machine.deadline == Self.start + .seconds(1))
        machine.advance(to: Self.start + .seconds(1))
        #expect(machine.makeAddress(fallback: Self.fallback, at: Self.start) != nil)
        machine.restart()
        #expect(machine.wantsAddressChange && machine.address == nil && machine.deadline == nil)
    }
}
