// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// The present faults of one controller, and the packets that it holds back because of them.
struct FaultState {
    /// The end of a pause.
    enum Timer {
        case hardwareError
        case answers
        case events
        case reports
        case completions
        case cancel
    }

    private(set) var active: Set<ControllerFault> = []
    /// The controller initiated while it advertised: ``ControllerFault/connectFailsAfterAdvertising`` has begun.
    var failsToConnect = false
    /// A connection was cancelled and may still come up.
    var isLosingCancel = false
    /// Packets that come late, with their times.
    private var lateAnswers = FIFO<(due: MonotonicTime, packet: [UInt8])>()
    private var lateEvents = FIFO<(due: MonotonicTime, packet: [UInt8])>()
    /// Bodies of advertising reports that wait for more reports of their kind.
    var reports: [UInt8] = []
    var reportCount: UInt8 = 0
    var reportCode = LESubeventCode.advertisingReport
    /// Completed packets by connection handle, in the order of the handles' first ones.
    var completions: [(handle: UInt16, count: Int)] = []

    init(_ faults: Set<ControllerFault>) { active = faults }

    func has(_ fault: ControllerFault) -> Bool { active.contains(fault) }

    mutating func strike(_ fault: ControllerFault) { active.insert(fault) }

    /// The fault has happened.
    mutating func spend(_ fault: ControllerFault) { active.remove(fault) }

    /// HCI Reset: drops the packets held back, and ends the faults that a Reset cures.
    mutating func reset() {
        active = active.filter { $0.persistence != .untilReset }
        isLosingCancel = false
        (lateAnswers, lateEvents) = (FIFO(), FIFO())
        (reports, reportCount, completions) = ([], 0, [])
    }

    mutating func delay(answer packet: [UInt8], from now: MonotonicTime) {
        lateAnswers.append((now + Self.answerDelay, packet))
    }

    mutating func delay(event packet: [UInt8], from now: MonotonicTime) {
        lateEvents.append((now + Self.eventDelay, packet))
    }

    /// The next late answer that is due.
    mutating func nextAnswer(at now: MonotonicTime) -> [UInt8]? {
        guard let (due, packet) = lateAnswers.first, due <= now else { return nil }
        lateAnswers.popFirst()
        return packet
    }

    /// The next late event that is due.
    mutating func nextEvent(at now: MonotonicTime) -> [UInt8]? {
        guard let (due, packet) = lateEvents.first, due <= now else { return nil }
        lateEvents.popFirst()
        return packet
    }

    static let answerDelay: Duration = .milliseconds(1500)
    static let eventDelay: Duration = .milliseconds(25)
    static let cancelDelay: Duration = .milliseconds(300)
    static let errorDelay: Duration = .seconds(3)
    /// How long reports and completions wait for others to join them.
    static let batchDelay: Duration = .milliseconds(30)
    static let reportLimit: UInt8 = 4

    /// Optional commands that the controller lists as supported and then refuses. Commands that every host needs are
    /// not among them.
    static let refused: Set<HCIOpcode> = [
        .setEventMaskPage2, .readTransmitPowerLevel, .leWriteSuggestedDefaultDataLength, .leSetDefaultPHY,
        .leReadSupportedStates, .leReadMaximumDataLength, .leSetDataLength, .leReadPHY, .leSetPHY, .readRSSI,
        .readRemoteVersionInformation,
    ]
}

extension FaultState {
    private static let extendedCommands: Set<HCIOpcode> = [
        .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData,
        .leSetExtendedScanResponseData, .leSetExtendedAdvertisingEnable, .leRemoveAdvertisingSet,
        .leSetExtendedScanParameters, .leSetExtendedScanEnable, .leExtendedCreateConnection,
    ]

    /// The refusal of a command by a fault that the controller is made with.
    func refusal(of opcode: HCIOpcode) -> CommandRefusal? {
        if has(.extendedUnknown), Self.extendedCommands.contains(opcode) {
            return .status(.unknownCommand, in: .commandStatus)
        }
        switch opcode {
        case .leSetExtendedScanEnable where has(.extendedScanRefused):
            return .status(.invalidCommandParameters, beginningsOnly: true)
        case .leExtendedCreateConnection where has(.extendedConnectionRefused): return .status(.unsupportedFeature)
        case .leSetScanEnable where has(.scanRefused): return .status(.commandDisallowed, beginningsOnly: true)
        case .leReadSupportedStates where has(.optionalUnanswered), .leSetDefaultPHY where has(.optionalUnanswered):
            return .silence
        default: return nil
        }
    }

    var isDeaf: Bool { has(.deaf) || has(.deafUntilReopened) }
}
