// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Foundation
import Synchronization

extension CBController {
    /// Additive: whom this controller pairs with, and how; ``CBPairingPolicy/onDemand`` until it is set. What identifiers it
    /// names are looked up when it is set.
    public var pairingPolicy: CBPairingPolicy {
        get { pairings.policy }
        set { pairings.setPolicy(newValue) }
    }

    /// Additive: who does what pairings want people to do, and the queue to call them on, the main queue unless told
    /// otherwise; not held. Nil: nobody is there, and what needs somebody fails.
    public func setPairingAgent(_ agent: (any CBPairingAgent)?, queue: DispatchQueue? = nil) {
        pairings.setAgent(agent, of: self, queue: queue ?? .main)
    }

    /// Additive: the policy of links on which we are the Peripheral: for devices that connect to us, as phones do. Nil, as it
    /// is until set: ``pairingPolicy`` holds for them as well.
    ///
    /// With it, nothing of ``pairingPolicy`` counts on such links, and its agent never hears of them. So the part of a program
    /// that collects from sensors and the part that lets phones in set one each, and neither opens the other's door.
    ///
    /// ```swift
    /// var policy = CBPairingPolicy()
    /// policy.incoming = .openFor(.seconds(600))
    /// policy.capability = .display
    /// policy.requiresAuthentication = true
    /// policy.replacement = .unlessWeaker
    /// controller.setPeripheralPairingAgent(screen)
    /// controller.peripheralPairingPolicy = policy
    /// ```
    public var peripheralPairingPolicy: CBPairingPolicy? {
        get { pairings.peripheralPolicy }
        set { pairings.setPeripheralPolicy(newValue) }
    }

    /// Additive: the agent of pairings on links on which we are the Peripheral. Nil, as it is until set: that of
    /// ``setPairingAgent(_:queue:)``, or nobody where there is a ``peripheralPairingPolicy``. Not held.
    public func setPeripheralPairingAgent(_ agent: (any CBPairingAgent)?, queue: DispatchQueue? = nil) {
        pairings.setAgent(agent, for: .peripheral, of: self, queue: queue ?? .main)
    }

    /// Has `watch` told how many devices have connected to us, whenever that changes, on the radio's thread, so it must not
    /// wait for anything. What a policy risks can so be noted before any of them may begin to pair.
    package func watchConnectedCentrals(_ watch: @escaping @Sendable (Int) -> Void) { pairings.watchCentrals(watch) }

    /// Additive: the devices that are paired, by address. A bond counts with the controller that it was made with, and
    /// with no other; there are none before that is powered on.
    public var bonds: [CBBond] {
        host.bonds.records.map { CBBond($0, identifier: host.directory.identifier(for: $0.bond.identity)) }
    }

    /// The bond with a device, by any identifier that it has, or had before it was known who it is.
    package func bond(withIdentifier identifier: UUID) -> CBBond? {
        guard let address = host.directory.address(for: identifier),
            let record = host.bonds.records.first(where: { $0.bond.identity == address })
        else { return nil }
        return CBBond(record, identifier: host.directory.identifier(for: address))
    }

    /// Additive: what is not in order with the bonds on disk, in sentences.
    public var bondProblems: [String] { host.bonds.troubles }

    /// Additive: forgets the keys that were agreed with a device, and ends its connection, whoever holds it. The device
    /// does not know: it has to forget them, too, before it can be paired again.
    public func removeBond(for peer: CBPeer) { removeBond(peer.peerAddress) }

    /// Additive: the same by identifier; false where nobody knows it.
    @discardableResult
    public func removeBond(withIdentifier identifier: UUID) -> Bool {
        guard let address = host.directory.address(for: identifier) else { return false }
        removeBond(address)
        return true
    }

    /// Forgets a bond as ``removeBond(withIdentifier:)`` does, and says when that is on disk: nil, or what went wrong.
    /// `done` is called on any thread, and not at all when the controller is shut down meanwhile.
    package func removeBond(withIdentifier identifier: UUID, _ done: @escaping @Sendable (_ trouble: String?) -> Void) {
        guard let address = host.directory.address(for: identifier) else { return done(nil) }
        host.perform { host in
            host.removeBond(with: address)
            host.bonds.confirmRemoval(of: address, done)
        }
    }

    private func removeBond(_ address: DeviceAddress) { host.perform { $0.removeBond(with: address) } }

    /// Additive: pairs with a connected peripheral, and returns when the connection is encrypted with the new key and the
    /// bond is made.
    ///
    /// ```swift
    /// let bond = try await controller.pair(peripheral, options: CBPairingOptions(passkey: CBPasskey("019655")))
    /// ```
    ///
    /// Where a pairing with the peripheral is under way already, as when that has asked for it first, this one waits for
    /// its end: it returns the bond if that is as good as the options want, and begins after it otherwise.
    ///
    /// The agent is asked as the pairing goes on. Throws a ``CBPairingError``; ``CBError/Code/connectionTimeout`` after
    /// `timeout`, and ``CBError/Code/operationCancelled`` when the task is cancelled, which both end the pairing. Without
    /// a timeout there are the 30 s that each step may take.
    nonisolated(nonsending) public func pair(
        _ peripheral: CBPeripheral, options: CBPairingOptions = CBPairingOptions(), timeout: Duration? = nil
    ) async throws -> CBBond {
        try await pairings.pair(peripheral.changing.withLock { $0.link }, options, timeout: timeout)
    }

    /// Additive: asks a connected central to pair. It may take its time, or not care: then `timeout` ends the waiting.
    nonisolated(nonsending) public func pair(
        _ central: CBCentral, options: CBPairingOptions = CBPairingOptions(), timeout: Duration? = .seconds(60)
    ) async throws -> CBBond {
        try await pairings.pair(central.changing.withLock { $0.link }, options, timeout: timeout)
    }
}
