// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// The places at which a controller's faults act. Without faults none of them does anything.
extension VirtualController {
    /// Begins a fault. A fault that happens once may wait for its occasion.
    func strike(_ fault: ControllerFault) {
        faults.strike(fault)
        switch fault {
        case .hardwareError:
            faults.spend(fault)
            emit(.hardwareError, [Self.hardwareErrorCode])
        case .frozen: air.simulateSilence(id)
        case .scannerStops: stopScannerIfStruck()
        default: break
        }
    }

    /// The code of the Pi 4, in raspberrypi/linux#3330.
    private static var hardwareErrorCode: UInt8 { 0x03 }

    private func set(_ timer: FaultState.Timer, after delay: Duration) {
        air.agenda.add(.node(id, .fault(timer), generation: 0), at: air.now + delay)
    }

    func faultTimerFired(_ timer: FaultState.Timer) {
        switch timer {
        case .hardwareError:
            // The host has sent a Reset before, which was enough.
            guard isWedged else { return }
            isWedged = false
            emit(.hardwareError, [Self.hardwareErrorCode])
            isWedged = true
        case .answers: while let packet = faults.nextAnswer(at: air.now) { write(packet) }
        case .events: while let packet = faults.nextEvent(at: air.now) { write(packet) }
        case .reports: sendReports()
        case .completions: sendCompletions()
        case .cancel:
            guard faults.isLosingCancel, host.initiator != nil else { return }
            (host.initiator, faults.isLosingCancel) = (nil, false)
            emitConnectionFailure(.unknownConnectionIdentifier, as: .central, peer: nil)
        }
    }

    // MARK: Commands

    /// The controller's answer, with its faults.
    func answer(to opcode: HCIOpcode, _ parameters: ArraySlice<UInt8>) -> CommandResult {
        if let refusal = refusal(of: opcode, parameters) {
            guard Self.commands[opcode]?.answer != .status else { return .status(refusal) }
            return .complete([refusal.rawValue])
        }
        if staysUnanswered(opcode) { return .none }
        let result = perform(opcode, parameters)
        if isScanEnable(opcode) { stopScannerIfStruck() }
        return result
    }

    private func isScanEnable(_ opcode: HCIOpcode) -> Bool {
        opcode == .leSetScanEnable || opcode == .leSetExtendedScanEnable
    }

    private func refusal(of opcode: HCIOpcode, _ parameters: ArraySlice<UInt8>) -> HCIStatus? {
        if faults.has(.listedAndRefused), FaultState.refused.contains(opcode) { return .unknownCommand }
        if faults.has(.scanStopRefused), isScanEnable(opcode), parameters.first == 0, !host.scanner.isEnabled {
            return .commandDisallowed
        }
        let isExtendedScan = opcode == .leSetExtendedScanParameters || opcode == .leSetExtendedScanEnable
        let isStop = opcode == .leSetExtendedScanEnable && parameters.first == 0
        if faults.has(.scanRefusedWhileLinked), isExtendedScan, !isStop, !host.links.isEmpty {
            return .commandDisallowed
        }
        return nil
    }

    private func staysUnanswered(_ opcode: HCIOpcode) -> Bool {
        let fault: ControllerFault
        if faults.has(.unansweredFeatures), opcode == .leReadRemoteFeatures {
            fault = .unansweredFeatures
        } else if faults.has(.unansweredScanEnable), isScanEnable(opcode) {
            fault = .unansweredScanEnable
        } else {
            return false
        }
        faults.spend(fault)
        isWedged = true
        set(.hardwareError, after: FaultState.errorDelay)
        return true
    }

    private func stopScannerIfStruck() {
        guard faults.has(.scannerStops), host.scanner.isEnabled else { return }
        faults.spend(.scannerStops)
        scanGeneration &+= 1
        host.scanner.isEnabled = false
    }

    /// Sends the answer to a command.
    func emitAnswer(_ code: HCIEventCode, _ parameters: [UInt8]) {
        guard !isSilent, !isWedged else { return }
        if faults.has(.eventZero) { send([HCIPacketType.event.rawValue, 0, 0]) }
        guard faults.has(.lateAnswers) else {
            emit(code, parameters)
            if faults.has(.doubledAnswers) { emit(code, parameters) }
            return
        }
        let packet = [HCIPacketType.event.rawValue, code.rawValue, UInt8(clamping: parameters.count)] + parameters
        faults.delay(answer: packet, from: air.now)
        set(.answers, after: FaultState.answerDelay)
    }

    /// True: the cancelled connection may still come up; the cancelling ends only a while later.
    func losesCancel() -> Bool {
        guard faults.has(.cancelLoses) else { return false }
        if !faults.isLosingCancel { set(.cancel, after: FaultState.cancelDelay) }
        faults.isLosingCancel = true
        return true
    }

    // MARK: Links

    /// True: the new connection has failed, and the host was told.
    func failsToConnect() -> Bool {
        guard faults.failsToConnect else { return false }
        host.initiator = nil
        emitConnectionFailure(.advertisingTimeout, as: .central, peer: nil)
        return true
    }

    func failAtFourthLink() {
        guard faults.has(.resetAtFourthLink), host.links.count >= 4 else { return }
        emit(.hardwareError, [Self.hardwareErrorCode])
        reset()
    }

    // MARK: Packets to the host

    /// An event as a whole H4 packet.
    func send(_ packet: [UInt8]) {
        guard faults.has(.dataOvertakesEvents) else {
            write(packet)
            return
        }
        faults.delay(event: packet, from: air.now)
        set(.events, after: FaultState.eventDelay)
    }

    private func write(_ packet: [UInt8]) {
        var packet = packet
        if faults.has(.lostOctets), packet.count >= 8 {
            faults.spend(.lostOctets)
            packet.removeSubrange(4..<7)
        }
        if faults.has(.insertedOctets) {
            faults.spend(.insertedOctets)
            output += [0xFF, 0xFE, 0xFD]
        }
        output += packet
    }

    /// Drops two of the host's octets.
    func loseCommandOctets(of input: inout [UInt8]) {
        guard faults.has(.lostCommandOctets), input.count >= 4 else { return }
        faults.spend(.lostCommandOctets)
        input.removeSubrange(1..<3)
    }

    /// True: the subevent is an advertising report, and comes later with others.
    func holdsReport(_ subevent: LESubeventCode, _ parameters: [UInt8]) -> Bool {
        guard faults.has(.batchedReports), subevent == .advertisingReport || subevent == .extendedAdvertisingReport
        else { return false }
        // 255 octets are the longest event: the subevent code and Num_Reports before the reports.
        if subevent != faults.reportCode || faults.reports.count + parameters.count > 254 { sendReports() }
        if faults.reportCount == 0 { set(.reports, after: FaultState.batchDelay) }
        faults.reportCode = subevent
        faults.reports += parameters.dropFirst()
        faults.reportCount += 1
        if faults.reportCount >= FaultState.reportLimit { sendReports() }
        return true
    }

    private func sendReports() {
        guard faults.reportCount > 0 else { return }
        let parameters = [faults.reportCode.rawValue, faults.reportCount] + faults.reports
        (faults.reports, faults.reportCount) = ([], 0)
        emit(.leMeta, parameters)
    }

    /// True: the completed packets are reported later together with other links' packets, or never.
    func holdsCompletion(of handle: UInt16, _ count: Int) -> Bool {
        if faults.has(.creditsStall) { return true }
        guard faults.has(.sharedCompletions) else { return false }
        if faults.completions.isEmpty { set(.completions, after: FaultState.batchDelay) }
        if let index = faults.completions.firstIndex(where: { $0.handle == handle }) {
            faults.completions[index].count += count
        } else {
            faults.completions.append((handle, count))
        }
        return true
    }

    private func sendCompletions() {
        guard !faults.completions.isEmpty else { return }
        let all = faults.completions
        faults.completions = []
        emit(
            .numberOfCompletedPackets,
            [UInt8(clamping: all.count)] + all.flatMap { $0.handle.octets + UInt16(clamping: $0.count).octets })
    }
}

extension VirtualAir {
    /// The controller gets a fault now.
    package func simulate(_ fault: ControllerFault, of id: AirNodeID) { controller(id)?.strike(fault) }

    /// Makes the controller refuse exactly these commands from now on.
    package func simulate(_ refusals: [HCIOpcode: CommandRefusal], of id: AirNodeID) {
        controller(id)?.refusals = refusals
    }
}
