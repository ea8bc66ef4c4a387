// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Foundation
import GATT
import Synchronization
import VirtualRadio

@testable import CoreBluetooth

/// A thermometer with its own host, for a whole gateway. It is honest, or has a foreign address, or has more values than a thermometer.
final class WholeSensor: NSObject, Sendable {
    private struct State {
        var manager: CBPeripheralManager?
        var temperature: CBMutableCharacteristic?
        var isAdvertising = false
        var pairings: [Bool] = []
        var writes = 0
    }

    static let address = DeviceAddress(kind: .public, value: 0xB0_0000_0002)
    let controller: CBController
    /// The sensor gives its values to every peer.
    private let isOpen: Bool
    private let queue = DispatchQueue(label: "whole sensor")
    private let state = Mutex(State())

    init(on radio: VirtualRadio, isOpen: Bool) throws {
        self.isOpen = isOpen
        controller = CBController(
            transport: .descriptor(try radio.makeController(address: Self.address)), stateDirectory: nil)
        super.init()
        var policy = CBPairingPolicy()
        policy.incoming = .open
        policy.capability = .none
        controller.setPairingAgent(self, queue: queue)
        controller.pairingPolicy = policy
        queue.sync {
            let manager = CBPeripheralManager(
                delegate: self, queue: queue, options: [CBPeripheralManagerOptionControllerKey: controller])
            state.withLock { $0.manager = manager }
        }
    }

    /// Switches the sensor off.
    func end() { controller.shutdown() }

    /// For each pairing: whether it has led to a bond.
    var pairings: [Bool] { state.withLock { $0.pairings } }
    var isAdvertising: Bool { state.withLock { $0.isAdvertising } }
    /// The number of answered writes to the gateway.
    var writes: Int { state.withLock { $0.writes } }

    /// Asks the gateway to be paired with, as a sensor may.
    func asksForPairing() {
        controller.host.perform { host in
            host.withMachine { machine, now in
                for link in machine.links(to: WholeGateway.address) { _ = machine.pair(link, at: now) }
            }
        }
    }

    /// Switches indications of the gateway's Service Changed on and off by turns.
    func toggles(_ count: Int) throws {
        guard let client = controller.host.makeClient() else { throw CocoaError(.featureUnsupported) }
        let host = controller.host
        @Sendable func write(_ number: Int) {
            guard number < count else { return }
            let value: [UInt8] = [number.isMultiple(of: 2) ? 2 : 0, 0]
            host.perform { host in
                host.withMachine { machine, now in
                    guard let link = machine.links(to: WholeGateway.address).first else { return }
                    machine.request(
                        .write(handle: GATTDatabase.serviceChangedHandle + 1, value: value),
                        id: GATTRequestID(client: client, number: UInt64(number)), on: link, at: now)
                }
            }
        }
        host.perform { host in
            host.addClient(client) { batch in
                for case .completed(let id, .success) in batch.events where id.client == client {
                    self.state.withLock { $0.writes += 1 }
                    write(Int(id.rawValue & 0xFFFF) + 1)
                }
                self.controller.host.handled(by: client)
            }
        }
        write(0)
    }

    /// Sends a value every 50 ms to each subscriber.
    private func tick() {
        let (manager, characteristic) = state.withLock { (Box($0.manager), Box($0.temperature)) }
        guard let manager = manager.value, let characteristic = characteristic.value else { return }
        manager.updateValue(Data([0x66, 0x08]), for: characteristic, onSubscribedCentrals: nil)
        queue.asyncAfter(deadline: .now() + .milliseconds(50)) { [weak self] in self?.tick() }
    }

    /// Takes an object out of the lock. Sound, because all uses are on `queue`.
    private struct Box<Value>: @unchecked Sendable {
        let value: Value
        init(_ value: Value) { self.value = value }
    }
}

extension WholeSensor: CBPeripheralManagerDelegate {
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        let service = CBMutableService(type: CBUUID(string: "181A"), primary: true)
        let temperature = CBMutableCharacteristic(
            type: CBUUID(string: "2A6E"), properties: isOpen ? [.read, .notify] : [.read, .notifyEncryptionRequired],
            value: nil, permissions: isOpen ? .readable : [.readable, .readEncryptionRequired])
        service.characteristics = [temperature]
        state.withLock { $0.temperature = temperature }
        peripheral.add(service)
        peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: "Thermo"])
        tick()
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        state.withLock { $0.isAdvertising = error == nil }
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        request.value = Data([0x66, 0x08])
        peripheral.respond(to: request, withResult: .success)
    }
}

extension WholeSensor: CBPairingAgent {
    func controller(_ controller: CBController, didReceive request: CBPairingRequest) {
        request.respond(with: request.kind == .consent ? .accept : .refuse)
    }

    func controller(
        _ controller: CBController, didEndPairingWith peer: CBPeer, result: Result<CBBond, CBPairingError>
    ) {
        let isBonded = if case .success = result { true } else { false }
        state.withLock { $0.pairings.append(isBonded) }
    }
}
