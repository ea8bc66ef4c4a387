// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// Commands for scanning, connecting and advertising, and the remedy if the controller refuses a command or does not
/// answer.
extension HostMachine {
    /// Takes the answer to a command of the scanner.
    mutating func scannerAnswered(_ opcode: HCIOpcode, _ status: HCIStatus, at now: MonotonicTime) {
        let refusal = radio.scanAnswered(status, beside: activeUsers, at: now)
        guard let refusal, refusal.isFinal else { return }
        guard refusal.effect != .stop else {
            fail(Self.refusal(of: opcode, status))
            return
        }
        _ = remedy(.scan, opcode, status, at: now)
    }

    /// Takes the answer to a command of the initiator.
    mutating func initiatorAnswered(_ opcode: HCIOpcode, _ status: HCIStatus, at now: MonotonicTime) {
        let users = activeUsers
        let isCreation = opcode == .leCreateConnection || opcode == .leExtendedCreateConnection
        let refusal = initiator.answered(
            status, isAlone: users.isSubset(of: .initiate), hasLinks: links.count > 0, at: now)
        if refusal?.isOfCombination == true { radio.refused(.initiate, beside: users) }
        if isCreation { recordLimit(status) }
        if isCreation, status == .success { radio.granted(.initiate) }
        guard let refusal, refusal.isFinal else { return }
        guard refusal.effect != .cancel else {
            fail(Self.refusal(of: opcode, status))
            return
        }
        switch remedy(.initiate, opcode, status, at: now) {
        case .plainPHY: initiator.startAnew()
        case .legacy, .reset, .patience: break
        case .none: refuseConnections(status)
        }
    }

    /// Takes the answer to a command of an advertiser.
    mutating func advertiserAnswered(
        _ place: Int, _ opcode: HCIOpcode, _ status: HCIStatus, at now: MonotonicTime
    ) {
        let conditions = advertisingConditions
        let effects = advertising.answered(status, at: place, under: conditions, at: now)
        for effect in effects {
            guard case .failed(let client, let status, let isOfDemand) = effect, !isOfDemand else {
                if case .started = effect { radio.granted(.advertise) }
                continue
            }
            let remedy = remedy(.advertise, opcode, status, at: now)
            guard remedy == .none else {
                // The client asks again when the host is ready again, as every client does.
                events.append(.advertisingEnded(client), for: ClientSet(client))
                return
            }
        }
        perform(effects)
    }

    /// Answers a final refusal with its remedy. For a reset, the controller is given up.
    private mutating func remedy(
        _ user: RadioUsers, _ opcode: HCIOpcode, _ status: HCIStatus, at now: MonotonicTime
    ) -> LearnedCommands.Remedy {
        let remedy = radio.refused(user, opcode, status, by: controller, links: links.count, at: now)
        switch remedy {
        case .plainPHY: controller.isPlainOnly = true
        case .legacy: fail("\(Self.refusal(of: opcode, status)); from now on it has the older commands")
        case .reset: fail(Self.refusal(of: opcode, status))
        case .none, .patience: break
        }
        return remedy
    }

    /// A fresh initiator, without the list commands that the controller has not answered.
    var freshInitiator: InitiatorMachine {
        InitiatorMachine(
            capacity: controller.acceptListSize,
            isListless: [.leClearFilterAcceptList, .leAddDeviceToFilterAcceptList].contains(
                where: radio.commands.isLeftOut),
            canRemove: !radio.commands.isLeftOut(.leRemoveDeviceFromFilterAcceptList))
    }

    static let resolvingCommands: Set<HCIOpcode> = [
        .leAddDeviceToResolvingList, .leRemoveDeviceFromResolvingList, .leClearResolvingList,
        .leSetAddressResolutionEnable, .leSetPrivacyMode,
    ]

    /// A command was not answered in time. An optional command counts as refused, and the host goes on with the
    /// controller as long as the controller answers the next command.
    mutating func unanswered(_ opcode: HCIOpcode, at now: MonotonicTime) {
        counters.commandTimeouts += 1
        let silence = radio.unanswered(opcode, beside: activeUsers, by: controller, isInSetUp: isStarting)
        if silence == .goesOn, let purpose = outbound.abandon() {
            answered(opcode, purpose, [HCIStatus.unsupportedFeature.rawValue], at: now)
            if Self.resolvingCommands.contains(opcode) { resolving.giveUp() }
            return
        }
        let consequence =
            switch silence {
            case .once, .goesOn: ""
            case .omitted: "; from now on that is left out"
            case .legacy: "; from now on it has the older commands"
            }
        fail("the controller did not answer command \(opcode) in time\(consequence)")
    }
}
