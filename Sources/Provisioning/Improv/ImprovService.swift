// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Foundation
import Logging

/// Publishes the Improv service, in clear text, for clients without another protocol, and carries out an
/// ``ImprovMachine``.
///
/// The service exists as long as this object, because phones remember the table of attributes. The service is
/// advertised while the window is open. It joins a network only after a person at the gateway has consented.
package final class ImprovService: NSObject, @unchecked Sendable {
    // Safe: all changes of state are on the queue.

    let queue = DispatchQueue(label: "martlet.improv")
    let logger: Logger
    private let actions: ImprovActions
    private let window: any PairingWindow
    private let controller: CBController
    /// Whether all services with earlier handles are published.
    private let isItsTurn: @Sendable () -> Bool
    private let beginning = ContinuousClock.now
    private var machine: ImprovMachine
    private var manager: CBPeripheralManager?
    private var observation: WindowObservation?
    private var timer: (any DispatchSourceTimer)?
    private let characteristics: [Improv.Item: CBMutableCharacteristic]
    private let service: CBMutableService

    struct Advertised: Equatable {
        var state: Improv.State
        var name: String
    }

    private var isPublished = false
    /// The present advertisement.
    private var advertised: Advertised?
    private var name = "Martlet"
    private var clients = ImprovClients()
    /// The action in progress.
    private var work: (number: UInt64, task: Task<Void, Never>)?

    /// - Parameter isItsTurn: False until all services with earlier handles are published. Phones remember handles, so
    ///   the handles must not depend on timing.
    package init(
        controller: CBController, window: any PairingWindow, actions: ImprovActions,
        isItsTurn: @escaping @Sendable () -> Bool = { true }, logger: Logger
    ) {
        (self.controller, self.window, self.actions) = (controller, window, actions)
        (self.isItsTurn, self.logger) = (isItsTurn, logger)
        machine = ImprovMachine(capabilities: [.identify, .deviceInformation, .scan])
        (service, characteristics) = Self.makeService()
        super.init()
    }

    /// Publishes the service once the controller is ready, until ``stop()``.
    package func start() {
        queue.async { [self] in
            manager = CBPeripheralManager(
                delegate: self, queue: queue, options: [CBPeripheralManagerOptionControllerKey: controller])
            observation = window.observe { [weak self] state in
                guard let self else { return }
                queue.async { self.windowChanged(state) }
            }
        }
    }

    /// Withdraws the service, and abandons the action in progress.
    package func stop() {
        queue.sync {
            observation = nil
            timer?.cancel()
            work?.task.cancel()
            work = nil
            manager?.stopAdvertising()
            manager?.removeAllServices()
            manager?.delegate = nil
            manager = nil
        }
    }

    /// All attributes are open: clients of this protocol never pair. The machine decides on their requests.
    private static func makeService() -> (CBMutableService, [Improv.Item: CBMutableCharacteristic]) {
        var characteristics: [Improv.Item: CBMutableCharacteristic] = [:]
        let service = CBMutableService(type: CBUUID(string: "\(Improv.service)"), primary: true)
        service.characteristics = Improv.Item.allCases.map { item in
            let properties: CBCharacteristicProperties =
                switch item {
                case .command: [.write, .writeWithoutResponse]
                case .capabilities: .read
                case .currentState, .error, .result: [.read, .notify]
                }
            let characteristic = CBMutableCharacteristic(
                type: CBUUID(string: "\(item.uuid)"), properties: properties, value: nil,
                permissions: item == .command ? .writeable : .readable)
            characteristics[item] = characteristic
            return characteristic
        }
        return (service, characteristics)
    }

    // MARK: The machine

    private var now: MonotonicTime { .zero + (ContinuousClock.now - beginning) }

    private func windowChanged(_ state: WindowState) { carryOut(machine.windowChanged(state, at: now)) }

    private func carryOut(_ effects: [ImprovMachine.Effect]) {
        for effect in effects {
            switch effect {
            case .state(let state):
                logger.info("Improv", metadata: ["state": "\(state)"])
                send([state.rawValue], .currentState, to: nil)
            case .error(let code, let client):
                if code != .none { logger.info("Improv refuses", metadata: ["error": "\(code)"]) }
                send([code.rawValue], .error, to: client)
            case .result(let octets, let client): send(octets, .result, to: client)
            case .identify: actions.identify()
            case .perform(let request, let number): perform(request, number)
            case .abandon(let number): if work?.number == number { work?.task.cancel() }
            }
        }
        refreshAdvertising()
        setTimer()
    }

    private func perform(_ request: ImprovRequest, _ number: UInt64) {
        let limit = clients.shortestUpdate
        work = (
            number,
            Task { [self] in
                let outcome = await actions.perform(request, resultLimit: limit)
                let name = await actions.name()
                queue.async { self.finished(number, outcome, name) }
            }
        )
    }

    private func finished(_ number: UInt64, _ outcome: ImprovMachine.Outcome, _ name: String) {
        if work?.number == number { work = nil }
        self.name = name
        carryOut(machine.finished(number, outcome, at: now))
    }

    private func setTimer() {
        timer?.cancel()
        guard let deadline = machine.deadline else { return timer = nil }
        let source = DispatchSource.makeTimerSource(queue: queue)
        let left = max(.zero, deadline - now)
        source.schedule(deadline: .now() + .milliseconds(Int(left / .milliseconds(1)) + 1))
        source.setEventHandler { [weak self] in
            guard let self else { return }
            carryOut(machine.expire(at: now))
        }
        source.resume()
        timer = source
    }

    // MARK: Values

    func value(of item: Improv.Item) -> [UInt8]? {
        switch item {
        case .currentState: [machine.state.rawValue]
        case .error: [machine.error.rawValue]
        case .result: machine.result
        case .capabilities: [machine.capabilities.rawValue]
        case .command: nil
        }
    }

    /// Sends a value in pieces that fit a notification, as commands come in pieces, too.
    private func send(_ octets: [UInt8], _ item: Improv.Item, to client: ImprovMachine.Client?) {
        for central in clients.subscribers(of: item) where client == nil || clients.number(of: central) == client {
            let length = max(1, central.maximumUpdateValueLength)
            for start in stride(from: 0, to: octets.count, by: length) {
                clients.enqueue(Data(octets[start..<min(octets.count, start + length)]), item, to: central)
            }
        }
        flush()
    }

    private func flush() {
        guard let manager else { return }
        clients.flush { data, item, central in
            guard let characteristic = characteristics[item] else { return true }
            return manager.updateValue(data, for: characteristic, onSubscribedCentrals: [central])
        }
    }

    private func publish(by manager: CBPeripheralManager) {
        guard manager === self.manager, manager.state == .poweredOn else { return }
        if isItsTurn() { return manager.add(service) }
        queue.asyncAfter(deadline: .now() + .milliseconds(20)) { [weak self] in self?.publish(by: manager) }
    }

    // MARK: The advertisement

    /// UUID and service data fill the advertisement of 31 octets, together with the flags. The name goes into the scan
    /// response.
    private func refreshAdvertising() {
        guard let manager, isPublished else { return }
        let wanted = machine.advertisedState.map { Advertised(state: $0, name: name) }
        guard wanted != advertised else { return }
        if advertised != nil { manager.stopAdvertising() }
        advertised = wanted
        guard let wanted else { return }
        manager.startAdvertising([
            CBAdvertisementDataServiceUUIDsKey: [service.uuid],
            CBAdvertisementDataServiceDataKey: [
                CBUUID(string: "\(Improv.serviceData)"): Data(
                    Improv.advertisement(wanted.state, machine.capabilities))
            ],
            CBAdvertisementDataLocalNameKey: wanted.name,
        ])
    }
}

extension ImprovService: CBPeripheralManagerDelegate {
    package func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        (isPublished, advertised) = (false, nil)
        for client in clients.removeAll() { machine.disconnected(client) }
        if peripheral.state == .poweredOn { publish(by: peripheral) }
    }

    package func peripheralManager(
        _ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?
    ) {
        if let error {
            return logger.error("the Improv service is not published", metadata: ["error": "\(error)"])
        }
        isPublished = true
        Task { [self] in
            let name = await actions.name()
            queue.async {
                self.name = name
                self.refreshAdvertising()
            }
        }
    }

    package func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        guard let error else { return }
        logger.warning("the Improv service is not advertised", metadata: ["error": "\(error)"])
        advertised = nil
        queue.asyncAfter(deadline: .now() + 10) { [weak self] in self?.refreshAdvertising() }
    }

    package func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        if let item = item(of: characteristic) { clients.subscribed(central, item) }
    }

    package func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        guard let item = item(of: characteristic) else { return }
        if let gone = clients.unsubscribed(central, item) { machine.disconnected(gone) }
    }

    package func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { flush() }

    package func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        guard let item = item(of: request.characteristic), let value = value(of: item) else {
            return peripheral.respond(to: request, withResult: .readNotPermitted)
        }
        guard request.offset <= value.count else {
            return peripheral.respond(to: request, withResult: .invalidOffset)
        }
        request.value = Data(value[request.offset...])
        peripheral.respond(to: request, withResult: .success)
    }

    package func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        guard let first = requests.first else { return }
        peripheral.respond(to: first, withResult: .success)
        let client = clients.number(of: first.central)
        for request in requests {
            carryOut(machine.received([UInt8](request.value ?? Data()), from: client, at: now))
        }
    }

    private func item(of characteristic: CBCharacteristic) -> Improv.Item? {
        characteristics.first { $0.value.uuid == characteristic.uuid }?.key
    }
}
