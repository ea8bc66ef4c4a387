// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SMP
import Testing

/// Pairing Request and Pairing Response: our values, the accepted values, and the reasons of our refusals.
struct PairingFeatureTests {
    private static func refusal(_ reason: PairingFailedReason) -> [PairingMachine.Effect] {
        [.send([0x05, reason.rawValue]), .failed(.refused(reason))]
    }

    private func responder(
        _ request: [UInt8], _ change: (inout PairingSettings) -> Void = { _ in }
    ) -> [PairingMachine.Effect] {
        var machine = PairingSample.machine(.peripheral, change)
        return machine.received(request[...], at: .zero)
    }

    private func initiator(
        _ response: [UInt8], _ change: (inout PairingSettings) -> Void = { _ in }
    ) -> [PairingMachine.Effect] {
        var machine = PairingSample.machine(.central, change)
        _ = machine.begin(at: .zero)
        return machine.received(response[...], at: .zero)
    }

    @Test func `the request says what the settings say, and never more`() {
        var machine = PairingSample.machine(.central)
        #expect(machine.begin(at: .zero) == [.send([0x01, 0x03, 0x00, 0x09, 16, 0x02, 0x02])])
        #expect(machine.begin(at: .zero) == [])
        machine = PairingSample.machine(.central) {
            $0.allowsLegacy = true
            $0.ioCapability = .keyboardDisplay
            $0.requiresAuthentication = true
            $0.identityKey = nil
            $0.maximumKeySize = 12
        }
        #expect(machine.begin(at: .zero) == [.send([0x01, 0x04, 0x00, 0x0D, 12, 0x01, 0x03])])
        machine = PairingSample.machine(.central) { $0.isBonding = false }
        #expect(machine.begin(at: .zero) == [.send([0x01, 0x03, 0x00, 0x08, 16, 0x00, 0x00])])
        machine = PairingSample.machine(.peripheral)
        #expect(machine.begin(at: .zero) == [])
    }

    @Test func `protection is asked for where it is wished, and where it is required`() {
        for isRequired in [false, true] {
            var machine = PairingSample.machine(.central) {
                ($0.asksForAuthentication, $0.requiresAuthentication) = (!isRequired, isRequired)
            }
            #expect(machine.begin(at: .zero) == [.send([0x01, 0x03, 0x00, 0x0D, 16, 0x02, 0x02])])
        }
        var machine = PairingSample.machine(.peripheral) { $0.asksForAuthentication = true }
        #expect(machine.received([0x01, 0x03, 0x00, 0x09, 16, 0x02, 0x02], at: .zero) == [.ask(.consent)])
        #expect(machine.answer(.yes, at: .zero) == [.send([0x02, 0x03, 0x00, 0x0D, 16, 0x02, 0x02])])
    }

    @Test(
        arguments: [
            ([0x02, 0x02], [0x02, 0x02]), ([0x0F, 0x0F], [0x02, 0x02]), ([0xFF, 0xFF], [0x02, 0x02]),
            ([0x0D, 0x0D], [0x00, 0x00]), ([0x00, 0x02], [0x00, 0x02]), ([0x02, 0x00], [0x02, 0x00]),
        ] as [([UInt8], [UInt8])])
    func `the response takes keys away, and never has keys for signing or of the other transport`(
        asked: [UInt8], given: [UInt8]
    ) {
        var machine = PairingSample.machine(.peripheral)
        #expect(machine.received(([0x01, 0x03, 0x00, 0x29, 16] + asked)[...], at: .zero) == [.ask(.consent)])
        #expect(machine.answer(.yes, at: .zero) == [.send([0x02, 0x03, 0x00, 0x09, 16] + given)])
    }

    @Test(arguments: [0x48, 0x88, 0xC8] as [UInt8])
    func `reserved bits of what is wanted mean nothing`(bits: UInt8) {
        #expect(responder([0x01, 0x03, 0x00, bits | 0x01, 16, 0x02, 0x02]) == [.ask(.consent)])
        let effects = initiator([0x02, 0x03, 0x00, bits | 0x01, 16, 0x02, 0x02])
        #expect(effects == [.send(SMPPDU.pairingPublicKey(PairingSample.initiatorPair.publicKey).octets)])
    }

    @Test func `a request that keeps no keys is given none, whatever keys it asks for`() {
        for (bonding, keys) in [(0x00, 0x00), (0x01, 0x02)] as [(UInt8, UInt8)] {
            var machine = PairingSample.machine(.peripheral)
            let request: [UInt8] = [0x01, 0x03, 0x00, 0x08 | bonding, 16, 0x02, 0x02]
            #expect(machine.received(request[...], at: .zero) == [.ask(.consent)])
            let response: [UInt8] = [0x02, 0x03, 0x00, 0x09, 16, keys, keys]
            #expect(machine.answer(.yes, at: .zero) == [.send(response)])
        }
    }

    @Test(arguments: Array(0...6) as [UInt8])
    func `keys that are too short to be any are refused for their size`(size: UInt8) {
        #expect(responder([0x01, 0x03, 0x00, 0x09, size, 2, 2]) == Self.refusal(.encryptionKeySize))
        let short = { (settings: inout PairingSettings) in settings.minimumKeySize = 0 }
        #expect(responder([0x01, 0x03, 0x00, 0x09, size, 2, 2], short) == Self.refusal(.encryptionKeySize))
        #expect(initiator([0x02, 0x03, 0x00, 0x09, size, 2, 2], short) == Self.refusal(.encryptionKeySize))
    }

    @Test(arguments: [17, 128, 253, 255] as [UInt8])
    func `keys longer than any are no parameter (CVE-2019-19196)`(size: UInt8) {
        #expect(responder([0x01, 0x03, 0x00, 0x09, size, 2, 2]) == Self.refusal(.invalidParameters))
        #expect(initiator([0x02, 0x03, 0x00, 0x09, size, 2, 2]) == Self.refusal(.invalidParameters))
    }

    @Test(arguments: Array(7...15) as [UInt8])
    func `keys shorter than 16 octets are refused unless the settings take them (CVE-2019-9506)`(size: UInt8) {
        #expect(responder([0x01, 0x03, 0x00, 0x09, size, 2, 2]) == Self.refusal(.encryptionKeySize))
        #expect(initiator([0x02, 0x03, 0x00, 0x09, size, 2, 2]) == Self.refusal(.encryptionKeySize))
        #expect(responder([0x01, 0x03, 0x00, 0x09, size, 2, 2]) { $0.minimumKeySize = size } == [.ask(.consent)])
        #expect(
            responder([0x01, 0x03, 0x00, 0x09, size, 2, 2]) { $0.minimumKeySize = size + 1 }
                == Self.refusal(.encryptionKeySize))
    }

    @Test func `capabilities that nobody has defined are refused`() {
        for octets in [[5, 0], [0xFF, 0], [3, 2], [3, 0xFF]] as [[UInt8]] {
            #expect(responder([0x01] + octets + [0x09, 16, 2, 2]) == Self.refusal(.invalidParameters))
            #expect(initiator([0x02] + octets + [0x09, 16, 2, 2]) == Self.refusal(.invalidParameters))
        }
    }

    @Test func `a peer without Secure Connections is refused unless the settings take it`() {
        #expect(responder([0x01, 0x03, 0x00, 0x01, 16, 3, 3]) == Self.refusal(.authenticationRequirements))
        #expect(initiator([0x02, 0x03, 0x00, 0x01, 16, 2, 2]) == Self.refusal(.authenticationRequirements))
        #expect(responder([0x01, 0x03, 0x00, 0x01, 16, 3, 3]) { $0.allowsLegacy = true } == [.ask(.consent)])
    }

    @Test(arguments: AssociationModel.allCases)
    func `a model that the settings do not take is refused before anything is sent`(model: AssociationModel) {
        for scenario in PairingScenario.allCases where scenario.model == model {
            for refuser in [LinkRole.central, .peripheral] {
                let exclude = { (settings: inout PairingSettings) in _ = settings.models.remove(model) }
                var loop = PairingLoop(
                    initiator: scenario.machine(.central) { if refuser == .central { exclude(&$0) } },
                    responder: scenario.machine(.peripheral) { if refuser == .peripheral { exclude(&$0) } })
                loop.run()
                #expect(loop.failure(refuser) == .refused(.authenticationRequirements))
                #expect(loop.sent.map { $0.octets[0] } == (refuser == .central ? [1, 2, 5] : [1, 5]))
            }
        }
    }

    @Test(arguments: [LinkRole.central, .peripheral])
    func `without the wish of both sides there is no bond`(other: LinkRole) {
        for scenario in PairingScenario.allCases {
            func machine(_ role: LinkRole) -> PairingMachine {
                scenario.machine(role) { if role == other { $0.isBonding = false } }
            }
            var loop = PairingLoop(initiator: machine(.central), responder: machine(.peripheral))
            loop.run()
            for role in [LinkRole.central, .peripheral] {
                #expect(loop.result(role)?.isBonding == false, "\(scenario): \(role)")
            }
        }
    }

    @Test func `a responder that adds keys to what was asked is refused`() {
        for keys in [[0x04, 0x00], [0x00, 0x04], [0x08, 0x00], [0x00, 0x08], [0x0A, 0x02]] as [[UInt8]] {
            #expect(initiator([0x02, 0x03, 0x00, 0x09, 16] + keys) == Self.refusal(.invalidParameters))
        }
        let unasked = initiator([0x02, 0x03, 0x00, 0x01, 16, 0x05, 0x01]) { $0.allowsLegacy = true }
        #expect(unasked == Self.refusal(.invalidParameters))
        // LE legacy pairing has a use for the flag of Long Term Keys.
        let unwanted = initiator([0x02, 0x03, 0x00, 0x00, 16, 0x01, 0x00]) {
            ($0.allowsLegacy, $0.isBonding) = (true, false)
        }
        #expect(unwanted == Self.refusal(.invalidParameters))
        // The bit has no meaning here.
        let meaningless = initiator([0x02, 0x03, 0x00, 0x09, 16, 0x03, 0x03])
        #expect(meaningless == [.send(SMPPDU.pairingPublicKey(PairingSample.initiatorPair.publicKey).octets)])
    }

    @Test func `a peer that has data of us which we never gave is told so`() {
        #expect(responder([0x01, 0x03, 0x01, 0x0D, 16, 2, 2]) == Self.refusal(.outOfBandNotAvailable))
        #expect(initiator([0x02, 0x03, 0x01, 0x0D, 16, 2, 2]) == Self.refusal(.outOfBandNotAvailable))
        // Data of Secure Connections is no Temporary Key.
        let mixed = { (settings: inout PairingSettings) in
            settings.allowsLegacy = true
            settings.exchangeOutOfBand(.central)
        }
        #expect(initiator([0x02, 0x03, 0x01, 0x05, 16, 3, 3], mixed) == Self.refusal(.outOfBandNotAvailable))
    }

    @Test func `data of the peer that is cut is none`() {
        let effects = responder([0x01, 0x03, 0x00, 0x09, 16, 2, 2]) {
            $0.peerOutOfBand = OutOfBandData(confirm: [1], random: [2])
        }
        #expect(effects == [.ask(.consent)])
    }
}
