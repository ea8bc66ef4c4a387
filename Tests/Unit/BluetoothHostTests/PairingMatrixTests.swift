// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SMP
import Testing

@testable import BluetoothHost
@testable import HostBench

/// Each way to pair two devices, as two whole hosts in one air: they pair, bond, and encrypt the next link by the bond.
/// `SMPTests.PairingMatrixTests` tests each pair of devices with all capabilities, on two machines.
struct PairingMatrixTests {
    /// The contents of tables 2.6 to 2.8 of Core 5.4, Vol 3, Part H, 2.3.5.1.
    enum Way: Sendable {
        case justWorks, comparison, initiatorDisplays, responderDisplays, bothEnter, outOfBand

        var model: AssociationModel {
            switch self {
            case .justWorks: .justWorks
            case .comparison: .numericComparison
            case .initiatorDisplays, .responderDisplays, .bothEnter: .passkeyEntry
            case .outOfBand: .outOfBand
            }
        }

        /// Questions to the responder and to the initiator: `d` shows digits, `e` enters them, `c` compares them.
        var asked: [String] {
            switch self {
            case .justWorks, .outOfBand: ["", ""]
            case .comparison: ["c", "c"]
            case .initiatorDisplays: ["e", "d"]
            case .responderDisplays: ["d", "e"]
            case .bothEnter: ["e", "e"]
            }
        }
    }

    /// By player, as everywhere: first the Peripheral, which is the responder, then the Central.
    struct Row: CustomStringConvertible, Sendable {
        var capability: [IOCapability]
        var wantsProtection = [true, true]
        /// The player has the other player's out-of-band data.
        var hasData = [false, false]
        /// By Secure Connections, and by LE legacy pairing; nil: they do not pair.
        var secure: Way?
        var legacy: Way?
        var isSecure = true

        var way: Way? { isSecure ? secure : legacy }

        var description: String {
            "\(capability[1]) pairs with \(capability[0]), secure \(isSecure), "
                + "responder's and initiator's protection \(wantsProtection), data \(hasData)"
        }
    }

    private static let rows: [Row] = [
        Row(
            capability: [.noInputNoOutput, .noInputNoOutput], wantsProtection: [false, false], secure: .justWorks,
            legacy: .justWorks),
        Row(capability: [.keyboardDisplay, .noInputNoOutput], wantsProtection: [true, false]),
        Row(capability: [.displayYesNo, .displayYesNo], secure: .comparison),
        Row(
            capability: [.keyboardDisplay, .keyboardDisplay], wantsProtection: [false, true], secure: .comparison,
            legacy: .initiatorDisplays),
        Row(
            capability: [.keyboardOnly, .displayOnly], wantsProtection: [false, true], secure: .initiatorDisplays,
            legacy: .initiatorDisplays),
        Row(
            capability: [.displayOnly, .keyboardOnly], wantsProtection: [true, false], secure: .responderDisplays,
            legacy: .responderDisplays),
        Row(capability: [.keyboardOnly, .keyboardOnly], secure: .bothEnter, legacy: .bothEnter),
        Row(
            capability: [.noInputNoOutput, .noInputNoOutput], hasData: [true, true], secure: .outOfBand,
            legacy: .outOfBand),
        Row(capability: [.displayYesNo, .displayYesNo], hasData: [true, false], secure: .outOfBand),
        Row(capability: [.displayYesNo, .displayYesNo], hasData: [false, true], secure: .outOfBand),
    ]

    @Test(arguments: rows, [true, false])
    func `two hosts pair in each way, bond, and need not pair again`(row: Row, isSecure: Bool) throws {
        let scene = try PairingScene()
        var row = row
        row.isSecure = isSecure
        // Twice: nothing of the first time is in the way of the second.
        for _ in 0..<2 { try play(row, in: scene) }
        #expect(scene.duet.violations == [])
    }

    private func play(_ row: Row, in scene: PairingScene) throws {
        scene.forget()
        prepare(scene, for: row)
        let settings = try settings(for: row)
        // The responder starts first. Its host then expects the request, and knows its out-of-band data.
        let starts = [0, 1].map { player in scene.pair(by: player) { settings[player](&$0) } }
        #expect(starts == [.started, .started], "\(row)")

        var models: [Set<AssociationModel>] = [[], []]
        let isOver = scene.run(for: .seconds(20)) {
            for player in 0...1 { if let model = scene.modelInUse(player) { models[player].insert(model) } }
            return [0, 1].allSatisfy { scene.hasFinished($0) || scene.failure($0) != nil }
        }
        #expect(isOver, "\(row)")
        guard let way = row.way else {
            expectRefusal(row, in: scene)
            return
        }
        #expect(models == [[way.model], [way.model]], "\(row)")
        #expect([0, 1].map { words(scene.questions[$0]) } == way.asked, "\(row)")
        #expect(scene.models == (way.asked == ["", ""] ? [] : [way.model]), "\(row)")
        try expectBonds(row, way, in: scene)
        try expectReunion(row, way, in: scene)
    }

    // MARK: Before

    private func prepare(_ scene: PairingScene, for row: Row) {
        for player in 0...1 {
            let peer = scene.address(of: 1 - player)
            scene.duet.players[player].host.policy.ioCapability = row.capability[player]
            scene.duet.players[player].host.policy.requiresAuthentication = row.wantsProtection[player]
            scene.duet.players[player].host.policy.legacyPeers = row.isSecure ? [] : [peer]
            // Failures of one row are no reason to wait in the next row.
            scene.duet.players[player].host.pairing.forgetAttempts()
        }
    }

    private func settings(for row: Row) throws -> [(inout PairingSettings) -> Void] {
        let secrets = try [0, 1].map { _ in try #require(AirBench.freshSecrets()) }
        let told = secrets.map { LocalOutOfBandData(keyPair: $0.keyPair, random: Array($0.octets.prefix(16))) }
        return [0, 1].map { player in
            { settings in
                settings.offersSecureConnections = row.isSecure
                settings.asksForAuthentication = false
                if row.isSecure, row.hasData[1 - player] { settings.localOutOfBand = told[player] }
                guard row.hasData[player] else { return }
                settings.peerOutOfBand =
                    row.isSecure ? told[1 - player].asToldToPeer : OutOfBandData(temporaryKey: Sample.key(0x5C))
            }
        }
    }

    // MARK: After

    private func words(_ questions: [PairingQuestion]) -> String {
        questions.map { question in
            switch question {
            case .consent: "?"
            case .display: "d"
            case .enterPasskey: "e"
            case .compare: "c"
            }
        }.joined()
    }

    private func expectRefusal(_ row: Row, in scene: PairingScene) {
        let failures = [0, 1].map { scene.failure($0) }
        let reason = PairingFailedReason.authenticationRequirements
        #expect(failures.contains(.refused(reason)) && failures.contains(.refusedByPeer(reason)), "\(row)")
        let refusals = [0, 1].flatMap { scene.sentPairingPDUs($0) }.filter { $0.first == 0x05 }
        #expect(refusals == [[0x05, 0x03]], "\(row)")
        for player in 0...1 {
            #expect(scene.bond(player) == nil && !scene.isDown(player), "\(row)")
            #expect(scene.duet.players[player].host.takeBondChanges().isEmpty, "\(row)")
            #expect(scene.security(player)?.isEncrypted == false, "\(row)")
        }
    }

    private func expectBonds(_ row: Row, _ way: Way, in scene: PairingScene) throws {
        let bonds = try [0, 1].map { try #require(scene.bond($0), "\(row)") }
        switch (bonds[0].keys, bonds[1].keys) {
        case (.secureConnections(let left), .secureConnections(let right)):
            #expect(row.isSecure && left == right, "\(row)")
        case (.legacy(let leftPeer?, let leftOwn?), .legacy(let rightPeer?, let rightOwn?)):
            #expect(!row.isSecure && leftPeer == rightOwn && leftOwn == rightPeer, "\(row)")
        default: Issue.record("keys of different kinds: \(row)")
        }
        for player in 0...1 {
            let bond = bonds[player]
            #expect(bond.isAuthenticated == (way != .justWorks), "\(row)")
            #expect(bond.isSecureConnections == row.isSecure && bond.keySize == 16, "\(row)")
            #expect(scene.duet.players[player].host.takeBondChanges() == [.stored(bond)], "\(row)")
            #expect(scene.security(player) == security(row, way), "\(row)")
        }
    }

    private func security(_ row: Row, _ way: Way) -> LinkSecurity {
        LinkSecurity(
            isEncrypted: true, isAuthenticated: way != .justWorks, isSecureConnections: row.isSecure, keySize: 16,
            hasBond: true)
    }

    /// The next link is encrypted, without a word about pairing. Then both sides forget each other.
    private func expectReunion(_ row: Row, _ way: Way, in scene: PairingScene) throws {
        try scene.reconnect()
        let isEncrypted = scene.run {
            scene.security(0)?.isEncrypted == true && scene.security(1)?.isEncrypted == true
        }
        #expect(isEncrypted, "\(row)")
        scene.run(for: .milliseconds(200))
        for player in 0...1 {
            #expect(scene.security(player) == security(row, way), "\(row)")
            #expect(scene.sentPairingPDUs(player) == [] && scene.pairingEvents(player) == [], "\(row)")
            let peer = scene.address(of: 1 - player)
            scene.duet.players[player].host.removeBond(with: peer)
            _ = scene.duet.players[player].host.takeBondChanges()
        }
        try scene.reconnect()
    }
}

extension PairingScene {
    /// The model of the running pairing.
    fileprivate func modelInUse(_ player: Int) -> AssociationModel? {
        let host = duet.players[player].host
        return host.links.handle(of: link(player)).flatMap { host.links[$0]?.pairing.run?.machine.model }
    }
}

extension LocalOutOfBandData {
    fileprivate var asToldToPeer: OutOfBandData {
        let x = keyPair.publicKey.x
        return OutOfBandData(confirm: Cryptography.f4(u: x, v: x, x: random, z: 0), random: random)
    }
}
