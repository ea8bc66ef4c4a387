// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Logging

/// Additive: the times at which a ``CBController`` uses private addresses. A private address changes every 15 minutes.
/// Only bonded devices recognise the controller, by the key from the pairing.
public enum CBPrivacy: Sendable {
    /// The address of the controller, always.
    case off
    /// While the controller advertises and has a bond with a device that uses private addresses itself, as phones do. A
    /// bonded device finds the controller again; other devices see a new address every 15 minutes. Scans and
    /// connections use the controller's own address, so that sensors with a list of permitted addresses still accept
    /// the controller. After the last such bond, the present private address stays until its 15 minutes are over: a
    /// device that has just found the controller can connect. A controller without a public address has one address for all these purposes, and makes that
    /// address private, too.
    case whenAdvertising
    /// Always, also for scans and connections. Sensors with a list of permitted addresses reject the controller.
    case always

    var setting: BluetoothHost.Privacy {
        switch self {
        case .off: .off
        case .whenAdvertising: .whenAdvertising
        case .always: .always
        }
    }
}

extension CBController {
    /// Additive: gives the controller a new identity, like a factory reset: known devices see a new device. With the
    /// old identity, an iPhone says "Peer removed pairing information" until its user makes the iPhone forget the
    /// controller.
    ///
    /// From now on, and in later runs with the same state directory, the controller advertises and connects under a new
    /// static random address, whatever address the controller has. All bonds are gone, also bonds with sensors, and
    /// connections end. Managers are `resetting` for a moment; services have to be added again.
    ///
    /// Returns when the change is on disk. The result names, in sentences, the files that could not be removed.
    @discardableResult
    nonisolated(nonsending) public func changeIdentityAddress() async -> [String] {
        guard !isEnded else { return [] }
        return await withCheckedContinuation { continuation in
            host.perform { $0.changeIdentity { continuation.resume(returning: $0) } }
        }
    }

    /// Forgets the peers in the state directory of a controller that no process uses. The identity stays the present
    /// one: devices that know an earlier identity must not recognise the controller.
    package static func forgetKnownPeers(stateDirectory: String, logger: Logger) {
        PeerDirectory(directory: stateDirectory, logger: logger).forgetPeers()
    }
}
