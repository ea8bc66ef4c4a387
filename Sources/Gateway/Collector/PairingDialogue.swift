// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Synchronization

/// Somebody at the control socket who pairs with a sensor: what the pairing wants goes to them, and their answers come
/// back.
package final class PairingDialogue: Sendable {
    private struct State {
        var device = ""
        var request: CBPairingRequest?
        var control: ControlDialogue?
        var left: (@Sendable () -> Void)?
        var isOver = false
    }

    /// The sensor's passkey, where they gave it at the start.
    let passkey: CBPasskey?
    private let state = Mutex(State())

    package init(passkey: CBPasskey?) { self.passkey = passkey }

    /// The socket's side of it.
    package func makeControl() -> ControlDialogue {
        // Held by the server as long as the client is there.
        let control = ControlDialogue { [self] in
            take($0)
        } left: { [self] in
            clientLeft()
        }
        state.withLock { $0.control = control }
        return control
    }

    /// Nobody is there any more, or all is said.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// The device has not been found yet.
    func awaits(_ device: String) {
        let isNews = state.withLock { state in
            defer { state.device = device }
            return state.device != device
        }
        if isNews { tell(.connecting) }
    }

    /// `left` is called, on any thread, when they have gone before the end.
    func begin(with device: String, left: @escaping @Sendable () -> Void) {
        let isGone = state.withLock { state in
            (state.device, state.left) = (device, left)
            return state.isOver
        }
        if isGone { left() }
    }

    // MARK: To them

    func tell(_ kind: PairingMessage.Kind) { say(kind) }

    func ask(_ request: CBPairingRequest) {
        state.withLock { $0.request = request }
        switch request.kind {
        case .consent: say(.consent)
        case .display(let passkey): say(.display, digits: passkey)
        case .enterPasskey: say(.enterPasskey)
        case .compare(let digits): say(.compare, digits: digits)
        }
    }

    func paired(_ bond: BondStatus) { say(.paired, bond: bond, isLast: true) }

    package func fail(_ reason: String) { send(ControlResponse<PairingMessage>.failure(reason), isLast: true) }

    private func say(_ kind: PairingMessage.Kind, digits: String? = nil, bond: BondStatus? = nil, isLast: Bool = false)
    {
        let device = state.withLock { $0.device }
        send(.success(PairingMessage(kind, device: device, digits: digits, bond: bond)), isLast: isLast)
    }

    private func send(_ response: ControlResponse<PairingMessage>, isLast: Bool) {
        let control = state.withLock { state in
            defer { if isLast { (state.control, state.request, state.left, state.isOver) = (nil, nil, nil, true) } }
            return state.control
        }
        // A message is made of strings and numbers, which can be encoded.
        guard let line = try? ControlCoding.encode(response) else { return }
        control?.say(line, isLast: isLast)
    }

    // MARK: From them

    private func take(_ line: [UInt8]) {
        guard let reply = try? ControlCoding.decode(PairingReply.self, from: line) else { return }
        let request = state.withLock { $0.request }
        guard let request else { return }
        let answer: CBPairingRequest.Answer? =
            switch reply.answer {
            case "yes": .accept
            case "no": .refuse
            default: CBPasskey(reply.answer).map { .passkey($0) }
            }
        // What is no answer to the question is asked for again.
        if answer.map({ request.respond(with: $0) }) != true, request.isOpen { ask(request) }
    }

    private func clientLeft() {
        let left = state.withLock { state in
            defer { (state.control, state.request, state.left, state.isOver) = (nil, nil, nil, true) }
            return state.left
        }
        left?()
    }
}
