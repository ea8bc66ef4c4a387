// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GATT
import HCI
import HCITransport
import Logging
import SMP
import StateFiles
import Synchronization

/// The host on one controller. Runs a ``HostMachine`` on the radio thread, opens the transport, and opens a lost
/// transport again. Each client gets a batch of events once a turn.
package actor BluetoothHost {
    let loop = RadioLoop()
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    package nonisolated let directory: PeerDirectory
    package nonisolated let bonds: BondStore
    package nonisolated let cacheStore: GATTCacheStore
    private var source: ControllerSource
    private var address: TransportAddress { source.address }
    let helper: (any RecoveryHelper)?
    let logger: Logger
    var machine: HostMachine
    var sinks: [ClientID: Sink] = [:]
    /// The holdings of cut-off clients. A client hears of their end when it goes on.
    var takenBack: [ClientID: [ClientHolding]] = [:]
    var port: ControllerPort?
    private var capture: BTSnoopWriter?
    private let recorder: FlightRecorder?
    var opening: OpeningMachine
    var watch: RadioWatch
    private var end = HostShutDown()
    var shutDownBy: MonotonicTime? { end.deadline }
    var identityChange = IdentityChange()
    private var pace = ReadingPace()
    private var linkLog: LinkLog
    nonisolated let shared = Mutex(Shared())

    /// How long the rest of a packet may take.
    private static let partialLimit: Duration = .seconds(2)

    package init(
        address: TransportAddress, stateDirectory: String?, deviceName: String = "Martlet",
        privacy: Privacy = .off, capture capturePath: String?, helper: (any RecoveryHelper)? = nil,
        liveness: LivenessLimits = LivenessLimits(), recorder capacity: Int = 0,
        recentLog: (@Sendable () -> [String])? = nil, words: TransportWords = .library,
        files: any StateFileSystem = DiskFileSystem(), logger: Logger
    ) {
        source = ControllerSource(address, words)
        self.helper = helper
        watch = RadioWatch(liveness)
        self.logger = logger
        linkLog = LinkLog(logger)
        directory = PeerDirectory(directory: stateDirectory, files: files, logger: logger)
        bonds = BondStore(directory: stateDirectory.map { $0 + "/bonds" }, files: files, logger: logger)
        cacheStore = GATTCacheStore(directory: stateDirectory.map { $0 + "/cache" }, logger: logger)
        machine = HostMachine(
            randomAddress: directory.randomAddress, hidesPublicAddress: directory.hasOwnIdentity,
            hostServices: HostServices(deviceName: Array(deviceName.utf8)))
        recorder =
            capacity == 0
            ? nil
            : FlightRecorder(
                capacity: capacity,
                folder: stateDirectory.map { FlightFolder(path: $0 + "/flight", files: files, logger: logger) },
                log: recentLog)
        bonds.load()
        opening = OpeningMachine()
        if privacy != .off, let key = Self.identityKey(of: bonds, logger) {
            machine.setPrivacy(
                .resolvable, privacy == .always ? .everything : .advertising, identityKey: key, at: .zero)
        }
        if let capturePath {
            do {
                capture = try BTSnoopWriter(path: capturePath)
            } catch {
                logger.error("the capture cannot be written", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Starts the radio thread.
    package nonisolated func start() {
        loop.start(name: "martlet-radio") { [weak self] readable in
            guard let self else { return RadioLoop.Interest() }
            return self.assumeIsolated { $0.turn(readable) }
        }
        // In the background: a link that comes up sooner discovers its peer anew, which is slower but right.
        cacheStore.load { [weak self] address, cache in
            self?.perform { $0.machine.provide(cache: cache, for: address) }
        }
    }

    /// Runs `body` on the radio thread, in the order of calls. Any thread.
    package nonisolated func perform(_ body: @escaping @Sendable (isolated BluetoothHost) -> Void) {
        loop.perform { [self] in assumeIsolated(body) }
    }

    /// Counts a value that no code of the client had asked for. Any thread.
    package nonisolated func countUnclaimedValue() { shared.withLock { $0.unclaimedValues += 1 } }

    package nonisolated var unclaimedValues: UInt64 { shared.withLock { $0.unclaimedValues } }

    /// The protocol state, with the time.
    package func withMachine<Result>(_ body: (inout HostMachine, MonotonicTime) -> Result) -> Result {
        body(&machine, MonotonicClock.now)
    }

    /// Looks at the protocol state in its place. A call on the stored property copies the whole state first, with each packet.
    func inPlace<Result>(_ look: (inout HostMachine) -> Result) -> Result { look(&machine) }

    package nonisolated var counters: HostCounters { shared.withLock { $0.counters } }
    package nonisolated var slots: ConnectionSlots { shared.withLock { $0.slots } }
    /// The health of the radio, and the measures taken for it.
    package nonisolated var health: RadioHealth { shared.withLock { $0.health } }
    /// Peers with a link now, and the services found on them.
    package nonisolated var connected: [DeviceAddress: Set<BluetoothUUID>] { shared.withLock { $0.connected } }
    /// The controller's features, and whether the host scans and connects by the extended commands.
    package nonisolated var abilities: (features: LEFeatures, usesExtendedCommands: Bool) {
        shared.withLock { ($0.features, $0.usesExtendedCommands) }
    }
    package nonisolated var state: (state: HostState, reason: String) { shared.withLock { ($0.state, $0.reason) } }

    // MARK: The turn

    private func turn(_ readable: Bool) -> RadioLoop.Interest {
        let now = MonotonicClock.now
        if port == nil {
            open(at: now)
            mindReturn(at: now)
        }
        mindDeliveries(at: now)
        let hasSomething = pace.beginTurn(isReadable: readable, at: now)
        let mayRead = clientsKeepUp
        if hasSomething, mayRead { receive(at: now) }
        pace.finishReading(mayRead: mayRead)
        if !pace.isBehind, let deadline = inPlace({ $0.deadline }), deadline <= now { machine.advance(to: now) }
        if let since = port?.partialSince, now - since >= Self.partialLimit {
            machine.fail("the rest of a packet from the controller never came")
        }
        finishIdentityChange(at: now)
        if shutDownBy == nil {
            restartIfFailed(at: now)
            mindRadio(at: now)
        }
        provideBonds(at: now)
        if machine.wantsRandomness { machine.provide(randomness: BondStore.randomOctets(), at: now) }
        while machine.wantsPairingSecrets, let secrets = Self.makePairingSecrets() {
            machine.provide(pairingSecrets: secrets)
        }
        bonds.apply(machine.takeBondChanges())
        transmit()
        if machine.hasCacheChanges { cacheStore.record(machine.takeCacheChanges()) }
        publish(at: now)
        if end.isDue(hasLinks: machine.hasLinks, at: now) { finishShutDown() }
        return interest(at: now)
    }

    private var clientsKeepUp: Bool { shared.withLock { $0.deliveries.allKeepUp } }

    private func interest(at now: MonotonicTime) -> RadioLoop.Interest {
        var interest = RadioLoop.Interest(descriptor: port?.descriptor)
        interest.reading = !pace.isResting && clientsKeepUp
        interest.writing = port?.hasBacklog ?? false
        let patience = shared.withLock { $0.deliveries.deadline }
        var deadlines = [
            port == nil ? opening.deadline : nil, shutDownBy, pace.restUntil, patience, identityChange.deadline,
        ]
        if pace.isBehind, clientsKeepUp {
            deadlines.append(now)
        } else if !pace.isBehind {
            deadlines += [inPlace { $0.deadline }, port?.partialSince.map { $0 + Self.partialLimit }]
            if shutDownBy == nil { deadlines.append(watch.deadline) }
        }
        interest.deadline = deadlines.compactMap { $0 }.min()
        return interest
    }

    private func open(at now: MonotonicTime) {
        guard shutDownBy == nil, opening.isDue(at: now) else { return }
        do throws(TransportError) {
            port = try source.open()
            opening.succeeded(at: now)
            logger.info("controller opened", metadata: ["controller": "\(address)"])
            machine.start(at: now)
        } catch {
            guard let report = opening.failed(error, at: now) else { return }
            let state: HostState = error.kind == .notPermitted ? .unauthorized : .unreachable
            // A warning, because more attempts follow and adapters come late: a board's own adapter may take seconds
            // after the start.
            let level: Logger.Level = state == .unauthorized ? .error : .warning
            logger.log(level: level, "\(report.message)", metadata: ["controller": "\(address)"])
            machine.fail(report.message, state: state)
        }
    }

    private func receive(at now: MonotonicTime) {
        guard var port else { return }
        // The local variable is now the only owner: writes to the buffer do not copy it.
        self.port = nil
        do {
            let receipt = try Self.receive(&machine, from: &port, capture, recorder, at: now)
            self.port = port
            machine.counters.octetsSkipped += UInt64(receipt.octetsSkipped)
            if receipt.packetsLost > 0 { countLoss(of: UInt64(receipt.packetsLost)) }
            pace.read(isAll: !receipt.isFull)
            if receipt.lostBorders {
                machine.fail("packet borders were lost in the octets from the controller")
            }
        } catch {
            self.port = port
            lose(error, at: now)
        }
    }

    /// Static, so the machine is opened once, not for each packet. Swift's runtime checks each access; these checks
    /// were a tenth of the cost of a notification.
    private static func receive(
        _ machine: inout HostMachine, from port: inout ControllerPort, _ capture: BTSnoopWriter?,
        _ recorder: FlightRecorder?, at now: MonotonicTime
    ) throws(TransportError) -> ControllerPort.Receipt {
        try port.receive(at: now) { packet in
            capture?.record(packet, .received)
            recorder?.record(packet, .received)
            machine.received(packet, at: now)
        }
    }

    /// Logs the first loss, and then each further thousand packets.
    private func countLoss(of packets: UInt64) {
        let before = machine.counters.packetsLost
        machine.counters.packetsLost &+= packets
        guard before == 0 || before / 1_000 != machine.counters.packetsLost / 1_000 else { return }
        logger.error(
            "packets lost: the kernel had no room for them, since they were not read in time",
            metadata: ["controller": "\(address)", "packets": "\(machine.counters.packetsLost)"])
    }

    func lose(_ error: TransportError, at now: MonotonicTime) {
        logger.error("controller lost", metadata: ["controller": "\(address)", "error": "\(error)"])
        freeze(error.message, at: now)
        port?.close()
        port = nil
        machine.fail(error.message, state: .unreachable)
        opening.lost(at: now)
    }

    /// Restarts a machine that gave its controller up. A lost transport is opened again instead.
    private func restartIfFailed(at now: MonotonicTime) {
        guard machine.state == .resetting, !machine.isStarting, port != nil else { return }
        recover(from: .failure(machine.failureReason), at: now)
    }

    /// Facts that the controller reported about itself.
    package var controllerInformation: ControllerInformation { machine.controller }

    /// Recordings of the flight recorder, oldest first; its present content comes last. Empty without a flight
    /// recorder.
    package func flightRecordings(at now: MonotonicTime) -> [FlightRecording] { recorder?.all(at: now) ?? [] }

    /// Keeps the packets before an anomaly, if there is a flight recorder.
    func freeze(_ reason: String, at now: MonotonicTime) { recorder?.freeze(reason: reason, at: now) }

    private func transmit() {
        guard machine.hasOutbound || port?.hasBacklog == true else { return }
        let octets = machine.takeOutbound()
        do {
            try port?.send(octets) {
                capture?.record($0, .sent)
                recorder?.record($0, .sent)
            }
        } catch {
            lose(error, at: MonotonicClock.now)
        }
    }

    /// The peer of this link is about to give a key: none of its values reaches the capture or the flight recorder,
    /// until another link has the handle.
    package func hideValues(on link: LinkID) {
        guard let handle = machine.links.handle(of: link) else { return }
        capture?.hideValues(on: handle)
        recorder?.hideValues(on: handle)
    }

    private func flushCapture() {
        guard let error = capture?.flush() else { return }
        logger.error("the capture ends: it cannot be written", metadata: ["error": "\(error)"])
        capture = nil
    }

    private func publish(at now: MonotonicTime) {
        flushCapture()
        if machine.takeNewlyEnding() {
            // A vanished peer takes seconds to be gone. Until then, no reader is to see the peer as connected.
            let connected = machine.connected
            shared.withLock { $0.connected = connected }
        }
        guard pace.delivers(isFrequent: machine.hasFrequentEventsOnly, at: now) else { return }
        deliverEvents(at: now)
    }

    func deliverEvents(at now: MonotonicTime) {
        let batch = machine.takeEvents()
        shared.withLock {
            ($0.counters, $0.slots) = (machine.counters, machine.slots)
            $0.health.lastAdvertMs = watch.lastHeard?.wholeMilliseconds
            $0.health.lastLinkMs = watch.lastReceived?.wholeMilliseconds
            $0.health.isScanning = machine.grantsScans
        }
        recordRefusals()
        guard !batch.isEmpty else { return }
        pace.delivered(at: now)
        record(batch)
        for (client, sink) in sinks where batch.clients.contains(ClientSet(client)) {
            deliver(batch, to: client, sink, at: now)
        }
    }

    /// Keeps facts that outlive a batch: state for late clients, peers for later runs.
    private func record(_ batch: HostEventBatch) {
        guard batch.hasNotableEvents else { return }
        let (connected, controller) = (machine.connected, machine.controller)
        shared.withLock { shared in
            shared.connected = connected
            (shared.features, shared.usesExtendedCommands) = (controller.features, controller.usesExtendedCommands)
        }
        for event in batch.others.lazy.map(\.event) {
            switch event {
            case .stateChanged(let state, let reason):
                shared.withLock { ($0.state, $0.reason) = (state, reason) }
                logger.info("controller state", metadata: ["state": "\(state)", "reason": "\(reason)"])
            case .connected(_, let peer, _):
                directory.keep(peer)
            case .identityLearned(let old, let identity):
                directory.learn(identity, behind: old)
                linkLog.learned(identity, behind: old)
            case .linkUp(let link, let peer, _): linkLog.up(link, peer)
            case .linkDown(let link, let reason): linkLog.down(link, reason)
            case .pairing(let link, let peer, _, .refused(let refusal)): linkLog.refused(refusal, on: link, peer)
            case .pairing(let link, let peer, _, .failed(let failure)): linkLog.failed(failure, on: link, peer)
            default: break
            }
        }
    }

    // MARK: The end

    /// How long client states are written for at the end.
    private static let savingLimit: Duration = .seconds(3)

    /// Ends all links, then closes the transport. `completion` runs afterwards, after 2 s at the latest.
    package func shutDown(_ completion: @escaping @Sendable () -> Void) {
        let now = MonotonicClock.now
        guard end.begin(at: now, completion) else { return }
        machine.shutDown(at: now)
    }

    private func finishShutDown() {
        port?.close()
        port = nil
        flushCapture()
        recorder?.finishSaving()
        bonds.finishSaving(within: Self.savingLimit)
        directory.finishSaving()
        cacheStore.finishSaving()
        sinks = [:]
        loop.stop()
        for done in identityChange.takeAll() { done(["the controller was closed before its identity was changed"]) }
        for completion in end.finish() { completion() }
    }
}
