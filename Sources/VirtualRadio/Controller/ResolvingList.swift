// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import SMP

/// The peers whose private addresses a controller resolves, and for which it makes private addresses. Core 5.4, Vol 6,
/// Part B, 4.7 and 6.
struct ResolvingList {
    struct Entry {
        let identity: DeviceAddress
        /// Zeros in the peer's key: the peer has no private addresses; zeros in ours: we have none for the peer.
        let peerKey: SecretKey
        let localKey: SecretKey
        var mode = LESetPrivacyMode.Mode.network
        /// The last private address of each side.
        var local: Made?
        var peer: Made?
        /// The last address that the peer was heard under.
        var heard: DeviceAddress?

        init(identity: DeviceAddress, peerKey: SecretKey, localKey: SecretKey) {
            self.identity = identity
            self.peerKey = peerKey
            self.localKey = localKey
        }

        var resolvesPeer: Bool { peerKey != .zero }
        var makesLocal: Bool { localKey != .zero }
    }

    /// A private address that the controller made.
    struct Made {
        let address: DeviceAddress
        let at: MonotonicTime
    }

    var entries: [Entry] = []
    var isEnabled = false
    /// Core 5.4, Vol 4, Part E, 7.8.45.
    var timeout: Duration = .seconds(900)

    func index(of identity: DeviceAddress) -> Int? { entries.firstIndex { $0.identity == identity } }

    /// The entry whose key made a private address.
    func index(behind address: DeviceAddress) -> Int? {
        guard isEnabled, address.isResolvablePrivate else { return nil }
        return entries.firstIndex { $0.resolvesPeer && address.isResolved(by: $0.peerKey) }
    }
}

/// A device on the air, as the controller knows it.
struct SeenDevice: Equatable {
    /// The address in the device's PDUs.
    let address: DeviceAddress
    /// The identity that the resolving list has found behind ``address``; else nil.
    let identity: DeviceAddress?

    /// The address that stands for the device in reports to the host, in filters and in comparisons.
    var name: DeviceAddress { identity ?? address }

    func isMeant(by wanted: DeviceAddress) -> Bool { wanted == address || wanted == identity }
}

extension [UInt8] {
    /// The type and the six octets of an address; types 2 and 3 mark resolved identities.
    mutating func append(_ device: SeenDevice) {
        append(device.name.kind.rawValue | (device.identity == nil ? 0 : 2))
        append(u48: device.name.value)
    }
}
