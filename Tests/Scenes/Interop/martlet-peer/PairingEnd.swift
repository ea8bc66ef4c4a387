// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// One end of pairings: carries out lines of standard input, and reports events.
///
/// Everything is on one queue.
class PairingEnd: NSObject, CBPairingAgent, @unchecked Sendable {
    struct Command: Decodable {
        let `do`: String
        /// Of `policy`.
        var capability: CBPairingCapability?
        var requiresAuthentication: Bool?
        var incoming: String?
        var legacy: [String]?
        var passkeys: [String: String]?
        /// In `connect`: the peer's address on the air.
        var address: String?
        /// Of `answer`.
        var accept: Bool?
        var passkey: String?
        /// In `pair`: the data from out of band; in hexadecimal, most significant octet first.
        var outOfBand: OutOfBand?
    }

    struct OutOfBand: Decodable {
        var confirm: String?
        var random: String?
        var temporaryKey: String?
        /// The peer has the data from `tell-out-of-band`.
        var isTold: Bool?
    }

    let controller: CBController
    let name: String
    let queue = DispatchQueue(label: "martlet-peer")
    private var asked: CBPairingRequest?
    private var told = CBOutOfBandData()

    init(controller: CBController, name: String) {
        self.controller = controller
        self.name = name
        super.init()
        controller.setPairingAgent(self, queue: queue)
    }

    /// Returns when standard input has ended.
    func run() {
        while let line = readLine() {
            guard let command = try? JSONDecoder().decode(Command.self, from: Data(line.utf8)) else {
                fail("no command: \(line)")
            }
            queue.async { self.carryOut(command) }
        }
        queue.sync {}
    }

    func carryOut(_ command: Command) {
        switch command.do {
        case "policy":
            var policy = CBPairingPolicy()
            policy.capability = command.capability ?? .none
            policy.requiresAuthentication = command.requiresAuthentication ?? false
            policy.incoming = command.incoming == "open" ? .open : .closed
            policy.legacyAddresses = Set(command.legacy ?? [])
            policy.addressPasskeys = (command.passkeys ?? [:]).compactMapValues { CBPasskey($0) }
            controller.pairingPolicy = policy
            Report.line(["event": "policy"])
        case "answer":
            let answer = command.passkey.flatMap { CBPasskey($0) }.map { CBPairingRequest.Answer.passkey($0) }
            let isTaken = asked?.respond(with: answer ?? (command.accept == true ? .accept : .refuse))
            Report.line(["event": "answered", "taken": isTaken == true])
        case "tell-out-of-band":
            told = CBOutOfBandData()
            Report.line([
                "event": "out-of-band", "confirm": Data(told.confirm).hexadecimal,
                "random": Data(told.random).hexadecimal,
            ])
        case "forget":
            for bond in controller.bonds { controller.removeBond(withIdentifier: bond.identifier) }
            Report.line(["event": "forgotten"])
        default:
            fail("no command: \(command)")
        }
    }

    /// Pairs; reports why, if the pairing did not even begin.
    func pair(_ command: Command, _ body: @escaping @Sendable (CBPairingOptions) async throws -> CBBond) {
        var options = CBPairingOptions()
        if let given = command.outOfBand {
            options = told.options(
                peerConfirm: octets(given.confirm), random: octets(given.random),
                temporaryKey: octets(given.temporaryKey), isTold: given.isTold == true)
        }
        Task { [options] in
            do {
                _ = try await body(options)
            } catch {
                Report.line(["event": "pair-threw", "text": "\(error)"])
            }
        }
    }

    private func octets(_ text: String?) -> [UInt8]? {
        guard let text else { return nil }
        return stride(from: 0, to: text.utf8.count, by: 2).map { start in
            UInt8(text.dropFirst(start).prefix(2), radix: 16) ?? 0
        }
    }

    // MARK: The agent

    func controller(_ controller: CBController, didReceive request: CBPairingRequest) {
        asked = request
        var line: [String: any Sendable] = [
            "event": "asked", "model": request.model.rawValue, "ours": request.isOurs,
        ]
        switch request.kind {
        case .consent: line["question"] = "consent"
        case .display(let passkey): (line["question"], line["number"]) = ("display", passkey)
        case .enterPasskey: line["question"] = "enter"
        case .compare(let digits): (line["question"], line["number"]) = ("compare", digits)
        }
        Report.line(line)
    }

    func controller(
        _ controller: CBController, didEndPairingWith peer: CBPeer, result: Result<CBBond, CBPairingError>
    ) {
        defer { asked = nil }
        switch result {
        case .success(let bond):
            Report.line([
                "event": "paired", "authenticated": bond.isAuthenticated, "secure": bond.isSecureConnections,
                "keySize": bond.keySize, "address": bond.address, "model": asked?.model.rawValue ?? "",
            ])
        case .failure(let error):
            Report.line(["event": "failed", "code": "\(error.code)", "text": error.detail ?? "\(error.code)"])
        }
    }
}
