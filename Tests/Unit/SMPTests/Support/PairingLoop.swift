// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SMP

/// Two machines that exchange PDUs; PDUs arrive before people answer, because people are slow.
struct PairingLoop {
    struct Sent: Equatable {
        let from: LinkRole
        let octets: [UInt8]
    }

    /// Both machines at one moment, and the number of PDUs that had arrived by then.
    struct Moment {
        let arrived: Int
        let machines: [LinkRole: PairingMachine]
    }

    private(set) var machines: [LinkRole: PairingMachine]
    /// Every moment between two PDUs or answers, from before the start to the end.
    private(set) var moments: [Moment] = []
    private(set) var arrivals: [(to: LinkRole, octets: [UInt8])] = []
    private(set) var effects: [LinkRole: [PairingMachine.Effect]] = [.central: [], .peripheral: []]
    /// All sent PDUs, as they left their sender.
    private(set) var sent: [Sent] = []
    /// The fate of a PDU underway, by its place in ``sent``; nil loses it.
    var alter: (Int, Sent) -> [UInt8]? = { $1.octets }
    /// People's answers; nil is silence. By default people enter the passkey on the other side's display.
    var answers: (LinkRole, PairingQuestion) -> PairingAnswer? = { _, question in
        question == .enterPasskey ? nil : .yes
    }
    /// The passkey that people invent when neither side shows digits.
    var inventedPasskey: UInt32 = 271_828
    var now = MonotonicTime.zero
    private var underway: [(index: Int, sent: Sent)] = []
    private var questions: [(LinkRole, PairingQuestion)] = []

    init(initiator: PairingMachine, responder: PairingMachine) {
        machines = [.central: initiator, .peripheral: responder]
    }

    mutating func run() {
        remember()
        perform(.central) { $0.begin(at: $1) }
        while true {
            remember()
            if !underway.isEmpty {
                let (index, pdu) = underway.removeFirst()
                guard let octets = alter(index, pdu) else { continue }
                let receiver: LinkRole = pdu.from == .central ? .peripheral : .central
                arrivals.append((receiver, octets))
                perform(receiver) { $0.received(octets[...], at: $1) }
            } else if !questions.isEmpty {
                let (role, question) = questions.removeFirst()
                if let answer = answer(role, question) { perform(role) { $0.answer(answer, at: $1) } }
            } else {
                return
            }
        }
    }

    mutating func perform(
        _ role: LinkRole, _ action: (inout PairingMachine, MonotonicTime) -> [PairingMachine.Effect]
    ) {
        guard var machine = machines[role] else { return }
        let new = action(&machine, now)
        machines[role] = machine
        effects[role, default: []] += new
        for effect in new {
            switch effect {
            case .send(let octets):
                let pdu = Sent(from: role, octets: octets)
                underway.append((sent.count, pdu))
                sent.append(pdu)
            case .ask(.display): break
            case .ask(let question): questions.append((role, question))
            case .encrypt(let key): encrypt(key)
            case .finished, .failed: break
            }
        }
    }

    private mutating func remember() { moments.append(Moment(arrived: arrivals.count, machines: machines)) }

    private mutating func encrypt(_ key: SecretKey) {
        remember()
        guard machines[.peripheral]?.key(ediv: 0, rand: 0) == key else {
            return perform(.central) { $0.encryptionFailed(at: $1) }
        }
        perform(.peripheral) { $0.encrypted(at: $1) }
        perform(.central) { $0.encrypted(at: $1) }
    }

    private func answer(_ role: LinkRole, _ question: PairingQuestion) -> PairingAnswer? {
        if let answer = answers(role, question) { return answer }
        guard question == .enterPasskey else { return nil }
        return .passkey(shown(by: role == .central ? .peripheral : .central) ?? inventedPasskey)
    }
}

extension PairingLoop {
    func shown(by role: LinkRole) -> UInt32? {
        for case .ask(.display(let passkey)) in effects[role] ?? [] { return passkey }
        return nil
    }

    func questions(to role: LinkRole) -> [PairingQuestion] {
        (effects[role] ?? []).compactMap { if case .ask(let question) = $0 { question } else { nil } }
    }

    func result(_ role: LinkRole) -> PairingResult? {
        for case .finished(let result) in effects[role] ?? [] { return result }
        return nil
    }

    func failure(_ role: LinkRole) -> PairingFailure? {
        for case .failed(let failure) in effects[role] ?? [] { return failure }
        return nil
    }

    /// How often the pairing ended, which is once or not at all.
    func endings(_ role: LinkRole) -> Int {
        (effects[role] ?? []).count {
            if case .finished = $0 { true } else if case .failed = $0 { true } else { false }
        }
    }

    func security(_ role: LinkRole) -> LinkSecurity? { machines[role]?.security }
}
