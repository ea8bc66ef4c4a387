// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Foundation
import Synchronization

extension CBController {
    /// Additive: the devices that may pair, and how; ``CBPairingPolicy/onDemand`` until set. Setting a policy looks up
    /// its identifiers.
    public var pairingPolicy: CBPairingPolicy {
        get { pairings.policy }
        set { pairings.setPolicy(newValue) }
    }

    /// Additive: the agent for questions to people, held weakly, and the queue of its calls, by default the main queue.
    /// With nil, pairings that need a person fail.
    public func setPairingAgent(_ agent: (any CBPairingAgent)?, queue: DispatchQueue? = nil) {
        pairings.setAgent(agent, of: self, queue: queue ?? .main)
    }

    /// Additive: the policy of links on which we are the Peripheral: for devices that connect to us, as phones do. With
    /// nil, the default, ``pairingPolicy`` holds for these links, too.
    ///
    /// With a policy, ``pairingPolicy`` has no effect on such links, and its agent never hears of them. The part of a
    /// program that collects from sensors and the part that accepts phones each set a policy, and neither changes the
    /// other's rules.
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

    /// Additive: the agent of pairings on links on which we are the Peripheral, held weakly. With nil, the default, the
    /// agent of ``setPairingAgent(_:queue:)`` is asked, or no agent if there is a ``peripheralPairingPolicy``.
    public func setPeripheralPairingAgent(_ agent: (any CBPairingAgent)?, queue: DispatchQueue? = nil) {
        pairings.setAgent(agent, for: .peripheral, of: self, queue: queue ?? .main)
    }

    /// Calls `watch` with the number of devices that have connected to us, at each change. The calls are on the radio's
    /// thread, so `watch` must not wait. The caller can note the risk of a policy before any of the devices may begin
    /// to pair.
    package func watchConnectedCentrals(_ watch: @escaping @Sendable (Int) -> Void) { pairings.watchCentrals(watch) }

    /// Additive: the paired devices, by address. A bond is valid only with the controller that made it. The list is
    /// empty until the controller is powered on.
    public var bonds: [CBBond] {
        host.bonds.records.map { CBBond($0, identifier: host.directory.identifier(for: $0.bond.identity)) }
    }

    /// The bond with a device, by any of its identifiers: the present one, or one from before its identity was known.
    package func bond(withIdentifier identifier: UUID) -> CBBond? {
        guard let address = host.directory.address(for: identifier),
            let record = host.bonds.records.first(where: { $0.bond.identity == address })
        else { return nil }
        return CBBond(record, identifier: host.directory.identifier(for: address))
    }

    /// Additive: what is not in order with the bonds on disk, in sentences.
    public var bondProblems: [String] { host.bonds.troubles }

    /// Additive: forgets the keys of a device, and ends its connection for all managers. The device gets no message:
    /// before a new pairing, it has to forget its keys, too.
    public func removeBond(for peer: CBPeer) { removeBond(peer.peerAddress) }

    /// Additive: forgets the keys by identifier; false if the identifier is unknown.
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

    /// The peripheral is about to give a key: none of its values on this connection reaches a
    /// capture or the flight recorder.
    package func hideValues(of peripheral: CBPeripheral) {
        guard let link = peripheral.changing.withLock({ $0.link }) else { return }
        host.perform { $0.hideValues(on: link) }
    }

    /// Additive: pairs with a connected peripheral, and returns when the connection is encrypted with the new key and
    /// the bond is made.
    ///
    /// ```swift
    /// let bond = try await controller.pair(peripheral, options: CBPairingOptions(passkey: CBPasskey("019655")))
    /// ```
    ///
    /// If a pairing with the peripheral is under way already, for example at the peripheral's request, the call waits
    /// for its end. The call returns the new bond if the bond satisfies the options, and begins a pairing otherwise.
    ///
    /// The agent is asked as the pairing goes on. Throws a ``CBPairingError``; ``CBError/Code/connectionTimeout`` after
    /// `timeout`, and ``CBError/Code/operationCancelled`` when the task is cancelled, which both end the pairing.
    /// Without a timeout, each step may take 30 s.
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
