// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import SMP

/// The tester's Security Manager. Each step of a pairing is a call of its own, so a script can leave steps out, do them
/// wrongly or stop. The tester computes every value from our host again, and compares. From our Security Manager, the
/// tester uses only the block cipher, its message authentication code and the curve.
final class SMTester {
    enum Code {
        static let request: UInt8 = 0x01
        static let response: UInt8 = 0x02
        static let confirm: UInt8 = 0x03
        static let random: UInt8 = 0x04
        static let failed: UInt8 = 0x05
        static let encryptionInformation: UInt8 = 0x06
        static let centralIdentification: UInt8 = 0x07
        static let identityInformation: UInt8 = 0x08
        static let identityAddress: UInt8 = 0x09
        static let signingInformation: UInt8 = 0x0A
        static let securityRequest: UInt8 = 0x0B
        static let publicKey: UInt8 = 0x0C
        static let check: UInt8 = 0x0D
    }

    let bench: Bench
    /// The tester is the Central.
    let isInitiator: Bool
    /// Addresses as they are on the air.
    var ownAddress = RawPeer.publicAddress
    var hostAddress = Bench.hostAddress

    // MARK: The tester's values

    var features: SMFeatures
    let keyPair: KeyPair
    /// The public key that the tester sends.
    var ownKey: PairingPublicKey
    /// The passkey that the tester enters, or shows for our host to enter.
    var passkey: UInt32 = 123_456
    /// Legacy pairing: the Temporary Key from out of band.
    var temporaryKey: SecretKey?
    /// Secure Connections: the tester's out-of-band data for our host, and our host's data for the tester.
    lazy var ownOutOfBand = bench.randomOctets(16)
    var hostOutOfBand: LocalOutOfBandData?
    /// The keys that the tester distributes.
    var ownLongTermKey = LegacyKey(key: Bench.secret(0xC7), ediv: 0x4321, rand: 0x1122_3344_5566_7788)
    var ownIdentityKey = Bench.testerIdentityKey

    // MARK: Results

    var request: [UInt8] = []
    var response: [UInt8] = []
    var hostFeatures = SMFeatures()
    var hostKey: PairingPublicKey?
    var ownNonce: [UInt8] = []
    var hostNonce: [UInt8] = []
    /// Replaces the shared secret of the two key pairs.
    var sharedSecret: [UInt8]?
    var macKey = SecretKey.zero
    /// The key of this pairing: LTK of Secure Connections, or STK.
    var key = SecretKey.zero
    /// The keys that our host has distributed.
    var hostLongTermKey: LegacyKey?
    var hostIdentityKey: SecretKey?
    var hostIdentity: DeviceAddress?

    init(_ bench: Bench, isInitiator: Bool, _ features: SMFeatures = SMFeatures()) {
        self.bench = bench
        self.isInitiator = isInitiator
        self.features = features
        keyPair = bench.keyPair()
        ownKey = keyPair.publicKey
    }

    // MARK: Features

    private func features(of command: [UInt8]) -> SMFeatures {
        (try? SMFeatures(parameters: command.dropFirst())) ?? SMFeatures()
    }

    var initiatorFeatures: SMFeatures { features(of: request) }
    var responderFeatures: SMFeatures { features(of: response) }
    var isSecure: Bool { initiatorFeatures.isSecure && responderFeatures.isSecure }
    var model: SMModel { SMModel(initiator: initiatorFeatures, responder: responderFeatures) }
    var hostDisplays: Bool { isInitiator ? model.responderDisplays : model.initiatorDisplays }
    var testerDisplays: Bool { isInitiator ? model.initiatorDisplays : model.responderDisplays }
    var isAuthenticated: Bool { model.association != .justWorks }
    var keySize: UInt8 { min(initiatorFeatures.keySize, responderFeatures.keySize) }

    /// Addresses by role.
    var initiator: DeviceAddress { isInitiator ? ownAddress : hostAddress }
    var responder: DeviceAddress { isInitiator ? hostAddress : ownAddress }

    /// Pairing Request and Pairing Response, in the order of the roles.
    func exchangeFeatures() throws {
        if isInitiator {
            try sendRequest()
            try takeResponse()
        } else {
            try takeRequest()
            try sendResponse()
        }
    }

    func sendRequest() throws {
        request = [Code.request] + features.parameters
        try send(request)
    }

    func takeResponse() throws {
        response = try expects(Code.response, octets: 6)
        try takeFeatures(response)
        let (given, asked) = (hostFeatures, features)
        try require(
            given.initiatorKeys & ~asked.initiatorKeys == 0 && given.responderKeys & ~asked.responderKeys == 0,
            "our host answers \(asked) with more keys: \(given)")
    }

    func takeRequest() throws {
        request = try expects(Code.request, octets: 6)
        try takeFeatures(request)
    }

    /// Keys without our host's request are left out.
    func sendResponse() throws {
        features.initiatorKeys &= hostFeatures.initiatorKeys
        features.responderKeys &= hostFeatures.responderKeys
        response = [Code.response] + features.parameters
        try send(response)
    }

    private func takeFeatures(_ command: [UInt8]) throws {
        hostFeatures = try SMFeatures(parameters: command.dropFirst())
        let reserved = SMFeatures.reserved | SMFeatures.crossTransport | 0x02
        try require(hostFeatures.authReq & reserved == 0, "our host sets AuthReq to \(text([hostFeatures.authReq]))")
        let keys = hostFeatures.initiatorKeys | hostFeatures.responderKeys
        let known = SMFeatures.encryptionKey | SMFeatures.identityKey
        try require(keys & ~known == 0, "our host wants keys that it does not use: \(hostFeatures)")
        try require((7...16).contains(hostFeatures.keySize), "our host says of its keys: \(hostFeatures.keySize)")
    }

    // MARK: Commands

    /// Sees each command before it is sent. Returns the command to send in its place, or throws to end the script.
    var alters: (([UInt8]) throws -> [UInt8])?

    func send(_ command: [UInt8]) throws {
        try bench.peer.send(try alters?(command) ?? command, on: Bench.securityManager)
    }

    /// A command with one number, given most significant octet first.
    func send(_ code: UInt8, _ number: [UInt8]) throws { try send([code] + number.reversed()) }

    func fails(_ reason: PairingFailedReason) throws { try send([Code.failed, reason.rawValue]) }

    func expectsFailure(_ reason: PairingFailedReason) throws {
        try bench.expects(security: OctetPattern(text([Code.failed, reason.rawValue])))
    }

    @discardableResult
    func expects(_ code: UInt8, octets count: Int) throws -> [UInt8] {
        let command = try bench.expects(security: OctetPattern("\(text([code])) *"))
        try require(command.count == count + 1, "our host sends \(text(command))")
        return command
    }

    /// The number in the next command, most significant octet first.
    func number(of code: UInt8) throws -> [UInt8] {
        try expects(code, octets: 16).dropFirst().reversed()
    }

    func expects(_ code: UInt8, _ number: [UInt8], _ what: String) throws {
        let seen = try self.number(of: code)
        try require(seen == number, "\(what) is \(text(seen)), and not \(text(number))")
    }

    // MARK: Whole pairings

    /// A whole pairing, from the features to the keys.
    func pair() throws {
        try exchangeFeatures()
        try completePairing()
    }

    /// All steps after the features.
    func completePairing() throws {
        try makeKey()
        try encrypt()
        try distribute()
    }

    /// Phase 2: both have the key.
    func makeKey() throws {
        if isSecure {
            try exchangePublicKeys()
            try authenticate()
            try exchangeChecks()
        } else {
            try exchangeLegacy()
        }
    }
}
