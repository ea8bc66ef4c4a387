// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Synchronization

/// A person who pairs with a sensor and can be asked. The questions of the pairing go to this person, and the answers
/// come back.
package final class PairingDialogue: Sendable {
    /// A message to the person.
    package enum Word: Equatable, Sendable {
        case message(PairingMessage)
        /// The last message: the pairing failed, with the reason.
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

    /// The sensor's passkey, if the person gave the passkey at the start.
    let passkey: CBPasskey?
    private let state = Mutex(State())

    package init(passkey: CBPasskey?) { self.passkey = passkey }

    /// `listener` gets the messages to the person, on any thread, until the last message.
    package func listen(_ listener: @escaping Listener) { state.withLock { $0.listener = listener } }

    /// The person has left, or the last message is sent.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// The device has not been found yet.
    func awaits(_ device: String) {
        let isNews = state.withLock { state in
            defer { state.device = device }
            return state.device != device
        }
        if isNews { tell(.connecting) }
    }

    /// `left` is called, on any thread, if the person leaves before the end.
    func begin(with device: String, left: @escaping @Sendable () -> Void) {
        let isGone = state.withLock { state in
            (state.device, state.left) = (device, left)
            return state.isOver
        }
        if isGone { left() }
    }

    // MARK: To the person

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

    // MARK: From the person

    /// Takes an answer to the last question.
    package func answer(_ reply: PairingReply) {
        let request = state.withLock { $0.request }
        guard let request else { return }
        let answer: CBPairingRequest.Answer? =
            switch reply.answer {
            case "yes": .accept
            case "no": .refuse
            default: CBPasskey(reply.answer).map { .passkey($0) }
            }
        // After an answer that does not fit, the question is asked again.
        if answer.map({ request.respond(with: $0) }) != true, request.isOpen { ask(request) }
    }

    /// The person has left before the last message.
    package func clientLeft() {
        let left = state.withLock { state in
            defer { (state.listener, state.request, state.left, state.isOver) = (nil, nil, nil, true) }
            return state.left
        }
        left?()
    }
}
