// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import GATT
import HCI
import L2CAP
import SMP

/// The host on one controller, without I/O and clocks. Input: H4 packets, client calls and the time. Output: packets to
/// send (``takeOutbound()``) and events (``takeEvents()``).
package struct HostMachine: Sendable {
    package internal(set) var counters = HostCounters()
    package internal(set) var controller = ControllerInformation()
    var life = HostLife()

    var outbound = OutboundMachine()
    var events = HostEventBatch()
    var scan = ScanMachine()
    var radio = RadioMachine()
    var initiator = InitiatorMachine(capacity: 1)
    var advertising = AdvertisingMachine()
    var addresses: OwnAddresses
    var early = EarlyData()
    /// By connection handle.
    var links = LinkTable()
    var linkDefaults: LinkDefaults
    var wishes = ConnectionWishes()
    var peers = PeerMemory()
    package internal(set) var bonds = BondTable()
    var pairing = PairingRules()
    package internal(set) var resolving = ResolvingListMachine()
    var server: ServerDatabase
    var channels = ChannelBook()

    /// `randomAddress`: static random, made once for this installation. `hidesPublicAddress`: `randomAddress` is our
    /// identity, whatever address the controller has.
    package init(
        randomAddress: DeviceAddress, hidesPublicAddress: Bool = false, parameters: ConnectionParameters = .standard,
        hostServices: HostServices = HostServices(deviceName: Array("Martlet".utf8))
    ) {
        addresses = OwnAddresses(random: randomAddress, hidesPublicAddress: hidesPublicAddress)
        linkDefaults = LinkDefaults(parameters: parameters)
        server = ServerDatabase(hostServices)
    }

    // MARK: Settings

    /// A change during a pairing counts for later pairings.
    package var policy: SecurityPolicy {
        get { pairing.policy }
        _modify { yield &pairing.policy }
    }

    /// The policy for links on which we are the Peripheral; nil: ``policy`` holds for these links as well.
    package var peripheralPolicy: SecurityPolicy? {
        get { pairing.peripheralPolicy }
        _modify { yield &pairing.peripheralPolicy }
    }

    /// ATT_MTU offered on new links, in octets: 23…517.
    package var offeredMTU: Int {
        get { linkDefaults.mtu }
        set { linkDefaults.mtu = newValue }
    }

    // MARK: Time

    /// When ``advance(to:)`` has to be called, if no input comes before.
    package var deadline: MonotonicTime? {
        var earliest = MonotonicTime.earlier(outbound.deadline, scan.deadline)
        earliest = .earlier(earliest, initiator.deadline)
        earliest = .earlier(earliest, radio.deadline)
        earliest = .earlier(earliest, advertising.deadline)
        // A change of addresses needs the radio, and waits for it.
        if state == .ready {
            earliest = .earlier(earliest, addresses.privacy.deadline)
            earliest = .earlier(earliest, resolving.deadline)
            // A bond has changed, so the radio's plan is due at once.
            if resolving.revision != bonds.keyRevision { earliest = .earlier(earliest, .zero) }
        }
        return .earlier(earliest, links.deadline)
    }

    package mutating func advance(to now: MonotonicTime) {
        if let opcode = outbound.expire(at: now) { unanswered(opcode, at: now) }
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
        for handle in outbound.takeStalled(at: now) { end(handle) }
        pump(at: now)
    }

    // MARK: Life

    package var state: HostState { life.state }

    /// Sets the controller up, from Reset on.
    package mutating func start(at now: MonotonicTime) {
        let steps = life.start(omitting: radio.commands.left)
        reportState("setting the controller up")
        giveUpController()
        for step in steps { submit(step) }
        pump(at: now)
    }

    /// The set-up is under way.
    package var isStarting: Bool { life.isStarting }

    /// Why the controller was given up last.
    package var failureReason: String { life.failureReason }

    /// Gives the controller up: an answer was wrong or missing, or the transport is gone.
    package mutating func fail(_ reason: String, state: HostState = .resetting) {
        // A controller is given up once, whatever follows.
        guard life.state != state || life.isStarting || life.failureReason != reason else { return }
        life.fail(reason, as: state)
        // The state goes first: a client that hears of the end of a link then already knows about the controller, and
        // asks for no new link.
        reportState(reason)
        giveUpController()
    }

    /// Forgets the controller's state and every deadline.
    private mutating func giveUpController() {
        dropLinks(reason: .hardwareFailure)
        server.forgetServices()
        early = EarlyData()
        radio.giveUp()
        dropAdvertising()
        scan.forget()
    }

    private mutating func dropLinks(reason: HCIStatus) {
        for handle in links.keys.sorted() { removeLink(handle, reason: reason, at: nil) }
        for (address, clients) in wishes.giveUp() {
            events.append(.disconnected(nil, address, clients, LinkEnd(reason)), for: clients)
        }
        initiator = freshInitiator
        // Answers to these commands do not come any more.
        completeRSSI(of: outbound.giveUp(), .failure(reason))
    }

    mutating func reportState(_ reason: String) { events.append(.stateChanged(state, reason: reason), for: .all) }

    // MARK: Output

    /// H4 packets to send, in order.
    package mutating func takeOutbound() -> [UInt8] { outbound.take() }

    package var hasOutbound: Bool { !outbound.isEmpty }

    /// ``takeEvents()`` would return only values and advertisements.
    package var hasFrequentEventsOnly: Bool { !events.isEmpty && !events.hasNotableEvents }

    /// Events since the last call.
    package mutating func takeEvents() -> HostEventBatch {
        guard !events.isEmpty else { return HostEventBatch() }
        defer { events = HostEventBatch(after: events) }
        return events
    }

    mutating func submit(_ command: any HCICommand, for purpose: CommandPurpose = .plain) {
        guard outbound.submit(command, for: purpose) else {
            completeRSSI(of: [purpose], .failure(.controllerBusy))
            fail("too many commands wait for the controller")
            return
        }
    }

    /// Completes the waiting RSSI readings among `purposes`.
    mutating func completeRSSI(of purposes: [CommandPurpose], _ result: Result<Int8, HCIStatus>) {
        for case .rssi(_, let id) in purposes { complete(rssi: id, result) }
    }

    /// Moves everything on, as far as possible: the radio's plan first, then data within the credits.
    mutating func pump(at now: MonotonicTime) {
        if state == .ready { plan(at: now) }
        outbound.sendCommands(at: now)
        feedChannels(at: now)
        while let (handle, endsPDU) = outbound.sendData(at: now) {
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
