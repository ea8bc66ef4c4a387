// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// Sets a controller up step by step. The controller's answers decide about the next commands.
struct StartupMachine: Sendable {
    private enum Phase {
        case idle, reset, inquiry, configuration, done
    }

    private var phase = Phase.idle
    /// Unanswered commands of this phase.
    private var open = 0
    /// The first command of this phase that was refused although the controller knows it.
    private var refused: (opcode: HCIOpcode, status: HCIStatus)?

    /// Commands to leave out, because this controller has not answered them.
    private let omitted: Set<HCIOpcode>

    /// `omitted`: commands to do without; Reset and Read Local Version Information are never among them.
    init(omitting omitted: Set<HCIOpcode> = []) { self.omitted = omitted }

    var isRunning: Bool { phase != .idle && phase != .done }

    mutating func begin() -> [any HCICommand] { enter(.reset, [Reset()]) }

    private mutating func enter(_ phase: Phase, _ commands: [any HCICommand]) -> [any HCICommand] {
        self.phase = phase
        let commands = omitted.isEmpty ? commands : commands.filter { !omitted.contains(type(of: $0).opcode) }
        open = commands.count
        refused = nil
        return commands
    }

    enum Step {
        /// More answers of this phase have to come.
        case wait
        case submit([any HCICommand])
        case ready
        case noLE
        /// The controller has refused a command that shows whether it has LE. After another reset, the controller may
        /// answer.
        case refused(HCIOpcode, HCIStatus)
    }

    /// Notes the answer to a command of the phase. `information`: all facts learned so far.
    mutating func answered(
        _ opcode: HCIOpcode, _ status: HCIStatus, _ information: ControllerInformation, randomAddress: DeviceAddress
    ) -> Step {
        open -= 1
        if refused == nil, ![.success, .unknownCommand, .unsupportedFeature].contains(status) {
            refused = (opcode, status)
        }
        guard open <= 0 else { return .wait }
        switch phase {
        case .idle, .done:
            return .wait
        case .reset:
            return .submit(
                enter(
                    .inquiry,
                    [
                        ReadLocalVersionInformation(), ReadLocalSupportedCommands(), ReadLocalSupportedFeatures(),
                        ReadBDADDR(), LEReadLocalSupportedFeatures(), LEReadBufferSize(),
                        LEReadFilterAcceptListSize(),
                    ]))
        case .inquiry:
            guard information.supportsLE else { return refused.map(Step.refused) ?? .noLE }
            let commands = enter(.configuration, Self.configuration(of: information, randomAddress))
            guard commands.isEmpty else { return .submit(commands) }
            phase = .done
            return .ready
        case .configuration:
            phase = .done
            return .ready
        }
    }

    private static func configuration(
        of information: ControllerInformation, _ randomAddress: DeviceAddress
    ) -> [any HCICommand] {
        var commands: [any HCICommand] = [SetEventMask.leHost, LESetEventMask(mask: leEvents(of: information))]
        // There are no buffers for LE alone: LE and BR/EDR share buffers. Vol 4, Part E, 7.8.2.
        if information.aclLength == 0 || information.aclCount == 0 { commands.append(ReadBufferSize()) }
        if information.hasResolvingList { commands.append(LEReadResolvingListSize()) }
        if information.commands.leReadSupportedStates { commands.append(LEReadSupportedStates()) }
        if !information.hasAddress { commands.append(LESetRandomAddress(address: randomAddress)) }
        if information.features.contains(.le2M), information.commands.leSetDefaultPHY {
            var phys: LEPHYs = [.le1M, .le2M]
            if information.features.contains(.leCoded) { phys.insert(.leCoded) }
            commands.append(LESetDefaultPHY(phys: phys))
        }
        if information.usesExtendedCommands {
            if information.commands.leReadMaximumAdvertisingDataLength {
                commands.append(LEReadMaximumAdvertisingDataLength())
            }
            if information.commands.leReadNumberOfSupportedAdvertisingSets {
                commands.append(LEReadNumberOfSupportedAdvertisingSets())
            }
        }
        if information.features.contains(.dataPacketLengthExtension),
            information.commands.leWriteSuggestedDefaultDataLength
        {
            commands.append(LEWriteSuggestedDefaultDataLength())
        }
        return commands
    }

    /// Connection Complete, Advertising Report, Connection Update Complete, Read Remote Features Complete, Long Term
    /// Key Request, and events for supported features. Vol 4, Part E, 7.8.1.
    private static func leEvents(of information: ControllerInformation) -> UInt64 {
        var mask: UInt64 = 0x1F
        if information.features.contains(.connectionParametersRequest) { mask |= 1 << 5 }
        if information.features.contains(.dataPacketLengthExtension) { mask |= 1 << 6 }
        if information.features.contains(.le2M) { mask |= 1 << 11 }
        // Enhanced Connection Complete, which reports private addresses.
        if information.usesExtendedCommands || information.features.contains(.llPrivacy) { mask |= 1 << 9 }
        if information.usesExtendedCommands { mask |= 1 << 12 | 1 << 17 }
        return mask
    }
}
