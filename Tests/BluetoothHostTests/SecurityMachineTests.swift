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

    private func change(
        _ machine: inout EncryptionMachine, _ status: HCIStatus = .success, isEnabled: Bool = true,
        keySize: UInt8? = nil, minimum: UInt8 = 16
    ) -> EncryptionMachine.Outcome {
        machine.changed(status, isEnabled: isEnabled, keySize: keySize, minimumKeySize: minimum)
    }

    // MARK: Encryption

    @Test func `a link is worth what its key is worth, once the controller says that it is in use`() throws {
        var machine = EncryptionMachine(isCentral: true)
        #expect(machine.security == nil && !machine.holdsData)
        #expect(machine.start(with: try bond(), at: Self.start) == true)
        #expect(machine.security == nil && machine.holdsData && machine.isChanging)
        #expect(machine.start(with: try bond(), at: Self.start) == false)
        #expect(change(&machine) == .encrypted)
        #expect(
            machine.security
                == LinkSecurity(isEncrypted: true, isAuthenticated: true, isSecureConnections: true, keySize: 16))
        #expect(!machine.holdsData && !machine.isChanging && machine.deadline == nil)
    }

    @Test func `while the key changes the old one counts`() throws {
        var machine = EncryptionMachine(isCentral: true)
        #expect(machine.start(with: try bond(isAuthenticated: false), at: Self.start) == true)
        #expect(change(&machine) == .encrypted)
        #expect(machine.start(with: try bond(), at: Self.start) == true)
        #expect(machine.security?.isAuthenticated == false && machine.isEncrypted && !machine.holdsData)
        #expect(change(&machine) == .encrypted)
        #expect(machine.security?.isAuthenticated == true)
    }

    @Test(arguments: [.pinOrKeyMissing, .micFailure, .llResponseTimeout, .unsupportedRemoteFeature] as [HCIStatus])
    func `a failure is final`(status: HCIStatus) throws {
        for isRefresh in [false, true] {
            var machine = EncryptionMachine(isCentral: true)
            if isRefresh {
                #expect(machine.start(with: try bond(), at: Self.start) == true)
                #expect(change(&machine) == .encrypted)
            }
            #expect(machine.start(with: try bond(), at: Self.start) == true)
            #expect(change(&machine, status) == .failed(status))
            #expect(machine.security == nil && machine.deadline == nil)
            #expect(change(&machine) == .ignored)
            #expect(machine.start(with: try bond(), at: Self.start) == false)
            #expect(machine.security == nil)
        }
    }

    @Test func `encryption that nobody asked for is not believed`() {
        var machine = EncryptionMachine(isCentral: true)
        #expect(change(&machine, .pinOrKeyMissing) == .ignored)
        #expect(change(&machine, isEnabled: false) == .ignored)
        #expect(change(&machine) == .failed(.unspecifiedError))
        #expect(machine.security == nil)
    }

    @Test func `a link that became plain again has failed`() throws {
        var machine = EncryptionMachine(isCentral: false)
        #expect(machine.start(with: try bond(), at: Self.start) == true)
        #expect(change(&machine) == .encrypted)
        #expect(change(&machine, isEnabled: false) == .failed(.unspecifiedError))
        #expect(machine.security == nil)
    }

    @Test func `a key that the controller shortened is worth less, or too little`() throws {
        var machine = EncryptionMachine(isCentral: true)
        #expect(machine.start(with: try bond(), at: Self.start) == true)
        #expect(change(&machine, keySize: 7, minimum: 7) == .encrypted)
        #expect(machine.security?.keySize == 7)
        #expect(machine.start(with: try bond(), at: Self.start) == true)
        #expect(change(&machine, keySize: 7) == .failed(.insufficientSecurity))
    }

    @Test func `a controller that never says how it ended is waited for 25 seconds`() throws {
        var machine = EncryptionMachine(isCentral: true)
        #expect(machine.start(with: try bond(), at: Self.start) == true)
        #expect(machine.deadline == Self.start + .seconds(25))
        #expect(machine.expire(at: Self.start + .seconds(24)) == nil)
        #expect(machine.expire(at: Self.start + .seconds(25)) == .llResponseTimeout)
        #expect(machine.expire(at: Self.start + .seconds(90)) == nil)
    }

    @Test func `a Peripheral sends on while its key is tried, and may be asked for another`() throws {
        var machine = EncryptionMachine(isCentral: false)
        #expect(machine.start(with: try bond(isAuthenticated: false), at: Self.start) == true)
        #expect(!machine.holdsData)
        #expect(machine.start(with: try bond(), at: Self.start) == true)
        #expect(change(&machine) == .encrypted)
        #expect(machine.security?.isAuthenticated == true)
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
