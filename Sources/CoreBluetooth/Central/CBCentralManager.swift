// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Dispatch
import Foundation
import GATT
import HCI
import Logging
import Synchronization

/// Finds peripherals, and connects to them.
///
/// Delegates are called on the queue from the initializer, by default on the main queue.
open class CBCentralManager: CBManager, @unchecked Sendable {
    // Sound: the Mutex protects all mutable state.

    /// A feature of a controller.
    public struct Feature: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// The controller scans and connects by the extended commands.
        public static let extendedScanAndConnect = Feature(rawValue: 1 << 0)
    }

    struct State {
        weak var delegate: (any CBCentralManagerDelegate)?
        var state = CBManagerState.unknown {
            didSet { if state != oldValue { for buffer in stateBuffers { buffer.push(state) } } }
        }
        var stateBuffers: [BoundedBuffer<CBManagerState, Never>] = []
        var powerCalls: [PendingCall<Void>] = []
        var isScanning = false { didSet { scanObservers.changed(from: oldValue, to: isScanning) } }
        var scanObservers = PropertyObservers<Bool>()
        /// Identifiers and names of scanned devices outlive the process. The gateway turns this off: its scan hears
        /// every device.
        var keepsDiscovered = true
        /// The scan, in its preserved form.
        var scan: CentralSnapshot.Scan?
        /// The state of an earlier run, until the power is on.
        var restoration: Restoration?
        var connectionEvents: ConnectionEventFilter?
        var keepsOctets = false
        /// The manager's own requests to peripherals wait for ``makeOwnRequests(on:)``.
        var defersOwnRequests = false
        var heardOctets: AdvertisedOctets?
        var peripherals = PeripheralTable()
        var links: [LinkID: DeviceAddress] = [:]
        var requests: [UInt64: PeripheralRequest.Pending] = [:]
        /// Begins anywhere: answers to a manager that is gone must not be taken for answers to its successor.
        var nextRequest = UInt64.random(in: 1...(1 << 48))
    }

    let changing: Mutex<State>
    let store: RestorationStore<CentralSnapshot>?

    /// A manager on the main queue, with a delegate to be set later.
    public convenience init() { self.init(delegate: nil, queue: nil, options: nil) }

    /// A manager that calls its delegate on `queue`; nil: the main queue.
    public convenience init(delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?) {
        self.init(delegate: delegate, queue: queue, options: nil)
    }

    /// A manager that calls its delegate on `queue`; nil: the main queue.
    ///
    /// Options are ``CBCentralManagerOptionRestoreIdentifierKey``, and the additive
    /// ``CBCentralManagerOptionControllerKey``.
    public init(delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]?) {
        let controller = options?[CBCentralManagerOptionControllerKey] as? CBController ?? .default
        changing = Mutex(State())
        let identifier = options?[CBCentralManagerOptionRestoreIdentifierKey] as? String
        store = identifier.flatMap { controller.makeRestorationStore(role: "central", identifier: $0) }
        super.init(controller: controller, queue: queue)
        self.delegate = delegate
        guard client != nil else {
            self.queue.async { [self] in changed(to: .unsupported) }
            return
        }
        if let snapshot = store?.load(), !snapshot.isEmpty {
            let values = UncheckedReference(value: prepareRestoration(from: snapshot))
            self.queue.async { [self] in
                self.delegate?.centralManager(self, willRestoreState: values.value)
            }
        }
        listen { [weak self] batch in self?.handle(batch) }
    }

    deinit { store?.remove() }

    /// The delegate, held weakly.
    open weak var delegate: (any CBCentralManagerDelegate)? {
        get { changing.withLock { UncheckedReference(value: $0.delegate) }.value }
        set {
            let new = UncheckedReference(value: newValue)
            changing.withLock { $0.delegate = new.value }
        }
    }

    open override var state: CBManagerState { changing.withLock { $0.state } }
    /// Whether this manager scans, for its delegate.
    open var isScanning: Bool { changing.withLock { $0.isScanning } }

    /// For the gateway: the octets of the advertisement, during a call of `didDiscover`. Nil unless ``keepOctets()``
    /// was called: a scan of all devices cannot afford a copy of each advertisement.
    package var heardOctets: AdvertisedOctets? { changing.withLock { $0.heardOctets } }
    package func deferOwnRequests() { changing.withLock { $0.defersOwnRequests = true } }
    package func keepOctets() { changing.withLock { $0.keepsOctets = true } }

    /// Whether the default controller has all of `features`; known while the controller is powered on.
    open class func supports(_ features: Feature) -> Bool {
        CBController.default.supports(features)
    }

    // MARK: Finding

    /// Known peripherals, without use of the radio. Unknown identifiers are left out.
    open func retrievePeripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral] {
        identifiers.compactMap { controller.host.directory.address(for: $0).map(peripheral(at:)) }
    }

    /// Peripherals with a connection from any manager of the process, and with one of the services. This manager still
    /// has to connect to them.
    ///
    /// Services are known from discoveries, in this run or an earlier one. If no discovery has answered for a
    /// peripheral, the call asks the peripheral, once a connection, and waits for the answer for 2 s at most.
    open func retrieveConnectedPeripherals(withServices serviceUUIDs: [CBUUID]) -> [CBPeripheral] {
        let wanted = Set(serviceUUIDs.map(\.value))
        if !controller.isEnded { ServiceSearch.run(on: controller.host, for: wanted) }
        return controller.host.connected.filter { !$0.value.isDisjoint(with: wanted) }.map { peripheral(at: $0.key) }
    }

    /// Replaces the scan that runs. Nil, or an empty list, finds every device.
    open func scanForPeripherals(withServices serviceUUIDs: [CBUUID]?, options: [String: Any]? = nil) {
        let demand = Self.demand(serviceUUIDs, options)
        let canScan = changing.withLock { state in
            state.isScanning = state.state == .poweredOn
            state.keepsDiscovered = demand.reportsChanges
            if state.isScanning { state.scan = CentralSnapshot.Scan(serviceUUIDs, demand) }
            return state.isScanning
        }
        guard canScan else {
            controller.logger.warning("a scan was asked for of a manager that is not powered on; it is ignored")
            return
        }
        preserve()
        withMachine { machine, client, now in machine.setScan(demand, for: client, at: now) }
    }

    /// Ends the scan for the delegate; sequences of advertisements go on.
    open func stopScan() {
        changing.withLock { ($0.isScanning, $0.scan) = (false, nil) }
        preserve(isNarrower: true)
        withMachine { machine, client, now in machine.setScan(nil, for: client, at: now) }
    }

    static func demand(_ serviceUUIDs: [CBUUID]?, _ options: [String: Any]?) -> ScanDemand {
        let solicited = options?[CBCentralManagerScanOptionSolicitedServiceUUIDsKey] as? [CBUUID] ?? []
        return ScanDemand(
            services: serviceUUIDs.flatMap { $0.isEmpty ? nil : Set($0.map(\.value)) },
            solicitedServices: Set(solicited.map(\.value)),
            allowsDuplicates: flag(options, CBCentralManagerScanOptionAllowDuplicatesKey),
            reportsChanges: !flag(options, CBCentralManagerScanOptionIgnoresChangesKey),
            isBackground: flag(options, CBCentralManagerScanOptionBackgroundKey))
    }

    // MARK: Connecting

    /// From now on the delegate hears of connections to matching peripherals from any manager of the process.
    /// Without options, it hears of no connections.
    open func registerForConnectionEvents(options: [CBConnectionEventMatchingOption: Any]? = nil) {
        let filter = ConnectionEventFilter(options)
        changing.withLock { $0.connectionEvents = filter }
    }

    /// Connects as soon as the host hears the peripheral, without a timeout. End the attempt, or later the connection, with
    /// ``cancelPeripheralConnection(_:)``.
    open func connect(_ peripheral: CBPeripheral, options: [String: Any]? = nil) {
        peripheral.changing.withLock { $0.isWantedByApplication = true }
        begin(peripheral, options: options)
    }

    func begin(_ peripheral: CBPeripheral, options: [String: Any]?) {
        let reconnects = Self.flag(options, CBConnectPeripheralOptionEnableAutoReconnect)
        let notices = ConnectNotices(options)
        let delay = (options?[CBConnectPeripheralOptionStartDelayKey] as? NSNumber)?.doubleValue ?? 0
        changing.withLock { $0.peripherals.release(peripheral) }
        controller.host.directory.recall(peripheral.identifier, for: peripheral.peerAddress)
        // Restoration finds a peripheral by its identifier, even if it was never connected.
        if store != nil { controller.host.directory.keep(peripheral.peerAddress) }
        let isNew = peripheral.changing.withLock { state in
            state.reconnects = reconnects
            state.notices = notices
            guard state.state == .disconnected || state.state == .disconnecting else { return false }
            state.state = .connecting
            return true
        }
        preserve()
        let address = peripheral.peerAddress
        guard client != nil, !controller.isEnded else {
            let error = CBError(.operationNotSupported, detail: stateReason)
            queue.async { [weak self] in self?.failedToConnect(address, error) }
            return
        }
        guard isNew else {
            // A connected peripheral gets the event again; a pending attempt goes on.
            if peripheral.state == .connected {
                queue.async { [weak self] in self.map { $0.delegate?.centralManager($0, didConnect: peripheral) } }
            }
            return
        }
        guard delay > 0 else {
            withMachine { machine, client, now in machine.connect(address, for: client, at: now) }
            return
        }
        let wish = UInt64.random(in: .min ... .max)
        peripheral.changing.withLock { $0.delayedWish = wish }
        queue.asyncAfter(deadline: .now() + delay) { [weak self, weak peripheral] in
            let isDue = peripheral?.changing.withLock { state in
                guard state.delayedWish == wish else { return false }
                state.delayedWish = nil
                return true
            }
            guard isDue == true else { return }
            self?.withMachine { machine, client, now in machine.connect(address, for: client, at: now) }
        }
    }

    /// Gives up the connection. The link ends when no other manager of the process holds the connection.
    open func cancelPeripheralConnection(_ peripheral: CBPeripheral) {
        let isDelayed = peripheral.changing.withLock { state in
            state.reconnects = false
            state.isWantedByApplication = false
            state.subscriptions = []
            if state.state != .disconnected { state.state = .disconnecting }
            defer { state.delayedWish = nil }
            return state.delayedWish != nil
        }
        // The host knows nothing of a wish that still waits, for its delay or for the power.
        let isAhead = isDelayed || changing.withLock { $0.restoration?.has(peripheral) ?? false }
        preserve(isNarrower: true)
        guard isAhead else {
            letGo(of: peripheral.peerAddress)
            return
        }
        queue.async { [weak self] in
            // The application may want the connection again meanwhile.
            guard peripheral.state == .disconnecting else { return }
            self?.disconnected(nil, peripheral.peerAddress, LinkEnd(.localHostTerminated))
        }
    }

    func letGo(of address: DeviceAddress) {
        withMachine { machine, client, now in machine.disconnect(address, for: client, at: now) }
    }

    // MARK: Inside

    /// The only object of a device.
    func peripheral(at address: DeviceAddress) -> CBPeripheral {
        let identifier = controller.host.directory.identifier(for: address)
        return changing.withLock { state in
            state.peripherals.peripheral(at: address) {
                makePeripheral(at: address, identifier)
            }
        }
    }

    /// A peripheral with its name of an earlier run, until the peripheral tells another one.
    func makePeripheral(at address: DeviceAddress, _ identifier: UUID) -> CBPeripheral {
        let peripheral = CBPeripheral(address: address, identifier: identifier, manager: self)
        if let name = controller.host.directory.name(of: address) { peripheral.changing.withLock { $0.name = name } }
        return peripheral
    }

    func withMachine(_ body: @escaping @Sendable (inout HostMachine, ClientID, MonotonicTime) -> Void) {
        guard let client else { return }
        controller.host.perform { host in host.withMachine { body(&$0, client, $1) } }
    }

    static func flag(_ options: [String: Any]?, _ key: String) -> Bool {
        switch options?[key] {
        case let value as Bool: value
        case let value as NSNumber: value.boolValue
        default: false
        }
    }
}
