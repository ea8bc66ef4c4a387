// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Synchronization

/// Somebody who pairs with a sensor and is there to be asked: what the pairing wants goes to them, and their answers come
/// back.
package final class PairingDialogue: Sendable {
    /// What is said to them.
    package enum Word: Equatable, Sendable {
        case message(PairingMessage)
        /// The last word: it was not done, and why.
        case failure(String)
    }

    package typealias Listener = @Sendable (_ word: Word, _ isLast: Bool) -> Void

    private struct State {
        var device = ""
        var request: CBPairingRequest?
        var listener: Listener?
        var left: (@Sendable () -> Void)?
        var isOver = false
    }

    /// The sensor's passkey, where they gave it at the start.
    let passkey: CBPasskey?
    private let state = Mutex(State())

    package init(passkey: CBPasskey?) { self.passkey = passkey }

    /// Has `listener` told what they are to be told, on any thread, until the last word.
    package func listen(_ listener: @escaping Listener) { state.withLock { $0.listener = listener } }

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

    package func fail(_ reason: String) { send(.failure(reason), isLast: true) }

    private func say(_ kind: PairingMessage.Kind, digits: String? = nil, bond: BondStatus? = nil, isLast: Bool = false)
    {
        let device = state.withLock { $0.device }
        send(.message(PairingMessage(kind, device: device, digits: digits, bond: bond)), isLast: isLast)
    }

    private func send(_ word: Word, isLast: Bool) {
        let listener = state.withLock { state in
            defer { if isLast { (state.listener, state.request, state.left, state.isOver) = (nil, nil, nil, true) } }
            return state.listener
        }
        listener?(word, isLast)
    }

    // MARK: From them

    /// Takes an answer to the question that was asked last.
    package func answer(_ reply: PairingReply) {
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

    /// They have gone before the last word.
    package func clientLeft() {
        let left = state.withLock { state in
            defer { (state.listener, state.request, state.left, state.isOver) = (nil, nil, nil, true) }
            return state.left
        }
        left?()
    }
}
