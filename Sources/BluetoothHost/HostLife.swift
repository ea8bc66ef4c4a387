// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// The life of the host with its controller: set-up, use, or given up.
struct HostLife: Sendable {
    private(set) var state = HostState.unknown
    /// Why the controller was given up last.
    private(set) var failureReason = ""
    private var startup = StartupMachine()

    /// The set-up is under way.
    var isStarting: Bool { state == .resetting && startup.isRunning }

    /// Begins the set-up, without the omitted commands. Returns the first commands.
    mutating func start(omitting omitted: Set<HCIOpcode>) -> [any HCICommand] {
        state = .resetting
        startup = StartupMachine(omitting: omitted)
        return startup.begin()
    }

    /// A command of the set-up was answered, and `controller` has learned from the answer. Returns the next step.
    mutating func answered(
        _ opcode: HCIOpcode, _ status: HCIStatus, _ controller: ControllerInformation, randomAddress: DeviceAddress
    ) -> StartupMachine.Step {
        startup.answered(opcode, status, controller, randomAddress: randomAddress)
    }

    /// The set-up has come to its end, good or bad.
    mutating func finish(as new: HostState) { state = new }

    mutating func fail(_ reason: String, as new: HostState) {
        (state, failureReason, startup) = (new, reason, StartupMachine())
    }
}
