// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NetworkControl

@Suite("A trial's result from a device's states") struct TrialMachineTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        /// State and reason.
        var changes: [(Int, Int)]
        var steps: [NetworkStep]
        /// Nil: activated.
        var failure: NetworkFailure?
        var testDescription: String { name }
    }

    static let rows = [
        Row(
            name: "associated, with an address",
            changes: [(40, 0), (50, 0), (60, 0), (40, 0), (50, 0), (70, 0), (80, 0), (100, 0)],
            steps: [.associate, .address], failure: nil),
        Row(
            name: "a wrong WPA2 password", changes: [(40, 0), (50, 0), (60, 8), (120, 7)], steps: [.associate],
            failure: .wrongPassword),
        Row(
            name: "seen, but no handshake", changes: [(40, 0), (50, 0), (120, 11)], steps: [.associate],
            failure: .passwordOrSignal),
        Row(
            name: "the network is gone", changes: [(40, 0), (50, 0), (120, 53)], steps: [.associate],
            failure: .networkNotFound),
        Row(
            name: "no answer to DHCP", changes: [(40, 0), (50, 0), (70, 0), (120, 5)], steps: [.associate, .address],
            failure: .noAddress),
        Row(
            name: "DHCP failed", changes: [(40, 0), (50, 0), (70, 0), (120, 17)], steps: [.associate, .address],
            failure: .noAddress),
        Row(name: "the device was pulled", changes: [(40, 0), (120, 36)], steps: [.associate], failure: .noWiFi),
        Row(
            name: "the device is not managed any more", changes: [(40, 0), (10, 3)], steps: [.associate],
            failure: .noWiFi),
        Row(name: "somebody has disconnected", changes: [(40, 0), (110, 39)], steps: [.associate], failure: .failed),
        Row(
            name: "a reason of which nothing is known", changes: [(40, 0), (120, 9_999)], steps: [.associate],
            failure: .failed),
        Row(
            name: "what was before is ended first",
            changes: [(110, 60), (30, 60), (120, 7), (100, 0), (40, 0), (50, 0), (70, 0), (100, 0)],
            steps: [.associate, .address], failure: nil),
        Row(
            name: "another one's had just begun",
            changes: [(40, 0), (50, 0), (30, 60), (40, 0), (50, 0), (70, 0), (100, 0)],
            steps: [.associate, .associate, .address], failure: nil),
    ]

    @Test("each possible course of a trial", arguments: rows) func outcome(_ row: Row) throws {
        var machine = TrialMachine()
        var steps: [NetworkStep] = []
        var ends: [TrialMachine.Outcome] = []
        for (state, reason) in row.changes {
            switch machine.changed(to: DeviceState(rawValue: state), reason: DeviceReason(rawValue: reason)) {
            case .step(let step)?: steps.append(step)
            case nil: break
            case let end?: ends.append(end)
            }
        }
        #expect(steps == row.steps)
        let end = try #require(ends.first)
        #expect(ends.count == 1)
        switch end {
        case .activated: #expect(row.failure == nil)
        case .failed(let failure, _): #expect(failure == row.failure)
        case .step: Issue.record("a step is no end")
        }
    }

    @Test("an audible WPA3 network is not reported as gone") func wrongWPA3Password() {
        for (isHeard, failure) in [(true, NetworkFailure.passwordOrSignal), (false, .networkNotFound)] {
            var machine = TrialMachine()
            machine.isHeardWithWPA3 = isHeard
            _ = machine.changed(to: .prepare, reason: DeviceReason(rawValue: 0))
            guard case .failed(failure, _)? = machine.changed(to: .failed, reason: .networkNotFound) else {
                Issue.record("it is called something else")
                continue
            }
        }
    }

    @Test("a timeout is named after the last step") func late() {
        var machine = TrialMachine()
        #expect(machine.late.failure == .timedOut)
        _ = machine.changed(to: .prepare, reason: DeviceReason(rawValue: 0))
        #expect(machine.late.failure == .timedOut)
        var refused = machine
        _ = refused.changed(to: .needAuthentication, reason: .supplicantDisconnected)
        #expect(refused.late.failure == .passwordOrSignal)
        _ = machine.changed(to: .addressing, reason: DeviceReason(rawValue: 0))
        #expect(machine.late.failure == .noAddress)
    }
}
