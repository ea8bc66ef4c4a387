// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation

/// What happened to a connection that anybody in the process holds.
public enum CBConnectionEvent: Int, Sendable {
    /// The last one let go of it, or it was lost.
    case peerDisconnected = 0
    /// Somebody connected to it.
    case peerConnected = 1
}

/// Which connections to tell of; several options are alternatives.
public struct CBConnectionEventMatchingOption: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// `[CBUUID]`: peripherals on which one of these services was found before.
    public static let serviceUUIDs = Self(rawValue: "kCBConnectionEventMatchingOptionServiceUUIDs")
    /// `[UUID]`: these peripherals.
    public static let peripheralUUIDs = Self(rawValue: "kCBConnectionEventMatchingOptionPeripheralUUIDs")
}

struct ConnectionEventFilter: Sendable {
    private let services: Set<BluetoothUUID>
    private let peripherals: Set<UUID>

    /// Nil where there is nothing to match.
    init?(_ options: [CBConnectionEventMatchingOption: Any]?) {
        services = Set((options?[.serviceUUIDs] as? [CBUUID] ?? []).map(\.value))
        peripherals = Set(options?[.peripheralUUIDs] as? [UUID] ?? [])
        if services.isEmpty, peripherals.isEmpty { return nil }
    }

    func matches(_ identifier: UUID, _ services: Set<BluetoothUUID>) -> Bool {
        peripherals.contains(identifier) || !self.services.isDisjoint(with: services)
    }
}
