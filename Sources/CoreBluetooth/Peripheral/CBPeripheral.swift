// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import BluetoothHost
import Foundation
import GATT
import Synchronization

/// The state of a connection.
public enum CBPeripheralState: Int, Sendable {
    /// The peripheral is not connected, and no caller waits for a connection.
    case disconnected = 0
    /// A manager waits for the connection; it begins when the host hears the peripheral.
    case connecting = 1
    /// The peripheral is connected.
    case connected = 2
    /// The disconnection is in progress.
    case disconnecting = 3
}

/// A remote peripheral. Its connection ends with the last reference to the object.
open class CBPeripheral: CBPeer, @unchecked Sendable {
    // Sound: the Mutex protects all mutable state.

    struct State {
        weak var manager: CBCentralManager?
        weak var delegate: (any CBPeripheralDelegate)?
        var state = CBPeripheralState.disconnected {
            didSet {
                guard state != oldValue else { return }
                for buffer in observers.states { buffer.push(state) }
                stateObservers.changed(from: oldValue, to: state)
            }
        }
        var stateObservers = PropertyObservers<CBPeripheralState>()
        /// The application, not an asynchronous caller, asked for the connection.
        var isWantedByApplication = false
        var observers = PeripheralObservers()
        var name: String?
        /// The name came from the peripheral's GAP service; the GAP name has precedence over an advertised name.
        var isNameFromGAP = false
        var services: [CBService]?
        var link: LinkID?
        var mtu = GATTClientMachine.defaultMTU
        /// By value handle.
        var characteristics: [UInt16: CBCharacteristic] = [:]
        var writeCommands = WriteCommandRoom()
        var reconnects = false
        var notices: ConnectNotices = []
        /// When there was a notice of notifications.
        var noticed: ContinuousClock.Instant?
        /// Names the connection attempt that waits for its start delay: a random token, so that an old timer starts no
        /// new attempt.
        var delayedWish: UInt64?
        /// The subscriptions to renew after the next connection.
        var subscriptions: [CentralSnapshot.Subscription] = []
        /// The host reports changes of the services.
        var watchesServices = false
        /// The requests to a restored peripheral, held until the connection. Nil: requests need a connection.
        var held: [PeripheralRequest.Held]?

        /// Makes all discovered objects void.
        mutating func forgetServices(_ error: CBError?) {
            for characteristic in characteristics.values { characteristic.stopNotifying(error) }
            services = nil
            characteristics = [:]
        }
    }

    let changing: Mutex<State>

    init(address: DeviceAddress, identifier: UUID, manager: CBCentralManager) {
        changing = Mutex(State(manager: manager))
        super.init(address: address, identifier: identifier)
    }

    deinit {
        let (manager, state) = changing.withLock { ($0.manager, $0.state) }
        if state == .connecting || state == .connected { manager?.letGo(of: peerAddress) }
    }

    /// The delegate, held weakly.
    open weak var delegate: (any CBPeripheralDelegate)? {
        get { changing.withLock { UncheckedReference(value: $0.delegate) }.value }
        set {
            let new = UncheckedReference(value: newValue)
            changing.withLock { $0.delegate = new.value }
        }
    }

    /// The name from the GAP service if the host has read it, else the advertised name.
    open var name: String? { changing.withLock { $0.name } }
    /// The state of the connection.
    open var state: CBPeripheralState { changing.withLock { $0.state } }
    /// The discovered services; nil before the first discovery, and after the connection has ended.
    open var services: [CBService]? { changing.withLock { $0.services } }
    /// Always false: notification centre services are an affair of iPhones.
    open var ancsAuthorized: Bool { false }

    /// Additive: the device address, `C4:7C:8D:00:11:22`.
    public var address: String { peerAddress.description }

    /// False when so many writes without response wait that the next would be dropped; then
    /// `peripheralIsReady(toSendWriteWithoutResponse:)` follows.
    open var canSendWriteWithoutResponse: Bool {
        changing.withLock { state in
            state.writeCommands.mayWrite(isConnected: state.state == .connected)
        }
    }

    /// The most octets of one write. With response: 512, in parts if longer than the MTU allows. Without: MTU − 3, up
    /// to 512.
    open func maximumWriteValueLength(for type: CBCharacteristicWriteType) -> Int {
        type == .withResponse ? 512 : min(512, changing.withLock { $0.mtu } - 3)
    }

    // MARK: Requests; the delegate gets the answers

    /// Measures the signal strength of the connection; `didReadRSSI` follows.
    open func readRSSI() {
        manager?.request(.rssi, on: self) { .rssi }
    }

    /// Nil discovers all services except GAP (0x1800) and GATT (0x1801): the host itself uses these two. A list
    /// discovers exactly the listed services, and may name GAP and GATT.
    open func discoverServices(_ serviceUUIDs: [CBUUID]?) {
        let uuids = serviceUUIDs.flatMap { $0.isEmpty ? nil : $0.map(\.value) }
        manager?.request(.services(areAll: uuids == nil), on: self) { .gatt(.discoverServices(uuids)) }
    }

    /// Nil discovers all included services of the service.
    open func discoverIncludedServices(_ includedServiceUUIDs: [CBUUID]?, for service: CBService) {
        manager?.request(.includedServices(service, includedServiceUUIDs), on: self) {
            .gatt(.discoverIncludedServices(service.handles))
        }
    }

    /// Nil discovers all characteristics of the service.
    open func discoverCharacteristics(_ characteristicUUIDs: [CBUUID]?, for service: CBService) {
        let uuids = characteristicUUIDs.flatMap { $0.isEmpty ? nil : $0.map(\.value) }
        manager?.request(.characteristics(service), on: self) {
            .gatt(.discoverCharacteristics(service.handles, uuids))
        }
    }

    /// Discovers all descriptors; `didDiscoverDescriptorsFor` follows.
    open func discoverDescriptors(for characteristic: CBCharacteristic) {
        manager?.request(.descriptors(characteristic), on: self) { Self.discovery(ofDescriptorsOf: characteristic) }
    }

    static func discovery(ofDescriptorsOf characteristic: CBCharacteristic) -> PeripheralRequest.Action {
        let (start, end) = (characteristic.valueHandle, characteristic.endHandle)
        // Nothing follows the last handle of all.
        return start < end
            ? .gatt(.discoverDescriptors(ATTPDU.HandleRange(start: start + 1, end: end)))
            : .answer(.success(.descriptors([])))
    }

    /// Reads a value, long ones in parts; `didUpdateValueFor` follows.
    open func readValue(for characteristic: CBCharacteristic) {
        manager?.request(.read(characteristic), on: self) { .gatt(.read(handle: characteristic.valueHandle)) }
    }

    /// Writes a value of at most ``maximumWriteValueLength(for:)`` octets, with response long ones in parts. Without
    /// response it may be lost where ``canSendWriteWithoutResponse`` is false.
    open func writeValue(_ data: Data, for characteristic: CBCharacteristic, type: CBCharacteristicWriteType) {
        switch type {
        case .withResponse:
            manager?.request(.write(characteristic), on: self) {
                data.count <= 512
                    ? .gatt(.write(handle: characteristic.valueHandle, value: Array(data)))
                    : .answer(.failure(CBATTError(.invalidAttributeValueLength)))
            }
        case .withoutResponse:
            let link = changing.withLock { state -> LinkID? in
                guard state.state == .connected, state.characteristics[characteristic.valueHandle] === characteristic
                else { return nil }
                state.writeCommands.wrote()
                return state.link
            }
            guard let link else { return }
            manager?.writeCommand(Array(data.prefix(512)), to: characteristic.valueHandle, on: link)
        }
    }

    /// Switches notifications on or off; indications if the characteristic has only indications.
    open func setNotifyValue(_ enabled: Bool, for characteristic: CBCharacteristic) {
        characteristic.recordWish(enabled)
        configureNotifications(enabled, for: characteristic)
    }

    func configureNotifications(_ enabled: Bool, for characteristic: CBCharacteristic) {
        let properties = characteristic.properties
        let configuration: ClientCharacteristicConfiguration =
            !enabled ? .none : properties.contains(.notify) ? .notification : .indication
        if enabled { characteristic.expectValues() }
        manager?.request(.notify(characteristic, enabled), on: self) {
            properties.isDisjoint(with: [.notify, .indicate])
                ? .answer(.failure(CBATTError(.requestNotSupported)))
                : .gatt(
                    .configure(
                        valueHandle: characteristic.valueHandle, endHandle: characteristic.endHandle, configuration))
        }
    }

    /// Reads a descriptor; `didUpdateValueFor` follows.
    open func readValue(for descriptor: CBDescriptor) {
        manager?.request(.readDescriptor(descriptor), on: self) { .gatt(.read(handle: descriptor.handle)) }
    }

    /// The client characteristic configuration is not written this way: use ``setNotifyValue(_:for:)``.
    open func writeValue(_ data: Data, for descriptor: CBDescriptor) {
        manager?.request(.writeDescriptor(descriptor), on: self) {
            if descriptor.uuid.value.short == GATTAttributeType.clientCharacteristicConfiguration {
                return .answer(.failure(CBError(.uuidNotAllowed)))
            }
            return data.count <= 512
                ? .gatt(.write(handle: descriptor.handle, value: Array(data)))
                : .answer(.failure(CBATTError(.invalidAttributeValueLength)))
        }
    }

    /// Opens a channel to a PSM of the peripheral. The delegate gets the channel, and has to keep a reference to it.
    open func openL2CAPChannel(_ PSM: CBL2CAPPSM) {
        manager?.request(.openChannel, on: self) { .openChannel(PSM) }
    }

    var manager: CBCentralManager? { changing.withLock { $0.manager } }

    open override var description: String {
        let (name, state) = changing.withLock { ($0.name, $0.state) }
        return "<CBPeripheral identifier = \(identifier), name = \(name ?? "(null)"), state = \(state)>"
    }
}
