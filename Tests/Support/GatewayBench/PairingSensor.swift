// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import Synchronization
import VirtualRadio

/// A thermometer on its own controller; only paired peers may read its values. It may have the key material of
/// encrypted advertising data, too.
final class PairingSensor: NSObject, Sendable {
    private struct State {
        var manager: CBPeripheralManager?
        var temperature: CBMutableCharacteristic?
        var isAdvertising = false
        var isPaused = false
        var shown: [String] = []
        var ends: [Result<CBBond, CBPairingError>] = []
        var subscriptions = 0
        var keyMaterial: [UInt8]?
        var keyReads = 0
    }

    static let address = DeviceAddress(kind: .public, value: 0xB0_0000_0002)
    let controller: CBController
    private let queue = DispatchQueue(label: "pairing sensor")
    private let state = Mutex(State())
    private let permissions: CBAttributePermissions
    private let isSilent: Bool
    private let isPlain: Bool

    /// - Parameters:
    ///   - needs: Demands beyond encryption.
    ///   - isSilent: The sensor accepts subscriptions, and has no value.
    ///   - isPlain: Any peer may read the values.
    ///   - keyMaterial: 24 octets that only paired peers may read.
    init(
        on radio: VirtualRadio, policy: CBPairingPolicy, needs: CBAttributePermissions = [],
        privacy: CBPrivacy = .whenAdvertising, isSilent: Bool = false, isPlain: Bool = false,
        keyMaterial: [UInt8]? = nil
    ) throws {
        (self.isSilent, self.isPlain) = (isSilent, isPlain)
        permissions = isPlain ? .readable : needs.union([.readable, .readEncryptionRequired])
        controller = CBController(
            transport: .descriptor(try radio.makeController(address: Self.address)), stateDirectory: nil,
            privacy: privacy)
        super.init()
        state.withLock { $0.keyMaterial = keyMaterial }
        controller.setPairingAgent(self, queue: queue)
        controller.pairingPolicy = policy
        queue.sync {
            let manager = CBPeripheralManager(
                delegate: self, queue: queue, options: [CBPeripheralManagerOptionControllerKey: controller])
            state.withLock { $0.manager = manager }
        }
    }

    deinit { controller.shutdown() }

    /// Passkeys on the sensor's display so far.
    var shown: [String] { state.withLock { $0.shown } }
    /// The outcomes of pairings with the sensor.
    var ends: [Result<CBBond, CBPairingError>] { state.withLock { $0.ends } }
    var subscriptions: Int { state.withLock { $0.subscriptions } }
    var isAdvertising: Bool { state.withLock { $0.isAdvertising } }

    /// Reads of the key material so far.
    var keyReads: Int { state.withLock { $0.keyReads } }
    var keyMaterial: [UInt8]? {
        get { state.withLock { $0.keyMaterial } }
        set { state.withLock { $0.keyMaterial = newValue } }
    }

    /// Stops or resumes new values; the sensor stays connected.
    func pause(_ isPaused: Bool) { state.withLock { $0.isPaused = isPaused } }

    private static let keyCharacteristic = CBUUID(string: "2B88")

    /// A second GAP service: the host's own has no key material.
    private static var keyService: CBMutableService {
        let service = CBMutableService(type: CBUUID(string: "1800"), primary: true)
        service.characteristics = [
            CBMutableCharacteristic(
                type: keyCharacteristic, properties: .read, value: nil,
                permissions: [.readable, .readEncryptionRequired])
        ]
        return service
    }

    /// As after a new battery: nothing is known of anybody.
    func forgetBonds() { for bond in controller.bonds { controller.removeBond(withIdentifier: bond.identifier) } }

    /// Sends a value every 50 ms to each subscriber.
    private func tick() {
        let (manager, characteristic, isPaused) = state.withLock { state in
            (Box(state.manager), Box(state.temperature), state.isPaused)
        }
        guard let manager = manager.value, let characteristic = characteristic.value else { return }
        if !isPaused { manager.updateValue(Data([0x66, 0x08]), for: characteristic, onSubscribedCentrals: nil) }
        queue.asyncAfter(deadline: .now() + .milliseconds(50)) { [weak self] in self?.tick() }
    }

    /// Takes an object out of the lock. Sound, because all uses are on `queue`.
    private struct Box<Value>: @unchecked Sendable {
        let value: Value
        init(_ value: Value) { self.value = value }
    }
}

extension PairingSensor: CBPeripheralManagerDelegate {
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        let service = CBMutableService(type: CBUUID(string: "181A"), primary: true)
        let temperature = CBMutableCharacteristic(
            type: CBUUID(string: "2A6E"),
            properties: [isSilent ? [] : .read, isPlain ? .notify : .notifyEncryptionRequired], value: nil,
            permissions: permissions)
        service.characteristics = [temperature]
        state.withLock { $0.temperature = temperature }
        peripheral.add(service)
        if keyMaterial != nil { peripheral.publish(Self.keyService, isBesideHost: true) }
        peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: "Thermo"])
        if !isSilent { tick() }
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        state.withLock { $0.isAdvertising = error == nil }
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) { state.withLock { $0.subscriptions += 1 } }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        if request.characteristic.uuid == Self.keyCharacteristic {
            let value = state.withLock { state in
                if request.offset == 0 { state.keyReads += 1 }
                return state.keyMaterial ?? []
            }
            request.value = Data(value.dropFirst(request.offset))
        } else {
            request.value = Data([0x66, 0x08])
        }
        peripheral.respond(to: request, withResult: .success)
    }
}

extension PairingSensor: CBPairingAgent {
    func controller(_ controller: CBController, didReceive request: CBPairingRequest) {
        switch request.kind {
        case .consent, .compare: request.respond(with: .accept)
        case .display(let passkey): state.withLock { $0.shown.append(passkey) }
        case .enterPasskey: request.respond(with: .refuse)
        }
    }

    func controller(
        _ controller: CBController, didEndPairingWith peer: CBPeer, result: Result<CBBond, CBPairingError>
    ) { state.withLock { $0.ends.append(result) } }
}
