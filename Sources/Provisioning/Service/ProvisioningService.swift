// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Dispatch
import Foundation
import Gateway
import Logging
import NetworkControl
import Synchronization

/// The configuration service of docs/provisioning.md: a client of `CBPeripheralManager`, on a queue of its own.
///
/// The manager's queue never waits: what takes time runs in a task, and each request is answered once, after
/// ``Limits/answer`` at the latest. Everything that is kept for a central is bounded, and goes with the central, except
/// what it has staged.
package final class ProvisioningService: NSObject, Sendable {
    typealias Item = ProvisioningTable.Item

    /// Whom the service works with.
    package struct Parts: Sendable {
        package var controller: CBController
        package var operations: any GatewayOperations
        package var network: any NetworkControlling
        package var window: any PairingWindow
        /// Blinks the LED for so long, and returns at once; false where there is none.
        package var identify: @Sendable (Duration) -> Bool
        /// Gives the gateway another identity address, so that phones that knew it see a new device.
        package var changeIdentity: @Sendable () async -> Void
        /// What `Model` says.
        package var model: String

        package init(
            controller: CBController, operations: any GatewayOperations, network: any NetworkControlling,
            window: any PairingWindow, identify: @escaping @Sendable (Duration) -> Bool = { _ in false },
            changeIdentity: @escaping @Sendable () async -> Void = {}, model: String = "Martlet"
        ) {
            self.controller = controller
            self.operations = operations
            self.network = network
            self.window = window
            self.identify = identify
            self.changeIdentity = changeIdentity
            self.model = model
        }
    }

    package struct Limits: Sendable {
        /// A central gives its request up after 30 s. Core 5.4, Vol 3, Part F, 3.3.3.
        package var answer: Duration = .seconds(20)
        /// Requests of all centrals that are worked on.
        package var requests = 32
        /// Centrals that something is kept for.
        package var phones = 16
        /// From one look at the sensors and at the state to the next.
        package var interval: Duration = .seconds(1)
        /// The response to `Factory reset` leaves meanwhile.
        package var farewell: Duration = .seconds(2)

        package init() {}
    }

    struct State {
        var manager: CBPeripheralManager?
        var observation: WindowObservation?
        var isPublished = false
        var window = WindowState()
        var advertising = Advertising()
        var settings: (value: GatewaySettings, at: ContinuousClock.Instant)?
        var phones = PhoneList()
        var requests = 0
        var staging = StagingArea()
        var isApplying = false
        var progress: ProgressMessage?
        var networks: [WirelessNetwork] = []
        var networkLines: [String] = []
        var isScanning = false
        var seen = SeenLines()
        var ticker: Task<Void, Never>?
        var log: Task<Void, Never>?
        /// What ends by itself, and must end when the service does.
        var works: [UUID: Task<Void, Never>] = [:]
        var isStopped = false
    }

    let parts: Parts
    /// What phones ask of the gateway.
    let phones: PhoneOperations
    let configuration: ProvisioningConfiguration
    let limits: Limits
    let logger: Logger
    let queue = DispatchQueue(label: "martlet.provisioning")
    let table = ProvisioningCharacteristics()
    let sender: LineSender
    let state = Mutex(State())

    package init(
        _ configuration: ProvisioningConfiguration, _ parts: Parts, limits: Limits = Limits(), logger: Logger
    ) {
        self.configuration = configuration
        self.parts = parts
        phones = Self.phoneOperations(parts)
        self.limits = limits
        self.logger = logger
        let current = CurrentManager()
        let table = table
        sender = LineSender { piece, item, central in
            // Where there is no manager, there is nobody to send to.
            guard let manager = current.manager, let characteristic = table[item] else { return true }
            return manager.updateValue(piece, for: characteristic, onSubscribedCentrals: [central])
        }
        self.current = current
        super.init()
    }

    /// The manager, for who holds no reference to the service.
    final class CurrentManager: Sendable {
        private let value = Mutex<CBPeripheralManager?>(nil)
        var manager: CBPeripheralManager? {
            get { value.withLock { $0 } }
            set { value.withLock { $0 = newValue } }
        }
    }

    let current: CurrentManager

    /// Publishes the service as soon as the controller is ready, and advertises it while the window is open.
    package func start() {
        let manager = CBPeripheralManager(
            delegate: self, queue: queue, options: [CBPeripheralManagerOptionControllerKey: parts.controller])
        current.manager = manager
        state.withLock { $0.manager = manager }
        let observation = parts.window.observe { [weak self] window in self?.changed(to: window) }
        state.withLock { $0.observation = observation }
        work { service in
            await service.settleNetwork()
        }
        refreshAdvertising()
    }

    /// Takes the service off the air. What is being applied stops where it is: nothing of it is on disk, or all of it.
    package func stop() {
        let (manager, observation, tasks) = state.withLock { state in
            defer {
                (state.manager, state.observation, state.ticker, state.log) = (nil, nil, nil, nil)
                state.works = [:]
                state.isStopped = true
            }
            return (
                state.manager, state.observation,
                Array(state.works.values) + [state.ticker, state.log].compactMap(\.self)
            )
        }
        for task in tasks { task.cancel() }
        manager?.stopAdvertising()
        manager?.removeAllServices()
        sender.unsubscribeAll()
        current.manager = nil
        withExtendedLifetime(observation) {}
    }

    /// Runs something that ends with the service.
    func work(_ body: @escaping @Sendable (ProvisioningService) async -> Void) {
        let id = UUID()
        state.withLock { state in
            guard !state.isStopped else { return }
            state.works[id] = Task { [weak self] in
                guard let self else { return }
                await body(self)
                self.state.withLock { _ = $0.works.removeValue(forKey: id) }
            }
        }
    }

    /// What a crash between the settings and the network has left is put in order: the settings on disk say which network
    /// is the one of the next start.
    private func settleNetwork() async {
        let settings = await settings()
        for pause in [1, 2, 4, 8, 16, 30] {
            do throws(NetworkFailure) {
                return try await parts.network.settle(settings.keptNetwork)
            } catch {
                // Not every gateway has a network to settle, or the helper for it.
                guard settings.keptNetwork != nil || error != .noManager else { return }
                logger.notice("the network is not settled", metadata: ["reason": "\(error.rawValue)"])
                guard error == .noManager || error == .busy, (try? await Task.sleep(for: .seconds(pause))) != nil
                else { return }
            }
        }
    }

    /// The settings in use, at most a second old.
    func settings(isFresh: Bool = false) async -> GatewaySettings {
        let now = ContinuousClock.now
        if !isFresh, let known = state.withLock({ $0.settings }), now - known.at < .seconds(1) { return known.value }
        let new = await parts.operations.settings()
        let old = state.withLock { state in
            defer { state.settings = (new, now) }
            return state.settings?.value
        }
        if old?.isProvisioned != new.isProvisioned { parts.window.setProvisioned(new.isProvisioned) }
        if old?.name != new.name { refreshAdvertising() }
        return new
    }
}
