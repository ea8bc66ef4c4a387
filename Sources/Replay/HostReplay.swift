// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import HCI
import HCITransport

/// Runs the host of this program through a recording. Packets of the recorded controller come at their recorded times,
/// and the replay notes the host's decisions about a radio in trouble. Minutes pass in milliseconds; nothing is opened
/// or sent.
///
/// The wishes of the recorded host's clients are derived from its commands: scans, connections, ends of links. A
/// recording has no bonds, and has only the answers to an application's requests to sensors. Neither gap changes the
/// judgement of the radio. Links of phones count as links.
package struct HostReplay {
    /// How far the replay looks past the end of the recording, with no further packets.
    package static let outlook: Duration = .seconds(600)
    private static let client = ClientID(rawValue: 0)
    /// This many turns without a step of the clock show a fault of the replay.
    private static let standstill = 10_000
    /// The greatest distance between a decision and its trace in the recording.
    private static let nearness: Duration = .seconds(3)
    /// The clocks of the recording and of the replay differ a little.
    private static let earliest: Duration = .milliseconds(-500)
    /// How long a host may take to open its transport again. An adapter that was taken from its driver takes its time.
    private static let longestReopening: Duration = .seconds(60)

    private let recording: Recording
    private var controller: RecordedController
    private var machine = HostMachine(randomAddress: DeviceAddress(kind: .random, value: 0xC000_005E_0053))
    private var watch: RadioWatch
    private var now = MonotonicTime.zero
    /// Packets that the controller is about to send, ordered by time.
    private var pending: [(due: MonotonicTime, packet: [UInt8])] = []
    /// When the transport is opened again.
    private var opens: MonotonicTime? = .zero
    /// Set at a reset in the recording: the host begins anew by then, unless it does so by itself.
    private var adopts: MonotonicTime?
    private var lastStart = MonotonicTime.zero
    /// The next unanswered command of the recording to look at.
    private var nextUnanswered = 0
    private var scansActively = true
    private var stops = false
    private var report: ReplayReport

    package static func run(
        _ octets: [UInt8], limits: LivenessLimits = LivenessLimits()
    ) throws(BTSnoopError) -> ReplayReport {
        let (records, isTruncated) = try BTSnoopReader.records(of: octets)
        var replay = HostReplay(Recording(records), limits: limits)
        replay.report.isTruncated = isTruncated
        replay.report.startedMs = records.first.map { $0.microseconds / 1_000 }
        replay.run()
        return replay.report
    }

    private init(_ recording: Recording, limits: LivenessLimits) {
        self.recording = recording
        controller = RecordedController(recording.entries)
        watch = RadioWatch(limits)
        report = ReplayReport(
            packets: recording.entries.count, durationMs: recording.entries.last?.at.wholeMilliseconds ?? 0,
            beginsWithSetUp: recording.beginsWithSetUp,
            unanswered: controller.unanswered.map {
                ReplayReport.Command(atMs: $0.at.wholeMilliseconds, opcode: "\($0.opcode)")
            })
    }

    private mutating func run() {
        turn()
        if !recording.beginsWithSetUp { takeUp() }
        for (index, entry) in recording.entries.enumerated() {
            advance(to: entry.at)
            guard !stops else { break }
            switch entry.direction {
            case .sent: wish(entry)
            case .received: if !controller.answers.contains(index) { receive(entry) }
            }
            turn()
        }
        report.finish(machine.counters, links: machine.slots.used)
        advance(to: now + Self.outlook)
    }

    /// Restores the scan and the links from before the recording.
    private mutating func takeUp() {
        advance(to: now)
        if recording.beginsScanning { setScan(true) }
        for handle in recording.earlierLinks {
            let peer = DeviceAddress(kind: .random, value: 0xC000_0000_0000 | UInt64(handle))
            machine.connect(peer, for: Self.client, at: now)
            receive(Self.connectionComplete(handle, peer))
        }
        turn()
    }

    // MARK: Time

    private mutating func advance(to end: MonotonicTime) {
        var turns = 0
        while !stops, let next = deadline, next <= end {
            turns = next > now ? 0 : turns + 1
            guard turns < Self.standstill else {
                report.record(at: now, .trouble, "the replay does not get on, and ends")
                stops = true
                return
            }
            now = max(now, next)
            while let first = pending.first, first.due <= now {
                pending.removeFirst()
                receive(first.packet)
            }
            if let deadline = machine.deadline, deadline <= now { machine.advance(to: now) }
            turn()
        }
        if !stops { now = max(now, end) }
    }

    private var deadline: MonotonicTime? {
        let times = [machine.deadline, watch.deadline, pending.first?.due, opens, adopts, overdue?.at]
        return times.compactMap { $0 }.min()
    }

    /// An unanswered command of the recording, and the latest time for its answer.
    private var overdue: (opcode: HCIOpcode, at: MonotonicTime)? {
        guard controller.unanswered.indices.contains(nextUnanswered) else { return nil }
        let (opcode, time) = controller.unanswered[nextUnanswered]
        return (opcode, time + CommandCreditMachine<Int>.timeout)
    }

    private mutating func turn() {
        if let opens, opens <= now { start() }
        if let adopts, adopts <= now { adopt() }
        while let overdue, overdue.at <= now { missAnswer(overdue.opcode) }
        if machine.state == .resetting, !machine.isStarting { recover(from: .failure(machine.failureReason)) }
        if opens == nil, let trouble = watch.look(at: &machine, at: now) { recover(from: trouble) }
        if let cure = watch.cure(of: machine, at: now) {
            report.record(at: now, .cured, "the radio does its work again, after \(cure.after.wholeMilliseconds) ms")
        }
        _ = machine.takeBondChanges()
        transmit()
        for event in machine.takeEvents().events { record(event) }
    }

    // MARK: The controller

    private mutating func receive(_ entry: Recording.Entry) {
        // The replay acknowledges its own data when it is sent. The replay has no bonds, and pairs with no peer.
        guard !entry.isAcknowledgement, !entry.isOfSecurity else { return }
        var packet = entry.packet
        if case .connectionComplete(let completion) = entry.event, completion.status == .success {
            machine.connect(completion.peer, for: Self.client, at: now)
            // Role: Central.
            packet[7] = 0
        }
        receive(packet)
    }

    private mutating func receive(_ packet: [UInt8]) {
        // Nothing is read while the transport is closed.
        guard opens == nil else { return }
        machine.received(packet.span.bytes, at: now)
    }

    private mutating func transmit() {
        let octets = machine.takeOutbound()
        guard opens == nil else { return }
        var offset = 0
        while offset < octets.count,
            case .packet(let type, let length) = H4Framer.next(octets.span.bytes.extracting(offset..<octets.count))
        {
            let packet = Array(octets[offset..<(offset + length)])
            offset += length
            switch type {
            case .command:
                guard case .packets(let answers, let delay) = controller.reply(to: packet, at: now) else { continue }
                for answer in answers { enqueue(answer, due: now + delay) }
            case .aclData where packet.count >= 5:
                enqueue([0x04, 0x13, 5, 1, packet[1], packet[2] & 0x0F, 1, 0], due: now)
                if let refusal = RecordedController.refusal(of: packet) { enqueue(refusal, due: now) }
            case .aclData, .event, .synchronousData, .isoData: continue
            }
        }
    }

    private mutating func enqueue(_ packet: [UInt8], due: MonotonicTime) {
        let place = pending.firstIndex { $0.due > due } ?? pending.endIndex
        pending.insert((due, packet), at: place)
    }

    /// LE Connection Complete of a link of 30 ms. Core 5.4, Vol 4, Part E, 7.7.65.1.
    private static func connectionComplete(_ handle: UInt16, _ peer: DeviceAddress) -> [UInt8] {
        let address = (0..<6).map { UInt8(truncatingIfNeeded: peer.value >> ($0 * 8)) }
        let parameters: [UInt8] =
            [0x01, 0, UInt8(truncatingIfNeeded: handle), UInt8(handle >> 8), 0, 1] + address + [
                24, 0, 0, 0, 0xF4, 1, 0,
            ]
        return [0x04, 0x3E, UInt8(parameters.count)] + parameters
    }

    // MARK: The clients

    private mutating func wish(_ entry: Recording.Entry) {
        if let isActive = entry.scansActively { scansActively = isActive }
        if let isOn = entry.scanEnable { setScan(isOn) }
        if let peer = entry.wantedPeer, machine.state == .ready { machine.connect(peer, for: Self.client, at: now) }
        if let handle = entry.endedLink, let peer = machine.peer(of: handle) {
            machine.disconnect(peer, for: Self.client, at: now)
        }
        // The host may be about to reset by itself.
        if entry.command == .reset, now - lastStart > Self.nearness { adopts = now + .seconds(1) }
    }

    private mutating func setScan(_ isOn: Bool) {
        let demand = isOn ? ScanDemand(services: nil, allowsDuplicates: true, isPassive: !scansActively) : nil
        machine.setScan(demand, for: Self.client, at: now)
    }

    // MARK: Decisions

    /// Sets the controller up. Packets from before are dropped.
    private mutating func start() {
        (opens, adopts, lastStart, pending) = (nil, nil, now, [])
        machine.start(at: now)
    }

    /// The recorded host began anew for a reason outside of the packets.
    private mutating func adopt() {
        adopts = nil
        guard now - lastStart > Self.nearness else { return }
        report.record(at: now, .restart, "in the recording the host begins anew, for a reason that is not in it")
        if machine.state == .ready { machine.fail("the host began anew") }
        start()
    }

    /// The replay does not send an application's requests. A missing answer to a recorded request is a trouble all the
    /// same.
    private mutating func missAnswer(_ opcode: HCIOpcode) {
        let time = controller.unanswered[nextUnanswered].at
        nextUnanswered += 1
        guard opcode != .reset, machine.state == .ready, !controller.repeated.contains(time) else { return }
        machine.fail("the controller did not answer command \(opcode) in time")
    }

    private mutating func recover(from trouble: RadioTrouble) {
        let available = Set(RecoveryStep.allCases.filter(\.isOwn))
        let decision = watch.decide(about: trouble, available: available, at: now)
        let isRecorded = isRecorded(decision)
        report.decide(decision, trouble, at: now, isRecorded: isRecorded)
        // No recording shows the further course.
        guard isRecorded != nil else {
            stops = true
            return
        }
        switch decision {
        case .take(let step):
            if step == .reset { (pending, lastStart) = ([], now) }
            if !RadioWatch.perform(step, against: trouble, on: &machine, at: now) {
                close(trouble, until: reopening ?? now + OpeningMachine.quickRetry)
            }
        case .pause(let end):
            if case .silence = trouble { return }
            close(trouble, until: end)
        }
    }

    private mutating func close(_ trouble: RadioTrouble, until end: MonotonicTime) {
        machine.fail(trouble.words, state: .unreachable)
        pending = []
        opens = end
    }

    /// Whether the recorded host did what this host decides; nil if the recording ends too soon.
    private func isRecorded(_ decision: RecoveryLadder.Decision) -> Bool? {
        guard let end = recording.entries.last?.at, now <= end else { return nil }
        let isDone: Bool
        switch decision {
        case .take(.scan): isDone = recording.scanChanges.contains(where: isNow)
        // The reset at the start of the replay is no answer to a later trouble.
        case .take(.reset): isDone = recording.resets.contains { $0 > lastStart && isNow($0) }
        case .take: isDone = reopening != nil
        case .pause(let end):
            // The shortest pause is not much longer than the difference of the clocks.
            let margin = min(Self.nearness, (end - now) / 5)
            return !recording.resets.contains { $0 > now + margin && $0 + margin < end }
        }
        return isDone ? true : end - now <= Self.nearness ? nil : false
    }

    private func isNow(_ time: MonotonicTime) -> Bool {
        time >= now + Self.earliest && time <= now + Self.nearness
    }

    /// When the recorded host began anew on a reopened transport.
    private var reopening: MonotonicTime? {
        recording.resets.first { $0 > max(now, lastStart) && $0 - now <= Self.longestReopening }
    }

    private mutating func record(_ event: HostEvent) {
        switch event {
        case .stateChanged(let state, let reason): report.record(at: now, .state, "\(state): \(reason)")
        case .linkUp(_, let peer, _): report.linkUp(peer, at: now)
        case .linkDown(_, let reason): report.linkDown(reason, at: now)
        default: break
        }
    }
}
