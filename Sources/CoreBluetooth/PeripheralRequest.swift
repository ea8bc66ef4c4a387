// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import GATT
import Synchronization

/// What a peripheral was asked, until it answers.
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
    // To restore subscriptions; nobody is told.
    case restoredServices
    case restoredCharacteristics(CBService)

    /// How it is carried out.
    enum Action: Sendable {
        case gatt(GATTRequest)
        case rssi
        case openChannel(CBL2CAPPSM)
        /// The answer is known without asking the peer.
        case answer(Result<GATTResponse, GATTError>)
    }

    /// With the peripheral, which answers for services and characteristics that are gone with the connection.
    struct Pending {
        let request: PeripheralRequest
        let peripheral: CBPeripheral
        /// Who is told instead of the delegate.
        let caller: Caller?
    }

    typealias Caller = @Sendable (Result<PeripheralAnswer, any Error>) -> Void
}

/// What an asynchronous caller gets.
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
        guard let client else { return }
        let number = changing.withLock { state in
            defer { state.nextRequest += 1 }
            state.requests[state.nextRequest] = .init(request: request, peripheral: peripheral, caller: caller)
            return state.nextRequest
        }
        let id = GATTRequestID(client: client, number: number)
        guard let link = peripheral.changing.withLock({ $0.link }) else {
            queue.async { [weak self] in self?.handle(id, .failure(.disconnected)) }
            return
        }
        switch action() {
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

extension GATTRequestID {
    var number: UInt64 { rawValue & 0x00FF_FFFF_FFFF_FFFF }
}
