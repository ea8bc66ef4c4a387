// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Gateway
import Logging
import Synchronization
import Testing
import TestSupport
import VirtualRadio

@testable import CoreBluetooth
@testable import Provisioning

/// The keeper's rules for the controller, and the results of pairings. No phone is in the air.
@Suite(.timeLimit(.minutes(5)))
struct WindowRuleTests {
    private final class Scene {
        let radio = VirtualRadio(seed: 8)
        let controller: CBController
        let keeper: WindowKeeper
        private let folder = NSTemporaryDirectory() + "martlet-window-" + UUID().uuidString
        private let counter = Counter()

        private final class Counter: Sendable {
            let identities = Mutex(0)
            let digits = Mutex(100_000)
        }

        init(label: String? = nil) throws {
            controller = CBController(
                transport: .descriptor(
                    try radio.makeController(address: DeviceAddress(kind: .public, value: 0xB0_0000_0008))),
                stateDirectory: nil)
            let (store, counter) = (LabelStore(directory: folder), counter)
            if let label { try store.save(LabelRecord(passkey: Secret(label))) }
            keeper = WindowKeeper(
                isProvisioned: true,
                WindowKeeper.Parts(
                    controller: controller, store: store,
                    monitor: MonitorProbe(connectors: "/nowhere", service: "/nowhere"),
                    changeIdentity: { counter.identities.withLock { $0 += 1 } },
                    makePasskey: {
                        counter.digits.withLock { digits in
                            digits += 1
                            return "\(digits)"
                        }
                    }),
                logger: Logger(label: "keeper") { _ in SwiftLogNoOpLogHandler() })
            keeper.start()
        }

        deinit {
            keeper.stop()
            controller.shutdown()
            radio.stop()
            try? FileManager.default.removeItem(atPath: folder)
        }

        var identities: Int { counter.identities.withLock { $0 } }

        func policy() throws -> CBPairingPolicy { try #require(controller.peripheralPairingPolicy) }

        /// A phone is connected, so that the label's digits count.
        func admitByLabel() {
            keeper.open(by: .button)
            keeper.queue.sync { keeper.perform { $0.setHasCentrals(true, at: $1) } }
        }

        /// A phone begins to pair, and the pairing ends with `code`.
        func pairing(endsWith code: CBPairingError.Code) {
            let peer = CBPeer(address: DeviceAddress(kind: .public, value: 1), identifier: UUID())
            keeper.queue.sync {
                let request = CBPairingRequest(
                    peer: peer, kind: .display(passkey: "019655"), model: .passkeyEntry, isOurs: false
                ) { _ in }
                keeper.controller(controller, didReceive: request)
                request.end()
                keeper.controller(controller, didEndPairingWith: peer, result: .failure(CBPairingError(code)))
            }
        }
    }

    @Test func `phones need authentication, whatever the window is`() throws {
        let scene = try Scene(label: "019655")
        var policies = [try scene.policy()]
        scene.admitByLabel()
        policies.append(try scene.policy())
        scene.keeper.close()
        policies.append(try scene.policy())
        let other = try Scene()
        other.keeper.addDialogue(compares: false)
        other.keeper.open(by: .command)
        policies.append(try other.policy())
        #expect(policies.map { $0.incoming == .open } == [false, true, false, true])
        #expect(policies.allSatisfy { $0.requiresAuthentication && !$0.models.contains(.justWorks) })
    }

    @Test func `a label has no data for one pairing, and a screen has`() throws {
        let scene = try Scene(label: "019655")
        scene.admitByLabel()
        let labelled = try scene.policy()
        #expect(labelled.nextPasskey == CBPasskey("019655"))
        #expect(labelled.models == [.passkeyEntry] && labelled.outOfBandData == nil && scene.keeper.outOfBand == nil)
        let other = try Scene()
        other.keeper.addDialogue(compares: false)
        other.keeper.open(by: .command)
        let shown = try other.policy()
        #expect(shown.models == [.passkeyEntry, .outOfBand])
        #expect(shown.outOfBandData != nil && other.keeper.outOfBand != nil)
    }

    /// A phone without a bond has proved all digits, and a phone that gave up has not.
    @Test(arguments: [
        (CBPairingError.Code.notBonded, LabelRecord.Condition.void, 0), (.confirmationFailed, .good, 1),
        (.timedOut, .good, 1),
    ])
    func `the label's digits end with a pairing that has revealed them`(
        code: CBPairingError.Code, condition: LabelRecord.Condition, failures: Int
    ) throws {
        let scene = try Scene(label: "019655")
        scene.admitByLabel()
        scene.pairing(endsWith: code)
        let label = try #require(scene.keeper.label)
        #expect(label.condition == condition && label.failures == failures)
    }

    @Test func `new digits of a label come with a new identity, and the first digits do not`() async throws {
        let scene = try Scene()
        let first = try await scene.keeper.label(isNew: false)
        #expect(try await scene.keeper.label(isNew: false).passkey == first.passkey)
        #expect(scene.identities == 0)
        let second = try await scene.keeper.label(isNew: true)
        #expect(second.passkey != first.passkey && second.isGood)
        #expect(scene.identities == 1)
    }
}
