// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import HCI
import SMP
import Testing
import VirtualRadio

@testable import BluetoothHost
@testable import HostBench

/// The peers that another process with the same state admits, and a restart of the controller: row 110.
struct PairingRestartAttacks {
    /// The bonds and the policy of a process.
    private struct Remains: Sendable {
        let bonds: [Bond]
        let policy: SecurityPolicy
    }

    /// A process with this state directory: runs `body`, and ends.
    private func process(
        _ directory: String, _ body: @escaping @Sendable (inout HostMachine, MonotonicTime) -> Void = { _, _ in }
    ) async throws -> Remains {
        let radio = VirtualRadio()
        defer { radio.stop() }
        let (host, _, _) = try await BluetoothHost.whole(on: radio, stateDirectory: directory)
        let remains = await withCheckedContinuation { done in
            host.perform { host in
                done.resume(
                    returning: host.withMachine { machine, now in
                        body(&machine, now)
                        return Remains(bonds: machine.bonds.all, policy: machine.policy)
                    })
            }
        }
        await host.ends()
        return remains
    }

    @Test(.timeLimit(.minutes(5))) func `row 110: CVE-2021-3658, a restart opens nothing`() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "martlet-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let bond = try #require(Bond(identity: RawPeer.publicAddress, keys: .secureConnections(Bench.key)))
        let before = try await process(directory.path()) { machine, _ in
            machine.policy = PairingPlay.justWorks.policy
            _ = machine.store(bond)
        }
        let after = try await process(directory.path())
        try attack(110, "CVE-2021-3658", by: [.central]) { scene in
            let bench = scene.bench
            try require(before.policy.acceptsPairing == .open && before.bonds == [bond], "nothing was open: \(before)")
            try require(after.bonds == [bond], "the other process has \(after.bonds)")
            try require(after.policy.acceptsPairing == .closed, "the window is open")
            // With the second process's state.
            let next = try Bench()
            next.host.provide(bonds: after.bonds)
            next.host.policy = after.policy
            next.run(for: .seconds(30))
            try require(try next.listen().isEmpty, "our host advertises")
            try next.peer.initiate(to: Bench.hostAddress)
            next.run(for: .seconds(10))
            try require(next.peer.handles.isEmpty, "our host takes connections")
            try next.peer.order(.leCreateConnectionCancel)
            // Our host advertises again, and still no peer pairs, bonded or not.
            try next.advertise("02 01 06")
            for address in [RawPeer.publicAddress, AttackBench.absent] {
                if address != RawPeer.publicAddress { next.peer = next.addPeer(address) }
                try next.accept()
                try next.send(security: "01 03 00 09 10 02 02")
                try next.expects(security: "05 05")
                try next.peer.disconnect()
                next.run(for: .seconds(1))
            }
            try require(next.host.bond(for: RawPeer.publicAddress) == bond, "the bond has changed")
            try next.finish()
            // A window with a closing time does not stay open longer after a restart of the controller.
            try scene.forgetsAttacker()
            bench.host.policy.acceptsPairing = .openUntil(bench.now + .seconds(30))
            bench.host.fail("to start again")
            try scene.recover()
            bench.run(for: .seconds(30))
            try scene.advertisesAgain()
            scene.remember()
            try scene.enter()
            try bench.send(security: "01 03 00 09 10 02 02")
            try bench.expects(security: "05 05")
        }
    }
}

extension AttackBench {
    /// After a restart nothing is on the air until a client asks again.
    fileprivate func advertisesAgain() throws {
        bench.peer = attacker
        attacker.forget()
        try bench.advertise("02 01 06")
    }
}
