// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// The screen and the keypad on which people pair a device.
final class PairingScreen: CBPairingAgent {
    /// The present text of the screen; empty without a pairing.
    private(set) var text = ""
    /// All texts and reports so far.
    private(set) var history: [String] = []

    private let controller: CBController
    private let queue: DispatchQueue
    private var open: CBPairingRequest?

    /// `capability`: whether the device has a screen and a keypad.
    init(_ controller: CBController, capability: CBPairingCapability, queue: DispatchQueue) {
        self.controller = controller
        self.queue = queue
        var policy = CBPairingPolicy()
        policy.capability = capability
        controller.pairingPolicy = policy
        controller.setPairingAgent(self, queue: queue)
    }

    /// The button that admits pairings for two minutes.
    func openWindow() { controller.pairingPolicy.incoming = .openFor(.seconds(120)) }

    func closeWindow() { controller.pairingPolicy.incoming = .closed }

    /// A person's keys: `yes`, `no`, or six digits.
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
