// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Dispatch
import Foundation
import HCI
import Synchronization

/// Publishes services, advertises them, and answers the requests of centrals.
///
/// Delegates are called on the queue from the initializer, by default on the main queue.
open class CBPeripheralManager: CBManager, @unchecked Sendable {
    // Sound: the Mutex protects all mutable state.

    struct State {
        weak var delegate: (any CBPeripheralManagerDelegate)?
        var state = CBManagerState.unknown
        var advertising = Advertising()
        /// Published services, by their first handle.
        var services: [UInt16: CBMutableService] = [:]
        /// Services that are being published. A service that is taken back meanwhile leaves the list.
        var adding: [Addition] = []
        /// By value handle.
        var characteristics: [UInt16: CBMutableCharacteristic] = [:]
        var centrals: [LinkID: CBCentral] = [:]
        /// True after `updateValue` has returned false: the delegate gets a call when there is room.
        var owesReady = false
        /// The state of an earlier run, until the power is on.
        var restoration: Restoration?
        /// Restored subscribers whose connection has not come back yet.
        var absent: [CBCentral] = []
        /// How long their connection may take to come back, in seconds: as long as an ATT transaction may.
        var absenceLimit: TimeInterval = 30
    }

    let changing: Mutex<State>
    let store: RestorationStore<PeripheralSnapshot>?

    /// A manager on the main queue, with a delegate to be set later.
    public convenience init() { self.init(delegate: nil, queue: nil, options: nil) }

    /// A manager that calls its delegate on `queue`; nil: the main queue.
    public convenience init(delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?) {
        self.init(delegate: delegate, queue: queue, options: nil)
    }

    /// A manager that calls its delegate on `queue`; nil: the main queue.
    ///
    /// Options are ``CBPeripheralManagerOptionRestoreIdentifierKey``, and the additive
    /// ``CBPeripheralManagerOptionControllerKey``.
    public init(delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]?) {
        let controller = options?[CBPeripheralManagerOptionControllerKey] as? CBController ?? .default
        changing = Mutex(State())
        let identifier = options?[CBPeripheralManagerOptionRestoreIdentifierKey] as? String
        store = identifier.flatMap { controller.makeRestorationStore(role: "peripheral", identifier: $0) }
        super.init(controller: controller, queue: queue)
        self.delegate = delegate
        guard client != nil else {
            self.queue.async { [self] in changed(to: .unsupported) }
            return
        }
        if let snapshot = store?.load(), !snapshot.isEmpty {
            let values = UncheckedReference(value: prepareRestoration(from: snapshot))
            self.queue.async { [self] in
                self.delegate?.peripheralManager(self, willRestoreState: values.value)
            }
        }
        listen { [weak self] batch in self?.handle(batch) }
    }

    deinit { store?.remove() }

    /// The delegate, held weakly; it also answers requests.
    open weak var delegate: (any CBPeripheralManagerDelegate)? {
        get { changing.withLock { UncheckedReference(value: $0.delegate) }.value }
        set {
            let new = UncheckedReference(value: newValue)
            changing.withLock { $0.delegate = new.value }
        }
    }

    open override var state: CBManagerState { changing.withLock { $0.state } }

    /// Old form of `CBManager.authorization`.
    open class func authorizationStatus() -> CBPeripheralManagerAuthorizationStatus {
        CBPeripheralManagerAuthorizationStatus(rawValue: authorization.rawValue) ?? .notDetermined
    }

    /// Asks for other parameters of the connection, not in the first 5 s. The central decides.
    open func setDesiredConnectionLatency(_ latency: CBPeripheralManagerConnectionLatency, for connection: CBCentral) {
        guard let link = connection.changing.withLock({ $0.link }) else { return }
        let parameters = ConnectionParameters(latency)
        withMachine { machine, client, now in machine.setParameters(parameters, on: link, for: client, at: now) }
    }

    // MARK: Services

    /// Publishes a service with its present characteristics; `didAdd` follows. Add included services before. A
    /// characteristic with a value may only be readable. The services GAP (0x1800) and GATT (0x1801) are the host's own:
    /// `didAdd` has ``CBError/Code/uuidNotAllowed``.
    open func add(_ service: CBMutableService) { publish(service) }

    /// Removes a service, and tells connected centrals.
    open func remove(_ service: CBMutableService) { withdraw(service) }

    /// Takes all services of this manager back.
    open func removeAllServices() { withdrawAll() }

    // MARK: Advertising

    /// Whether this manager's advertisement is on the air.
    open var isAdvertising: Bool { isOnAir }

    /// Advertises a local name and service UUIDs; other data only by additive keys. `didStartAdvertising` follows.
    ///
    /// 28 octets of the advertisement are for UUIDs and the name, 10 more of the scan response for a name that finds no
    /// room. A name that is longer is shortened; UUIDs that find no room there go to the rest of the scan response.
    open func startAdvertising(_ advertisementData: [String: Any]?) { advertise(advertisementData) }

    /// Ends this manager's advertisement; connections stay.
    open func stopAdvertising() { endAdvertising() }

    // MARK: Centrals

    /// Answers a request, exactly once. If several requests came together, answer the first one. A request without an
    /// answer within 30 s ends the connection.
    open func respond(to request: CBATTRequest, withResult result: CBATTError.Code) { answer(request, with: result) }

    /// Sends a new value to all subscribed centrals, or to the named ones among them. False if all these subscribers
    /// are restored and not connected yet, or if a subscriber's queue has no room. Nothing is sent then, and
    /// `peripheralManagerIsReady(toUpdateSubscribers:)` follows when a subscriber connects or room is free.
    @discardableResult
    open func updateValue(
        _ value: Data, for characteristic: CBMutableCharacteristic, onSubscribedCentrals centrals: [CBCentral]?
    ) -> Bool { send(value, for: characteristic, to: centrals) }

    /// Lets centrals open L2CAP channels; `didPublish` names the PSM, in 0x0080…0x00FF. Centrals cannot discover the
    /// PSM: put the number into a characteristic, for example ``CBUUIDL2CAPPSMCharacteristicString``.
    open func publishL2CAPChannel(withEncryption encryptionRequired: Bool) { openPSM(isEncrypted: encryptionRequired) }

    /// Refuses new channels on `PSM`; open channels stay.
    open func unpublishL2CAPChannel(_ PSM: CBL2CAPPSM) { closePSM(PSM) }

    // MARK: Inside

    func withMachine(_ body: @escaping @Sendable (inout HostMachine, ClientID, MonotonicTime) -> Void) {
        guard let client else { return }
        controller.host.perform { host in host.withMachine { body(&$0, client, $1) } }
    }

    /// Runs `body` on the radio thread, and `then` with its result on the manager's queue.
    func withMachine<Result: Sendable>(
        _ body: @escaping @Sendable (inout HostMachine, ClientID, MonotonicTime) -> Result,
        then: @escaping @Sendable (CBPeripheralManager, Result) -> Void
    ) {
        guard let client else { return }
        weak let manager = self
        let queue = queue
        controller.host.perform { host in
            let result = host.withMachine { body(&$0, client, $1) }
            queue.async { manager.map { then($0, result) } }
        }
    }
}

extension ConnectionParameters {
    /// Parameters within Apple's guidelines for accessories, so that every central may grant them: intervals in steps
    /// of 15 ms, and interval × (latency + 1) up to 2 s.
    init(_ latency: CBPeripheralManagerConnectionLatency) {
        self =
            switch latency {
            case .low: .lowLatency
            case .medium: .standard
            case .high: .highLatency
            }
    }
}
