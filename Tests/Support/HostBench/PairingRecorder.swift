// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import FuzzSeeds
import SMP

/// The pairings of one bench as inputs of the target `smp`, each from our host's side, with its secrets.
struct PairingRecorder {
    /// Secrets for the host's next pairings. The host uses the last secrets first.
    private struct Secrets {
        let privateKey: [UInt8]
        let octets: [UInt8]
    }

    private struct Attempt {
        var setup: PairingSetup
        /// Pairing Request or Pairing Response of our host.
        var features: [UInt8] = []
        /// Nil: the link is encrypted.
        var steps: [[UInt8]?] = []
    }

    private let folder: SeedFolder
    private var given: [Secrets] = []
    /// The secrets of the pairing that has just begun.
    private var taken: Secrets?
    /// Our host has all the secrets that it wants.
    var isFull = false
    private var attempt: Attempt?
    private var request: [UInt8] = []
    private var count = 0

    init(_ folder: SeedFolder) { self.folder = folder }

    /// New secrets for a full host replace the secrets that the host has just used.
    mutating func gave(privateKey: [UInt8], octets: [UInt8]) {
        if isFull { taken = given.popLast() }
        isFull = false
        given.append(Secrets(privateKey: privateKey, octets: octets))
    }

    /// Our host has begun a pairing.
    mutating func began(as role: LinkRole, with peer: DeviceAddress, entering passkey: UInt32) {
        finish()
        guard let secrets = taken else { return }
        taken = nil
        let (ours, theirs) = (Bench.hostAddress, peer)
        var setup = PairingSetup(
            role: role, initiator: role == .central ? ours : theirs, responder: role == .central ? theirs : ours,
            privateKey: secrets.privateKey,
            nonces: (0..<20).map { Array(secrets.octets[(16 * $0)..<(16 * $0 + 16)]) })
        setup.shown = Array(secrets.octets[320..<328])
        setup.entered = passkey
        attempt = Attempt(setup: setup, steps: role == .peripheral ? [request] : [])
    }

    mutating func received(_ pdu: [UInt8]) {
        if pdu.first == SMTester.Code.request { request = pdu }
        attempt?.steps.append(pdu)
    }

    /// Our host has sent this H4 packet, perhaps with its features.
    mutating func sent(packet: [UInt8]) {
        guard packet.count == 16, packet[0] == 2, packet[7] == UInt8(Bench.securityManager), packet[8] == 0,
            [SMTester.Code.request, SMTester.Code.response].contains(packet[9])
        else { return }
        attempt?.features = Array(packet[9...])
    }

    mutating func encrypted() { attempt?.steps.append(nil) }

    /// The pairing is over, or another pairing begins.
    mutating func finish() {
        guard let ended = attempt else { return }
        attempt = nil
        count += 1
        guard count <= SeedFolder.share else { return }
        var setup = ended.setup
        if ended.features.count == 7 {
            let features = ended.features
            setup.ioCapability = IOCapability(rawValue: features[1]) ?? .noInputNoOutput
            setup.asksForAuthentication = features[3] & 0x04 != 0
            setup.offersSecureConnections = features[3] & 0x08 != 0
            setup.isBonding = features[3] & 0x01 != 0
            setup.maximumKeySize = min(max(features[4], 7), 16)
            setup.allowsLegacy = (features[5] | features[6]) & 0x01 != 0
        }
        // One nonce a round, and at least one.
        let rounds = ended.steps.count { $0?.first == SMTester.Code.confirm }
        setup.nonces = Array(setup.nonces.prefix(max(1, rounds)))
        var tape = PairingTape(setup)
        for step in ended.steps {
            if let pdu = step { tape.received(pdu) } else { tape.encrypted() }
        }
        tape.write(to: folder)
    }
}
