// SPDX-License-Identifier: Apache-2.0

import Configuration
import CoreBluetooth
import Dispatch
import Foundation
import Gateway
import Logging
import NetworkControl
import Platform
import Synchronization

/// The configuration service of docs/provisioning-protocol.md: a client of `CBPeripheralManager`, on a queue of its own.
///
/// The manager's queue never waits: slow work runs in a task, and each request gets one answer, after ``Limits/answer``
/// at the latest. The memory of a central is bounded, and ends with the central, except for its staged changes.
package final class ProvisioningService: NSObject, Sendable {
    typealias Item = ProvisioningTable.Item

    /// The service's partners.
    package struct Parts: Sendable {
        package var controller: CBController
        package var operations: any GatewayOperations
        package var network: any NetworkControlling
        package var window: any PairingWindow
        /// Blinks the LED for this time, and returns at once; false without a LED.
        package var identify: @Sendable (Duration) -> Bool
        /// Gives the gateway a new identity address, so that phones that knew the gateway see a new device.
        package var changeIdentity: @Sendable () async -> Void
        /// The value of `Model`.
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
        /// A central abandons its request after 30 s. Core 5.4, Vol 3, Part F, 3.3.3.
        package var answer: Duration = .seconds(20)
        /// Requests in progress, of all centrals.
        package var requests = 32
        /// Centrals in the service's memory.
        package var phones = 16
        /// Time between two checks of the sensors and the state.
        package var interval: Duration = .seconds(1)
        /// Time for the response to `Factory reset` to leave.
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
        /// Tasks that end by themselves, and must end with the service.
        var works: [UUID: Task<Void, Never>] = [:]
        var isStopped = false
    }

    let parts: Parts
    /// The operations of phones.
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
            // Without a manager there is no recipient.
            guard let manager = current.manager, let characteristic = table[item] else { return true }
            return manager.updateValue(piece, for: characteristic, onSubscribedCentrals: [central])
        }
        self.current = current
        super.init()
    }

    /// The manager, for code without a reference to the service.
    final class CurrentManager: Sendable {
        private let value = Mutex<CBPeripheralManager?>(nil)
        var manager: CBPeripheralManager? {
            get { value.withLock { $0 } }
            set { value.withLock { $0 = newValue } }
        }
    }

    let current: CurrentManager

    /// Publishes the service once the controller is ready, and advertises it while the window is open.
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

    /// Takes the service off the air. Applying stops at its present step: the disk has all of the new settings, or
    /// none.
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

    /// Runs a task that ends with the service.
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

    /// Repairs a mismatch of settings and networks after a crash: the settings on disk name the network of the next
    /// start.
    private func settleNetwork() async {
        let settings = await settings()
        for pause in [1, 2, 4, 8, 16, 30] {
            do throws(NetworkFailure) {
                return try await parts.network.settle(settings.keptNetwork)
            } catch {
                // A gateway may have no network to settle, or no helper.
                guard settings.keptNetwork != nil || error != .noManager else { return }
                logger.notice("the network is not settled", metadata: ["reason": "\(error.rawValue)"])
                guard error == .noManager || error == .busy, await Waiting.pause(for: .seconds(pause)) else { return }
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
