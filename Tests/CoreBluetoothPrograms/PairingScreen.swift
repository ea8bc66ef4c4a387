// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// The part of a device with a screen and a keypad that people use to pair it.
final class PairingScreen: CBPairingAgent {
    /// What the screen shows now; empty when nobody pairs.
    private(set) var text = ""
    /// What was shown and told so far.
    private(set) var history: [String] = []

    private let controller: CBController
    private let queue: DispatchQueue
    private var open: CBPairingRequest?

    /// `capability`: what the device has of screen and keypad.
    init(_ controller: CBController, capability: CBPairingCapability, queue: DispatchQueue) {
        self.controller = controller
        self.queue = queue
        var policy = CBPairingPolicy()
        policy.capability = capability
        controller.pairingPolicy = policy
        controller.setPairingAgent(self, queue: queue)
    }

    /// The button that lets others pair for two minutes.
    func openWindow() { controller.pairingPolicy.incoming = .openFor(.seconds(120)) }

    func closeWindow() { controller.pairingPolicy.incoming = .closed }

    /// What somebody does with the keypad: `yes`, `no`, or six digits.
    func press(_ keys: String) {
        guard let request = open else { return }
        switch keys {
        case "yes": request.respond(with: .accept)
        case "no": request.respond(with: .refuse)
        default: CBPasskey(keys).map { _ = request.respond(with: .passkey($0)) }
        }
        if !request.isOpen { (open, text) = (nil, "") }
    }

    func controller(_ controller: CBController, didReceive request: CBPairingRequest) {
        open = request
        switch request.kind {
        case .consent: show("Pair?")
        case .display(let passkey): show(passkey)
        case .enterPasskey: show("Passkey:")
        case .compare(let digits): show("\(digits)?")
        }
    }

    func controller(
        _ controller: CBController, didEndPairingWith peer: CBPeer, result: Result<CBBond, CBPairingError>
    ) {
        open = nil
        switch result {
        case .success(let bond): show(bond.isAuthenticated ? "Paired, and safe" : "Paired")
        case .failure(let error): show("Not paired: \(error.code)")
        }
        text = ""
    }

    private func show(_ new: String) {
        text = new
        history.append(new)
    }
}
