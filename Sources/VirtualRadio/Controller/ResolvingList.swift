// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import SMP

/// Whose private addresses a controller resolves, and for whom it makes some. Core 5.4, Vol 6, Part B, 4.7 and 6.
struct ResolvingList {
    struct Entry {
        let identity: DeviceAddress
        /// Zeros: the peer has no private addresses; we have none for it.
        let peerKey: SecretKey
        let localKey: SecretKey
        var mode = LESetPrivacyMode.Mode.network
        /// What was made for each side last.
        var local: Made?
        var peer: Made?
        /// What the peer was heard under last.
        var heard: DeviceAddress?

        init(identity: DeviceAddress, peerKey: SecretKey, localKey: SecretKey) {
            self.identity = identity
            self.peerKey = peerKey
            self.localKey = localKey
        }

        var resolvesPeer: Bool { peerKey != .zero }
        var makesLocal: Bool { localKey != .zero }
    }

    /// A private address of the controller's making.
    struct Made {
        let address: DeviceAddress
        let at: MonotonicTime
    }

    var entries: [Entry] = []
    var isEnabled = false
    /// Core 5.4, Vol 4, Part E, 7.8.45.
    var timeout: Duration = .seconds(900)

    func index(of identity: DeviceAddress) -> Int? { entries.firstIndex { $0.identity == identity } }

    /// Whose key has made a private address.
    func index(behind address: DeviceAddress) -> Int? {
        guard isEnabled, address.isResolvablePrivate else { return nil }
        return entries.firstIndex { $0.resolvesPeer && address.isResolved(by: $0.peerKey) }
    }
}

/// A device on the air, as the controller knows it.
struct SeenDevice: Equatable {
    /// What it sends.
    let address: DeviceAddress
    /// Its identity, where the resolving list has found one behind ``address``; else nil.
    let identity: DeviceAddress?

    /// What it is called towards the host, in filters and in comparisons.
    var name: DeviceAddress { identity ?? address }

    func isMeant(by wanted: DeviceAddress) -> Bool { wanted == address || wanted == identity }
}

extension [UInt8] {
    /// The type and the six octets of an address; types 2 and 3 tell identities that were resolved.
    mutating func append(_ device: SeenDevice) {
        append(device.name.kind.rawValue | (device.identity == nil ? 0 : 2))
        append(u48: device.name.value)
    }
}
