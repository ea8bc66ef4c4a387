// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Logging

/// Additive: when a ``CBController`` hides who it is. A private address changes every 15 minutes; who has bonded with us
/// recognises it by the key that was exchanged, and nobody else does.
public enum CBPrivacy: Sendable {
    /// The address of the controller, always.
    case off
    /// While something is advertised and there is a bond with a device that uses private addresses itself, as phones do.
    /// Such a device finds us again; one that never bonded sees a new address every 15 minutes. Scanning and connecting
    /// have the controller's own address, so that sensors with a list of whom they let in still know us; a controller
    /// without a public address has one for all of that, which then is private as well.
    case whenAdvertising
    /// Scanning and connecting as well. Sensors that only let in an address that they know do not know us any more.
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
    /// Additive: gives the controller a new identity, as a factory reset does: devices that knew it see one that they have
    /// never met. An iPhone would otherwise say "Peer removed pairing information" until somebody makes it forget.
    ///
    /// From now on, and in later runs with the same state directory, it advertises and connects under a new static random
    /// address, whatever address the controller has. All bonds are gone, those with sensors as well, and connections end.
    /// Managers are `resetting` for a moment; services have to be added again.
    ///
    /// Returns when that is on disk: what could not be removed from there, in sentences.
    @discardableResult
    nonisolated(nonsending) public func changeIdentityAddress() async -> [String] {
        guard !isEnded else { return [] }
        return await withCheckedContinuation { continuation in
            host.perform { $0.changeIdentity { continuation.resume(returning: $0) } }
        }
    }

    /// Forgets the peers that a controller with this state directory has known, while none uses it. What identity it has
    /// stays: devices that knew an earlier one are not to recognise it.
    package static func forgetKnownPeers(stateDirectory: String, logger: Logger) {
        PeerDirectory(directory: stateDirectory, logger: logger).forgetPeers()
    }
}
