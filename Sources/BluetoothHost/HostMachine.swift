// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import GATT
import HCI
import L2CAP
import SMP

/// The host on one controller, without I/O and clocks: H4 packets, client calls and the time go in; packets to send
/// (``takeOutbound()``) and events (``takeEvents()``) come out.
package struct HostMachine: Sendable {
    package internal(set) var counters = HostCounters()
    package internal(set) var controller = ControllerInformation()
    package internal(set) var state = HostState.unknown

    var outbound: [UInt8] = []
    var events = HostEventBatch()
    var commands = CommandCreditMachine<CommandPurpose>()
    var acl = ACLCreditMachine(packetLength: 27, count: 1)
    var startup = StartupMachine()
    var scan = ScanMachine()
    var scanControl = ScanControlMachine()
    var initiator = InitiatorMachine(capacity: 1)
    var schedule = RadioSchedule()
    /// What this controller does not bear, whatever it says.
    var learned = LearnedCombinations()
    var learnedOf: ControllerInformation.Identity?
    var roster = AdvertisingRoster(capacity: 1)
    /// One for each place of the roster.
    var advertisers = [AdvertiserMachine(isExtended: false)]
    /// Connection handles of links that advertising has ended with, and that the controller has not told of yet.
    var invited: Set<UInt16> = []
    /// The random address that the controller has taken; nil: none.
    var takenAddress: DeviceAddress?
    /// What we are on the air with as the initiator, from the last command that began to initiate.
    var initiatingAddress: DeviceAddress?
    var early = EarlyData()
    /// By connection handle.
    var links = LinkTable()
    var handles: [LinkID: UInt16] = [:]
    /// Who wants a connection to a peer that is not connected.
    var interests: [DeviceAddress: ClientSet] = [:]
    /// A link left ``connected`` since somebody looked, though its end is no event yet.
    package var hasNewlyEnding = false
    /// Consecutive connections to a peer that failed to be established.
    var failures: [DeviceAddress: Int] = [:]
    package internal(set) var bonds = BondTable()
    /// What is changed while pairings run counts for those that begin afterwards.
    package var policy = SecurityPolicy()
    /// The same for links on which we are the Peripheral; nil: ``policy`` holds for them as well.
    package var peripheralPolicy: SecurityPolicy?
    /// The newest of ``SecurityPolicy/Once`` that a pairing has used up.
    var usedOnce: UInt64 = 0
    var attempts = PairingAttempts()
    /// For pairings to come; each is used once.
    var pairingSecrets: [PairingSecrets] = []
    /// ATT_MTU that new links offer, in octets: 23…517.
    package var offeredMTU = Link.maximumPayload
    package internal(set) var privacy = PrivacyMachine()
    package internal(set) var resolving = ResolvingListMachine()
    /// Peers whose identities came out on a link, with the addresses that clients may still know them by; newest last.
    var renamed: [(old: DeviceAddress, identity: DeviceAddress)] = []
    /// A report told where a peer that is wanted can be reached now.
    var hasNewTarget = false
    /// Peers whose links were lost over such a procedure.
    var silentPeers: Set<DeviceAddress> = []
    /// Services that were found on peers, also on links that have ended since.
    var knownServices: [DeviceAddress: Set<BluetoothUUID>] = [:]
    /// What earlier links have found out about peers.
    var caches = GATTCacheShelf()
    var cacheChanges: [DeviceAddress: GATTCacheChange] = [:]
    /// What all clients publish, and the host itself.
    var database: GATTDatabase
    let hostServices: HostServices
    /// Where services were that clients have published.
    var handleMemory: [LocalService: UInt16] = [:]
    var nextLink: UInt32 = 1
    var channels = ChannelBook()
    /// The controller's feature page says that it has LE.
    var hasLEFeature = false
    /// The random address to use when the controller has no public one, or that is not to be used.
    var randomAddress: DeviceAddress
    /// We are known by ``randomAddress``, whatever address the controller has.
    var hidesPublicAddress: Bool
    let parameters: ConnectionParameters

    /// `randomAddress`: static random, made once for this installation; `hidesPublicAddress`: it is our identity, whatever
    /// address the controller has.
    package init(
        randomAddress: DeviceAddress, hidesPublicAddress: Bool = false, parameters: ConnectionParameters = .standard,
        hostServices: HostServices = HostServices(deviceName: Array("Martlet".utf8))
    ) {
        self.randomAddress = randomAddress
        self.hidesPublicAddress = hidesPublicAddress
        self.parameters = parameters
        self.hostServices = hostServices
        database = GATTDatabase(hostServices)
        updateDatabaseHash()
    }

    // MARK: Time

    /// When ``advance(to:)`` has to be called, if nothing comes in before.
    package var deadline: MonotonicTime? {
        var earliest: MonotonicTime?
        func consider(_ time: MonotonicTime?) {
            if let time, earliest.map({ time < $0 }) ?? true { earliest = time }
        }
        consider(commands.deadline)
        consider(scan.deadline)
        consider(scanControl.deadline)
        consider(initiator.deadline)
        consider(schedule.sliceEnd)
        consider(roster.deadline)
        consider(acl.deadline)
        // It needs the radio, and waits for it.
        if state == .ready {
            consider(privacy.deadline)
            consider(resolving.deadline)
            // Somebody has changed a bond: the radio's plan has to know.
            if resolving.revision != bonds.keyRevision { consider(.zero) }
        }
        for advertiser in advertisers { consider(advertiser.deadline) }
        consider(links.deadline)
        return earliest
    }

    package mutating func advance(to now: MonotonicTime) {
        if let opcode = commands.expire(at: now) {
            counters.commandTimeouts += 1
            noteWedge(opcode)
            fail("the controller did not answer command \(opcode) in time")
        }
        scan.advance(to: now, into: &events)
        for handle in links.due(at: now) {
            guard let link = links[handle] else { continue }
            repeatEnd(of: handle, at: now)
            if let deadline = link.gatt.deadline, deadline <= now {
                let effects = links[handle]?.gatt.expire(at: now) ?? []
                perform(effects, on: handle, at: now)
            }
            if let deadline = link.server.deadline, deadline <= now { expireServer(of: handle, at: now) }
            if let status = links[handle]?.encryption.expire(at: now) { encryptionFailed(status, on: handle, at: now) }
            expirePairing(on: handle, at: now)
            stepLinkLayer(of: handle, at: now)
            requestParameters(on: handle, at: now)
        }
        advanceChannels(to: now)
        // A peer that keeps the link alive and acknowledges nothing.
        for handle in acl.takeStalled(at: now) { end(handle) }
        pump(at: now)
    }

    // MARK: Life

    /// Sets the controller up, from Reset on.
    package mutating func start(at now: MonotonicTime) {
        giveUpController()
        setState(.resetting, reason: "setting the controller up")
        for step in startup.begin() { submit(step) }
        pump(at: now)
    }

    /// The set-up is under way.
    package var isStarting: Bool { state == .resetting && startup.isRunning }
    package private(set) var failureReason = ""

    /// Gives the controller up: it answered wrong or not at all, or its transport is gone.
    package mutating func fail(_ reason: String, state: HostState = .resetting) {
        giveUpController()
        failureReason = reason
        setState(state, reason: reason)
    }

    /// Forgets all that the controller knew, and every deadline with it.
    private mutating func giveUpController() {
        dropLinks(reason: .hardwareFailure)
        forgetServices()
        outbound = []
        early = EarlyData()
        commands = CommandCreditMachine()
        startup = StartupMachine()
        scanControl = ScanControlMachine()
        schedule = RadioSchedule()
        dropAdvertising()
        scan.forget()
    }

    private mutating func dropLinks(reason: HCIStatus) {
        for handle in links.keys.sorted() { removeLink(handle, reason: reason) }
        let pending = interests
        interests = [:]
        for (address, clients) in pending {
            events.append(.disconnected(nil, address, clients, reason), for: clients)
        }
        initiator = InitiatorMachine(capacity: controller.acceptListSize)
        failures = [:]
        // Their answers do not come any more.
        completeRSSI(of: commands.purposes, .failure(reason))
    }

    mutating func setState(_ new: HostState, reason: String) {
        state = new
        events.append(.stateChanged(new, reason: reason), for: .all)
    }

    // MARK: Output

    /// H4 packets to send, in order.
    package mutating func takeOutbound() -> [UInt8] {
        defer { outbound.removeAll() }
        return outbound
    }

    package var hasOutbound: Bool { !outbound.isEmpty }

    /// Values and advertisements are all that ``takeEvents()`` would give.
    package var hasFrequentEventsOnly: Bool { !events.isEmpty && !events.hasNotableEvents }

    /// What happened since the last call.
    package mutating func takeEvents() -> HostEventBatch {
        guard !events.isEmpty else { return HostEventBatch() }
        defer { events = HostEventBatch() }
        return events
    }

    mutating func submit(_ command: any HCICommand, for purpose: CommandPurpose = .plain) {
        guard commands.submit(command, for: purpose) else {
            completeRSSI(of: [purpose], .failure(.controllerBusy))
            fail("too many commands wait for the controller")
            return
        }
    }

    /// A link has ended: its commands that still wait are taken back.
    mutating func withdrawCommands(on handle: UInt16) {
        completeRSSI(of: commands.withdraw(handle: handle), .failure(.unknownConnectionIdentifier))
    }

    /// Tells those of whoever waits for a signal strength.
    private mutating func completeRSSI(of purposes: [CommandPurpose], _ result: Result<Int8, HCIStatus>) {
        for case .rssi(_, let id) in purposes { complete(rssi: id, result) }
    }

    /// Moves everything on that can move: the radio's plan first, then what credits allow.
    mutating func pump(at now: MonotonicTime) {
        if state == .ready { plan(at: now) }
        while let command = commands.next(at: now) { outbound.append(contentsOf: command.packet) }
        feedChannels(at: now)
        while let (handle, packet, endsPDU) = acl.next(at: now) {
            outbound.append(contentsOf: packet)
            guard endsPDU else { continue }
            sentPDU(on: handle)
            if channels.links.contains(handle) { feedChannels(of: handle, at: now) }
        }
    }

    private mutating func sentPDU(on handle: UInt16) {
        guard let link = links[handle], let first = link.queued.first else { return }
        links[handle]?.queued.removeFirst()
        switch first {
        case .own: break
        case .writeCommand(let client): events.append(.writeCommandSent(link.id, client), for: ClientSet(client))
        case .update(let client): events.append(.server(client, .updateFinished(link.id)), for: ClientSet(client))
        }
    }
}
