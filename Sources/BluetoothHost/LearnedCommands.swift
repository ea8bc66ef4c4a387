// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// The commands that a controller claims and does not carry out, and the host's way round each. They are kept for as long as the
/// controller is the same, through every reset of it.
///
/// Legacy and extended commands may not be mixed from one reset to the next, so the change to the older ones needs a reset.
/// Core 5.4, Vol 4, Part E, 3.1.1.
struct LearnedCommands: Sendable {
    /// The host's answer to a final refusal.
    enum Remedy: Equatable, Sendable {
        /// One more try, on LE 1M alone.
        case plainPHY
        /// A reset, and the older commands from then on.
        case legacy
        /// A reset: the controller may be in a state that nobody knows of.
        case reset
        /// The host sends the command again a while later, since it has worked before.
        case patience
        /// Nothing helps: there is a problem, in ``problems``.
        case none
    }

    /// The host's answer to a silence.
    enum Silence: Equatable, Sendable {
        /// None: one silence may be an accident.
        case once
        /// The command is left out from now on, and is taken for refused: the controller is used on.
        case goesOn
        /// The command is left out from now on.
        case omitted
        /// The older commands are used from now on.
        case legacy
    }

    private typealias Identity = ControllerInformation.Identity

    /// The controller whose extended commands are of no use.
    private var legacyOnly: Identity?
    /// The controller that scans and connects on LE 1M alone.
    private var plainOnly: Identity?
    /// The uses that worked with the extended commands.
    private var worked: RadioUsers = []
    /// A reset was tried against refusals of these.
    private var wasReset: RadioUsers = []
    /// The uses that the controller refuses for good, with the reason in words.
    private var refused: [RadioUsers: RadioHealth.Refusal] = [:]
    /// Uses that worked, and are refused now: it may pass.
    private var patient: RadioUsers = []
    /// ``legacyOnly`` is about extended commands that have worked: after the set-up with the older ones the next one tries them again.
    private var isProvisional = false
    private var wasSetUpLegacy = false
    /// The last command was not answered.
    private var isSilent = false
    /// Commands that are left out until the next set-up.
    private var passing: Set<HCIOpcode> = []
    /// Commands in a row that were not answered.
    private var silences: [HCIOpcode: Int] = [:]
    /// Commands that are not sent any more, and those of them that were found in a set-up that has not come to its end.
    private var omitted: Set<HCIOpcode> = []
    private var found: Set<HCIOpcode> = []

    /// The controller is set up; `isSame`: it is the one that all this is about.
    mutating func settle(isSame: Bool) {
        if !isSame { (worked, wasReset, silences, omitted) = ([], [], [:], []) }
        (passing, patient) = ([], [])
        if legacyOnly != nil { wasSetUpLegacy = true }
        // Each set-up tries again whatever was refused.
        refused = [:]
        omitted.formUnion(found)
        found = []
    }

    // MARK: What is left

    /// The uses that the controller does not grant at all.
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

    /// A command that `user` needs was granted.
    mutating func granted(_ user: RadioUsers) {
        worked.insert(user)
        patient.remove(user)
        guard !refused.isEmpty || wasReset.contains(user) else { return }
        refused[user] = nil
        wasReset.remove(user)
    }

    /// A command that `user` needs was refused, and will be again. `hasLinks`: a reset costs something.
    mutating func refused(
        _ user: RadioUsers, _ opcode: HCIOpcode, _ status: HCIStatus, by controller: ControllerInformation,
        hasLinks: Bool
    ) -> Remedy {
        // An advertiser more than it has room for, or parameters that only one client wants.
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

    /// No answer came in time. What is not needed is left out at once: in the set-up each try costs a reset, and later each reset
    /// costs the links. The next set-up tries once more what was left out later.
    mutating func unanswered(_ opcode: HCIOpcode, by controller: ControllerInformation, isInSetUp: Bool) -> Silence {
        let count = (silences[opcode] ?? 0) + 1
        if silences.count < Self.capacity || silences[opcode] != nil { silences[opcode] = count }
        if isInSetUp, Self.optionalInSetUp.contains(opcode) {
            found.insert(opcode)
            guard opcode == .leSetEventMask, controller.usesExtendedCommands else { return .omitted }
            // Without it the events of the older commands alone come. Vol 4, Part E, 7.8.1.
            useLegacy(of: controller)
            return .legacy
        }
        if !isInSetUp, Self.optional.contains(opcode) {
            if count >= Self.silenceLimit { omitted.insert(opcode) } else { passing.insert(opcode) }
            // Two silences in a row are the controller's, whatever it was asked.
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

    /// Without the answers to these a controller can be used, though less well. Set Event Mask is none of them: no event of
    /// LE comes by itself. Vol 4, Part E, 7.3.1.
    private static let optionalInSetUp: Set<HCIOpcode> = [
        .readLocalSupportedCommands, .readLocalSupportedFeatures, .readBDADDR, .leReadLocalSupportedFeatures,
        .leReadFilterAcceptListSize, .leSetEventMask, .leReadResolvingListSize,
        .leReadSupportedStates, .leSetDefaultPHY, .leReadMaximumAdvertisingDataLength,
        .leReadNumberOfSupportedAdvertisingSets, .leWriteSuggestedDefaultDataLength,
    ]

    /// Links are not worse off without these, or not much.
    private static let optional: Set<HCIOpcode> = [
        .readRSSI, .leReadRemoteFeatures, .leSetDataLength, .leSetPHY, .leConnectionUpdate,
        .leRemoteConnectionParameterRequestReply, .leRemoteConnectionParameterRequestNegativeReply,
        .leClearFilterAcceptList, .leAddDeviceToFilterAcceptList, .leRemoveDeviceFromFilterAcceptList,
        .leAddDeviceToResolvingList, .leRemoveDeviceFromResolvingList, .leClearResolvingList,
        .leSetAddressResolutionEnable, .leSetPrivacyMode, .leSetScanResponseData, .leSetExtendedScanResponseData,
    ]

    private static let extended: Set<HCIOpcode> = [
        .leSetExtendedScanParameters, .leSetExtendedScanEnable, .leExtendedCreateConnection,
        .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData,
        .leSetExtendedAdvertisingEnable, .leSetAdvertisingSetRandomAddress, .leRemoveAdvertisingSet,
    ]
}
