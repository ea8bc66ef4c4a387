// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import Logging
import Synchronization
import Testing
import TestSupport
import VirtualRadio

@testable import Configuration
@testable import Gateway
@testable import Provisioning

/// A gateway with the configuration service, and phones in the same air.
final class ServiceBench: Sendable {
    let radio: VirtualRadio
    let controller: CBController
    let operations: BenchOperations
    let network: BenchNetwork
    let window: BenchWindow
    let service: ProvisioningService
    let blinks = Mutex(0)
    let lines = LogLines()
    private let screen: Screen

    /// Shows the passkey of each pairing.
    private final class Screen: CBPairingAgent, Sendable {
        let passkey = Mutex<String?>(nil)

        func controller(_ controller: CBController, didReceive request: CBPairingRequest) {
            switch request.kind {
            case .display(let digits): passkey.withLock { $0 = digits }
            // The phone's user agrees to every question; consent alone must not open a value that needs a passkey.
            default: request.respond(with: .accept)
            }
        }
        func controller(
            _ controller: CBController, didEndPairingWith peer: CBPeer, result: Result<CBBond, CBPairingError>
        ) { passkey.withLock { $0 = nil } }
    }

    init(
        operations: BenchOperations = BenchOperations(), network: BenchNetwork = BenchNetwork(),
        window: WindowState = WindowState(opener: .unprovisioned, passkey: .fresh("123456")),
        configuration: ProvisioningConfiguration = ProvisioningConfiguration(), hasLED: Bool = true,
        limits: ProvisioningService.Limits = ServiceBench.limits, air: AirSettings = AirSettings()
    ) throws {
        radio = VirtualRadio(seed: 5, settings: air)
        controller = CBController(
            transport: .descriptor(try radio.makeController(address: Self.address)),
            stateDirectory: nil)
        (self.operations, self.network) = (operations, network)
        self.window = BenchWindow(window)
        screen = Screen()
        controller.setPairingAgent(screen, queue: DispatchQueue(label: "screen"))
        var policy = CBPairingPolicy()
        policy.incoming = .open
        policy.capability = .display
        policy.requiresAuthentication = true
        controller.pairingPolicy = policy
        let lines = lines
        let counter = Counter()
        service = ProvisioningService(
            configuration,
            ProvisioningService.Parts(
                controller: controller, operations: operations, network: network, window: self.window,
                identify: { _ in
                    counter.count.withLock { $0 += 1 }
                    return hasLED
                }, changeIdentity: { counter.identities.withLock { $0 += 1 } }, model: "Martlet on a bench"),
            limits: limits, logger: Logger(label: "bench") { _ in lines })
        self.counter = counter
        service.start()
    }

    /// How often the LED blinked, and the identity changed.
    final class Counter: Sendable {
        let count = Mutex(0)
        let identities = Mutex(0)
    }

    let counter: Counter

    deinit {
        service.stop()
        controller.shutdown()
        radio.stop()
    }

    static let address = DeviceAddress(kind: .public, value: 0xB0_0000_0002)

    static var limits: ProvisioningService.Limits {
        var limits = ProvisioningService.Limits()
        limits.interval = .milliseconds(10)
        limits.farewell = .milliseconds(10)
        return limits
    }

    /// The gateway's passkey for the next phone, as soon as the gateway displays it.
    func shownPasskey() async throws -> String {
        try await waitFor("a passkey") { self.screen.passkey.withLock { $0 } != nil }
        return try #require(screen.passkey.withLock { $0 })
    }

    func makePhone(_ number: UInt64 = 1) throws -> BenchPhone { try BenchPhone(number, self) }
}

/// Keeps all lines of the log, at every level.
struct LogLines: LogHandler {
    private final class Kept: Sendable {
        let lines = Mutex<[String]>([])
    }

    private let kept = Kept()
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .trace
    var lines: [String] { kept.lines.withLock { $0 } }
    func clear() { kept.lines.withLock { $0 = [] } }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        kept.lines.withLock { $0.append("\(event.message) \(event.metadata ?? [:])") }
    }
}
