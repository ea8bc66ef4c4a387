// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import GATT
import Synchronization

/// A request to a peripheral, until the answer comes.
enum PeripheralRequest {
    case rssi
    case gapName
    case watchServices
    case services(areAll: Bool)
    case includedServices(CBService, [CBUUID]?)
    case characteristics(CBService)
    case descriptors(CBCharacteristic)
    case read(CBCharacteristic)
    case write(CBCharacteristic)
    case notify(CBCharacteristic, Bool)
    case readDescriptor(CBDescriptor)
    case writeDescriptor(CBDescriptor)
    case openChannel
    /// Whose answer is its caller's alone.
    case procedure
    // Restores subscriptions, without a call of the delegate.
    case restoredServices
    case restoredCharacteristics(CBService)

    /// The way to carry the request out.
    enum Action: Sendable {
        case gatt(GATTRequest)
        case rssi
        case openChannel(CBL2CAPPSM)
        /// The answer is known without asking the peer.
        case answer(Result<GATTResponse, any Error>)
    }

    /// With the peripheral, which answers for services and characteristics that are gone with the connection.
    struct Pending {
        let request: PeripheralRequest
        let peripheral: CBPeripheral
        /// The asynchronous caller, who gets the answer in place of the delegate.
        let caller: Caller?
    }

    /// A request that waits for a connection.
    struct Held: Sendable {
        let id: GATTRequestID
        let action: Action
    }

    /// False if the request names a service, characteristic or descriptor of an earlier connection: its handles may
    /// have another meaning now.
    func isOfThisConnection(of peripheral: CBPeripheral) -> Bool {
        switch self {
        case .rssi, .gapName, .watchServices, .services, .openChannel, .procedure, .restoredServices: true
        case .includedServices(let service, _), .characteristics(let service), .restoredCharacteristics(let service):
            peripheral.has(service)
        case .descriptors(let characteristic), .read(let characteristic), .write(let characteristic),
            .notify(let characteristic, _):
            peripheral.has(characteristic)
        case .readDescriptor(let descriptor), .writeDescriptor(let descriptor):
            descriptor.characteristic.map(peripheral.has) ?? false
        }
    }

    typealias Caller = @Sendable (Result<PeripheralAnswer, any Error>) -> Void
}

/// The answer to an asynchronous caller.
enum PeripheralAnswer {
    case gatt(GATTResponse)
    case rssi(Int8)
}

extension CBCentralManager {
    /// Asks `peripheral`; `caller`, or else the delegate, hears the answer, also when there is no connection.
    func request(
        _ request: PeripheralRequest, on peripheral: CBPeripheral, caller: PeripheralRequest.Caller? = nil,
        _ action: () -> PeripheralRequest.Action
    ) {
        guard let client else {
            caller?(.failure(CBError(.operationNotSupported, detail: stateReason)))
            return
        }
        let number = changing.withLock { state in
            defer { state.nextRequest += 1 }
            state.requests[state.nextRequest] = .init(request: request, peripheral: peripheral, caller: caller)
            return state.nextRequest
        }
        let id = GATTRequestID(client: client, number: number)
        let action = action()
        let isLinked = peripheral.changing.withLock { $0.link != nil }
        if !isLinked, !controller.isEnded, peripheral.hold(.init(id: id, action: action)) { return }
        submit(request, id, on: peripheral, action)
    }

    func submit(
        _ request: PeripheralRequest, _ id: GATTRequestID, on peripheral: CBPeripheral,
        _ action: PeripheralRequest.Action
    ) {
        guard let link = peripheral.changing.withLock({ $0.link }), !controller.isEnded else {
            queue.async { [weak self] in self?.handle(id, .failure(CBError(.notConnected))) }
            return
        }
        guard request.isOfThisConnection(of: peripheral) else {
            let error = CBError(.invalidHandle, detail: "it is of an earlier connection; discover it again")
            queue.async { [weak self] in self?.handle(id, .failure(error)) }
            return
        }
        switch action {
        case .gatt(let request): withMachine { machine, _, now in machine.request(request, id: id, on: link, at: now) }
        case .rssi: withMachine { machine, _, now in machine.readRSSI(of: link, id: id, at: now) }
        case .openChannel(let psm):
            withMachine { machine, _, now in machine.openChannel(spsm: psm, on: link, id: id, at: now) }
        case .answer(let result): queue.async { [weak self] in self?.handle(id, result) }
        }
    }

    func writeCommand(_ value: [UInt8], to handle: UInt16, on link: LinkID) {
        withMachine { machine, client, now in
            machine.writeCommand(value, to: handle, on: link, for: client, at: now)
        }
    }

    func takeRequest(_ id: GATTRequestID) -> PeripheralRequest.Pending? {
        changing.withLock { UncheckedReference(value: $0.requests.removeValue(forKey: id.number)) }.value
    }
}

extension CBPeripheral {
    /// Whether the characteristic was discovered on this connection, and still exists.
    func has(_ characteristic: CBCharacteristic) -> Bool {
        changing.withLock { $0.characteristics[characteristic.valueHandle] === characteristic }
    }

    /// Whether it was discovered on this connection, by itself or as included, and is still there.
    func has(_ service: CBService) -> Bool {
        var waiting = services ?? []
        var seen: Set<ObjectIdentifier> = []
        while let next = waiting.popLast() {
            if next === service { return true }
            if seen.insert(ObjectIdentifier(next)).inserted { waiting += next.includedServices ?? [] }
        }
        return false
    }
}

extension GATTRequestID {
    var number: UInt64 { rawValue & 0x00FF_FFFF_FFFF_FFFF }
}
