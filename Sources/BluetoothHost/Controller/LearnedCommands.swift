// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// Commands that a controller claims and does not carry out, and the host's way round each. They are kept as long as
/// the host uses this controller, through every reset.
///
/// Legacy and extended commands may not be mixed between two resets, so the change to the older commands needs a reset.
/// Core 5.4, Vol 4, Part E, 3.1.1.
struct LearnedCommands: Sendable {
    /// The host's answer to a final refusal.
    enum Remedy: Equatable, Sendable {
        /// A further try, on LE 1M alone.
        case plainPHY
        /// A reset, and the older commands from then on.
        case legacy
        /// A reset: the controller may be in an unknown state.
        case reset
        /// The host sends the command again a while later, because the command has worked before.
        case patience
        /// Nothing helps: there is a problem, in ``problems``.
        case none
    }

    /// The host's answer to a silence.
    enum Silence: Equatable, Sendable {
        /// No answer: one silence may be an accident.
        case once
        /// The command is left out from now on, and counts as refused. The controller stays in use.
        case goesOn
        /// The command is left out from now on.
        case omitted
        /// The older commands are used from now on.
        case legacy
    }

    private typealias Identity = ControllerInformation.Identity

    /// The controller whose extended commands are useless.
    private var legacyOnly: Identity?
    /// The controller on which the host scans and connects on LE 1M alone.
    private var plainOnly: Identity?
    /// Uses that worked with the extended commands.
    private var worked: RadioUsers = []
    /// Uses against whose refusal a reset was tried.
    private var wasReset: RadioUsers = []
    /// Uses that the controller refuses for good, with the reason in words.
    private var refused: [RadioUsers: RadioHealth.Refusal] = [:]
    /// Uses that worked before and are refused now. The refusal may pass.
    private var patient: RadioUsers = []
    /// ``legacyOnly`` concerns extended commands that have worked. After one set-up with the older commands, the next
    /// set-up tries the extended commands again.
    private var isProvisional = false
    private var wasSetUpLegacy = false
    /// The last command was not answered.
    private var isSilent = false
    /// Commands left out until the next set-up.
    private var passing: Set<HCIOpcode> = []
    /// Consecutive unanswered calls of a command.
    private var silences: [HCIOpcode: Int] = [:]
    /// `omitted`: commands that are no longer sent. `found`: commands to omit, found in a set-up that has not ended
    /// yet.
    private var omitted: Set<HCIOpcode> = []
    private var found: Set<HCIOpcode> = []

    /// The controller is set up. `isSame`: the learned facts are about this controller.
    mutating func settle(isSame: Bool) {
        if !isSame { (worked, wasReset, silences, omitted) = ([], [], [:], []) }
        (passing, patient) = ([], [])
        if legacyOnly != nil { wasSetUpLegacy = true }
        // Each set-up tries every refused use again.
        refused = [:]
        omitted.formUnion(found)
        found = []
    }

    // MARK: Limits of the controller

    /// Uses of the radio that the controller never grants.
    var problems: [RadioHealth.Refusal] { RadioUsers.single.compactMap { refused[$0] } }

    func isLegacyOnly(_ controller: ControllerInformation.Identity) -> Bool {
        legacyOnly == controller && !(isProvisional && wasSetUpLegacy)
    }

    func isPlainOnly(_ controller: ControllerInformation.Identity) -> Bool { plainOnly == controller }

    /// Commands that are left out.
    var left: Set<HCIOpcode> { omitted.union(found) }

    func isLeftOut(_ opcode: HCIOpcode) -> Bool {
        omitted.contains(opcode) || found.contains(opcode) || passing.contains(opcode)
    }

    // MARK: Answers

    /// A command for `user` was granted.
    mutating func granted(_ user: RadioUsers) {
        worked.insert(user)
        patient.remove(user)
        guard !refused.isEmpty || wasReset.contains(user) else { return }
        refused[user] = nil
        wasReset.remove(user)
    }

    /// A command for `user` was refused, and a retry would fail too. `hasLinks`: a reset would cost links.
    mutating func refused(
        _ user: RadioUsers, _ opcode: HCIOpcode, _ status: HCIStatus, by controller: ControllerInformation,
        hasLinks: Bool
    ) -> Remedy {
        // There is no room for a further advertiser, or the controller dislikes the parameters of a single client.
        if user == .advertise, worked.contains(user) { return .none }
        if controller.usesExtendedCommands, user == .scan || !worked.contains(user) {
            let isOnOthers = user == .scan && controller.usesCoded || user == .initiate && controller.usesOtherPHYs
            if isOnOthers, !status.mayPass, status != .unknownCommand {
                plainOnly = controller.identity
                return .plainPHY
            }
            if worked.contains(user), status.mayPass {
                guard patient.contains(user) else {
                    patient.insert(user)
                    return .patience
                }
                useLegacy(of: controller)
                isProvisional = true
            } else {
                useLegacy(of: controller)
            }
            return .legacy
        }
        if status.mayPass, !hasLinks, !wasReset.contains(user) {
            wasReset.insert(user)
            return .reset
        }
        let use: RadioHealth.Refusal.Use = user == .scan ? .scan : user == .initiate ? .connect : .advertise
        refused[user] = RadioHealth.Refusal(
            use, reason: "the controller refuses to \(use.rawValue): \(opcode.words): \(status)")
        return .none
    }

    mutating func useLegacy(of controller: ControllerInformation) {
        (legacyOnly, isProvisional, wasSetUpLegacy) = (controller.identity, false, false)
    }

    /// An answer came.
    mutating func answered(_ opcode: HCIOpcode) {
        isSilent = false
        if !silences.isEmpty { silences[opcode] = nil }
    }

    /// No answer came in time. An optional command is left out at once: in the set-up each further try costs a reset,
    /// and later each reset costs the links. The next set-up tries the commands again that were left out after the
    /// set-up.
    mutating func unanswered(_ opcode: HCIOpcode, by controller: ControllerInformation, isInSetUp: Bool) -> Silence {
        let count = (silences[opcode] ?? 0) + 1
        if silences.count < Self.capacity || silences[opcode] != nil { silences[opcode] = count }
        if isInSetUp, Self.optionalInSetUp.contains(opcode) {
            found.insert(opcode)
            guard opcode == .leSetEventMask, controller.usesExtendedCommands else { return .omitted }
            // Without the mask, only events of the older commands come. Vol 4, Part E, 7.8.1.
            useLegacy(of: controller)
            return .legacy
        }
        if !isInSetUp, Self.optional.contains(opcode) {
            if count >= Self.silenceLimit { omitted.insert(opcode) } else { passing.insert(opcode) }
            // Two silences in a row are the controller's fault, whatever the commands were.
            defer { isSilent = true }
            return isSilent ? .omitted : .goesOn
        }
        guard count >= Self.silenceLimit else { return .once }
        guard Self.extended.contains(opcode), controller.usesExtendedCommands else { return .once }
        useLegacy(of: controller)
        return .legacy
    }

    private static let silenceLimit = 2
    private static let capacity = 64

    /// Without answers to these commands, a controller is usable, though less well. Set Event Mask is not among them:
    /// without the mask, no LE event comes. Vol 4, Part E, 7.3.1.
    private static let optionalInSetUp: Set<HCIOpcode> = [
        .readLocalSupportedCommands, .readLocalSupportedFeatures, .readBDADDR, .leReadLocalSupportedFeatures,
        .leReadFilterAcceptListSize, .leSetEventMask, .leReadResolvingListSize,
        .leReadSupportedStates, .leSetDefaultPHY, .leReadMaximumAdvertisingDataLength,
        .leReadNumberOfSupportedAdvertisingSets, .leWriteSuggestedDefaultDataLength,
    ]

    /// Without these commands, links are no worse off, or not much.
    private static let optional: Set<HCIOpcode> = [
        .readRSSI, .leReadRemoteFeatures, .leSetDataLength, .leSetPHY, .leConnectionUpdate,
        .leRemoteConnectionParameterRequestReply, .leRemoteConnectionParameterRequestNegativeReply,
        .leClearFilterAcceptList, .leAddDeviceToFilterAcceptList, .leRemoveDeviceFromFilterAcceptList,
        .leAddDeviceToResolvingList, .leRemoveDeviceFromResolvingList, .leClearResolvingList,
        .leSetAddressResolutionEnable, .leSetPrivacyMode, .leSetScanResponseData, .leSetExtendedScanResponseData,
        .leWriteSuggestedDefaultDataLength,
    ]

    private static let extended: Set<HCIOpcode> = [
        .leSetExtendedScanParameters, .leSetExtendedScanEnable, .leExtendedCreateConnection,
        .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData,
        .leSetExtendedAdvertisingEnable, .leSetAdvertisingSetRandomAddress, .leRemoveAdvertisingSet,
    ]
}
