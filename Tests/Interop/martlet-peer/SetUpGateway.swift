// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import Gateway
import Logging
import NetworkControl
import Provisioning
import Synchronization

/// The whole gateway with the configuration service, and a window of the tests' own: always open until it is closed, with
/// a fresh passkey for each attempt, which is told on standard output. Ends with standard input.
final class SetUpGateway: CBPairingAgent, Sendable {
    private let gateway: GatewayService
    private let service: ProvisioningService
    private let window = OpenWindow()

    init(configuration path: String, controller: CBController.Transport) throws {
        let logger = Logger(label: "martlet-peer") { StreamLogHandler.standardError(label: $0) }
        let source = ConfigurationSource.files(path: path, freshName: "gw-interop")
        let configuration = try source.load()
        gateway = try GatewayService(configuration, transport: controller, source: source, logger: logger)
        service = ProvisioningService(
            configuration.provisioning,
            ProvisioningService.Parts(
                controller: gateway.controller, operations: gateway.operations,
                network: NetworkHelperClient(path: configuration.provisioning.networkSocket, logger: logger),
                window: window,
                identify: { _ in
                    Report.line(["event": "identify"])
                    return true
                }, model: "Martlet \(GatewayVersion.current) of the tests"),
            logger: logger)
        var policy = CBPairingPolicy()
        policy.incoming = .open
        policy.capability = .display
        policy.requiresAuthentication = true
        policy.replacement = .unlessWeaker
        gateway.controller.peripheralPairingPolicy = policy
        gateway.controller.setPeripheralPairingAgent(self, queue: DispatchQueue(label: "martlet-peer.people"))
    }

    func run() {
        gateway.start()
        service.start()
        while readLine() != nil {}
        service.stop()
        gateway.stop()
    }

    func controller(_ controller: CBController, didReceive request: CBPairingRequest) {
        if case .display(let passkey) = request.kind { Report.line(["event": "display", "passkey": passkey]) }
    }
}

/// A pairing window that is open from the start.
final class OpenWindow: PairingWindow {
    private struct Inside {
        var state = WindowState(opener: .unprovisioned, passkey: .label)
        var observers: [UUID: @Sendable (WindowState) -> Void] = [:]
    }

    private let inside = Mutex(Inside())
    private let queue = DispatchQueue(label: "martlet-peer.window")

    var state: WindowState { inside.withLock { $0.state } }

    func open(by opener: WindowState.Opener) { set(WindowState(opener: opener, passkey: .label)) }
    func close() { set(WindowState()) }
    func setProvisioned(_ isProvisioned: Bool) {}

    func observe(_ observer: @escaping @Sendable (WindowState) -> Void) -> WindowObservation {
        let id = UUID()
        let state = inside.withLock { inside in
            inside.observers[id] = observer
            return inside.state
        }
        queue.async { observer(state) }
        return WindowObservation { [weak self] in self?.inside.withLock { $0.observers[id] = nil } }
    }

    private func set(_ state: WindowState) {
        let observers = inside.withLock { inside in
            inside.state = state
            return inside.observers.values
        }
        for observer in observers { queue.async { observer(state) } }
    }
}
