// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Gateway
import Health
import Testing

@testable import Provisioning

@Suite struct WindowMachineTests {
    private typealias Effect = WindowMachine.Effect

    private let start = ContinuousClock.now
    private static let label = LabelRecord(passkey: Secret("111111"))

    private func machine(provisioned: Bool = true, label: LabelRecord? = nil) -> WindowMachine {
        WindowMachine(isProvisioned: provisioned, label: label)
    }

    /// An open window, with a display for the digits.
    private func opened(_ digits: String = "000001") -> WindowMachine {
        var machine = machine()
        _ = machine.setScreens(.dialogue, at: start)
        #expect(machine.open(by: .button, at: start) == [.makePasskey])
        #expect(machine.supply(Secret(digits), at: start) == [.admit(Secret(digits)), .tell])
        return machine
    }

    @Test func `what is not provisioned is open, and closed once it is`() {
        var machine = machine(provisioned: false)
        _ = machine.start(at: start)
        #expect(machine.state.opener == .unprovisioned && machine.state.end == nil)
        _ = machine.timePassed(at: start + .seconds(100_000))
        #expect(machine.isOpen)
        _ = machine.setProvisioned(true, at: start)
        #expect(!machine.isOpen)
        _ = machine.setProvisioned(false, at: start)
        #expect(machine.isOpen)
        _ = machine.close(at: start)
        _ = machine.timePassed(at: start)
        #expect(!machine.isOpen, "a person has closed it")
        _ = machine.setProvisioned(true, at: start)
        _ = machine.setProvisioned(false, at: start)
        #expect(machine.isOpen, "what was set up since, and is not any more, is open again")
    }

    @Test(arguments: [WindowState.Opener.button, .command, .owner])
    func `a window that was opened closes by itself`(_ opener: WindowState.Opener) {
        var machine = machine()
        _ = machine.start(at: start)
        #expect(!machine.isOpen)
        _ = machine.open(by: opener, at: start)
        #expect(machine.deadline == start + .seconds(600))
        _ = machine.timePassed(at: start + .milliseconds(599_999))
        #expect(machine.isOpen)
        _ = machine.timePassed(at: start + .seconds(600))
        #expect(!machine.isOpen && machine.deadline == nil)
        #expect(machine.state.passkey == .none("the window is closed"))
    }

    @Test func `each attempt has fresh digits, whatever came of the one before`() {
        for outcome in [WindowMachine.Outcome.paired, .failed, .timedOut] {
            var machine = opened()
            #expect(machine.state.passkey == .fresh("000001"))
            #expect(machine.began(with: Secret("000001"), at: start).isEmpty)
            #expect(machine.state.passkey == .fresh("000001"), "somebody enters them")
            #expect(machine.ended(outcome, at: start) == [.makePasskey])
            #expect(machine.supply(Secret("000002"), at: start) == [.admit(Secret("000002")), .tell])
        }
    }

    @Test func `what ends without digits is no guess, and has fresh digits after it`() {
        var machine = opened()
        #expect(machine.ended(.failed, at: start) == [.makePasskey])
        // The machine sets the same digits again; otherwise the radio would take them for used.
        #expect(machine.supply(Secret("000001"), at: start) == [.admit(Secret("000001"))])
        #expect(machine.state.failures == 0)
    }

    @Test func `after five failures there are pauses, which grow and are told, and the window stays open`() {
        var machine = opened()
        var now = start
        var pauses: [Duration] = []
        for number in 1...11 {
            _ = machine.began(with: Secret("000001"), at: now)
            let effects = machine.ended(.failed, at: now)
            #expect(machine.state.isOpen)
            if effects == [.makePasskey] {
                pauses.append(.zero)
            } else {
                let pause = machine.pause(after: number) ?? .zero
                pauses.append(pause)
                #expect(effects == [.tell], "the radio says that it is too soon, as the digits are used up")
                guard case .none(let reason) = machine.state.passkey else { return #expect(Bool(false)) }
                #expect(reason.contains("wait \(pause.components.seconds) s"))
                // The window closes before its maximum duration is over.
                guard now + pause < start + .seconds(600) else { break }
                #expect(machine.timePassed(at: now + pause - .milliseconds(1)).isEmpty)
                now += pause
                #expect(machine.timePassed(at: now) == [.makePasskey])
            }
            _ = machine.supply(Secret("000001"), at: now)
        }
        #expect(pauses == [0, 0, 0, 0, 10, 20, 40, 80, 160, 300].map { Duration.seconds($0) })
    }

    @Test func `who types slowly is not kept waiting`() {
        var machine = opened()
        for _ in 1...20 {
            _ = machine.began(with: Secret("000001"), at: start)
            #expect(machine.ended(.timedOut, at: start) == [.makePasskey])
            _ = machine.supply(Secret("000001"), at: start)
        }
        #expect(machine.state.failures == 0)
    }

    // MARK: Label

    @Test func `the label counts where nothing shows digits, and each try is on disk before it can begin`() {
        var machine = machine(label: Self.label)
        #expect(machine.open(by: .button, at: start) == [.tell])
        #expect(machine.state.passkey == .label)
        var risked = Self.label
        risked.risk()
        #expect(machine.setHasCentrals(true, at: start) == [.keep(risked), .admit(Secret("111111"))])
        // Gone without a try.
        #expect(machine.setHasCentrals(false, at: start) == [.refuse, .keep(Self.label)])
        // A display for the digits has appeared.
        #expect(machine.setScreens(.monitor, at: start) == [.makePasskey])
    }

    @Test func `six failures void the label, over restarts and windows, and a power cut is one`() {
        var kept = Self.label
        for number in 1...6 {
            var machine = machine(label: kept)
            _ = machine.start(at: start)
            _ = machine.open(by: .button, at: start)
            for case .keep(let record) in machine.setHasCentrals(true, at: start) { kept = record }
            #expect(kept.isAtRisk)
            if number.isMultiple(of: 2) {
                // The power goes between the risk and the result.
                var next = self.machine(label: kept)
                for case .keep(let record) in next.start(at: start) { kept = record }
            } else {
                _ = machine.began(with: Secret("111111"), at: start)
                for case .keep(let record) in machine.ended(.timedOut, at: start) where record.failures == number {
                    kept = LabelRecord(
                        passkey: record.passkey, failures: record.failures, condition: record.condition)
                }
            }
            #expect(kept.failures == number)
        }
        #expect(kept.condition == .void)
        var machine = machine(label: kept)
        _ = machine.open(by: .button, at: start)
        #expect(machine.setHasCentrals(true, at: start).isEmpty)
        guard case .none = machine.state.passkey else { return #expect(Bool(false)) }
    }

    @Test func `who lets the label's passkey time out is counted: the digits are the same the next time`() {
        var machine = machine(label: Self.label)
        _ = machine.start(at: start)
        _ = machine.open(by: .button, at: start)
        for number in 1...5 {
            _ = machine.setHasCentrals(true, at: start)
            _ = machine.began(with: Secret("111111"), at: start)
            _ = machine.ended(.timedOut, at: start)
            #expect(machine.state.failures == number)
        }
    }

    @Test func `what is looked at before the start gives no try back`() {
        var risked = Self.label
        risked.risk()
        var machine = machine(label: risked)
        _ = machine.setScreens(.monitor, at: start)
        _ = machine.setScreens([], at: start)
        _ = machine.setHasCentrals(false, at: start)
        let kept = machine.start(at: start).compactMap { if case .keep(let record) = $0 { record } else { nil } }
        #expect(kept.last?.failures == 1 && kept.last?.isAtRisk == false && machine.label?.failures == 1)
    }

    @Test func `an attempt that has given digits away voids the label`() {
        var machine = machine(label: Self.label)
        _ = machine.open(by: .button, at: start)
        _ = machine.setHasCentrals(true, at: start)
        _ = machine.began(with: Secret("111111"), at: start)
        let kept = machine.ended(.revealed, at: start).compactMap {
            if case .keep(let record) = $0 { record } else { nil }
        }
        #expect(kept.first?.condition == .void && machine.label?.condition == .void)
        guard case .none = machine.state.passkey else { return #expect(Bool(false)) }
    }

    @Test func `a label is used once`() {
        var machine = machine(label: Self.label)
        _ = machine.open(by: .button, at: start)
        _ = machine.setHasCentrals(true, at: start)
        _ = machine.began(with: Secret("111111"), at: start)
        _ = machine.ended(.paired, at: start)
        #expect(machine.label?.condition == .used && machine.label?.triesLeft == 0)
        #expect(!machine.setHasCentrals(false, at: start).contains(.admit(Secret("111111"))))
        #expect(!machine.setHasCentrals(true, at: start).contains(.admit(Secret("111111"))))
    }

    @Test func `an attempt that began before its try was given back counts`() {
        var machine = machine(label: Self.label)
        _ = machine.open(by: .button, at: start)
        _ = machine.setHasCentrals(true, at: start)
        _ = machine.close(at: start)
        #expect(machine.label == Self.label)
        _ = machine.began(with: Secret("111111"), at: start)
        #expect(machine.label?.isAtRisk == true)
        _ = machine.ended(.failed, at: start)
        #expect(machine.label?.failures == 1)
    }

    @Test func `where the disk does not take the try, nobody may try`() {
        var machine = machine(label: Self.label)
        _ = machine.open(by: .button, at: start)
        _ = machine.setHasCentrals(true, at: start)
        #expect(machine.diskFailed(at: start).first == .refuse)
        #expect(machine.label?.isGood == false)
        guard case .none = machine.state.passkey else { return #expect(Bool(false)) }
    }

    @Test(arguments: [false, true])
    func `with a new label the trouble of the one before is over`(_ isDiskTrouble: Bool) {
        var machine = WindowMachine(
            isProvisioned: true, label: isDiskTrouble ? Self.label : nil,
            labelTrouble: isDiskTrouble ? nil : "its record is damaged")
        _ = machine.open(by: .button, at: start)
        if isDiskTrouble {
            _ = machine.diskFailed(at: start)
            #expect(machine.state.passkey == .none("the record of the label's passkey cannot be written"))
        } else {
            #expect(machine.state.passkey == .none("its record is damaged"))
        }
        _ = machine.setLabel(Self.label, at: start)
        #expect(machine.state.passkey == .label)
        _ = machine.setHasCentrals(true, at: start)
        _ = machine.began(with: Secret("111111"), at: start)
        _ = machine.ended(.paired, at: start)
        #expect(
            machine.state.passkey
                == .none(Advice.here("the label's passkey was used; run: \(.martlet(.provisionOpen))")))
    }
}
