// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation

/// An event of a connection from any manager of the process.
public enum CBConnectionEvent: Int, Sendable {
    /// The last manager gave the connection up, or the link was lost.
    case peerDisconnected = 0
    /// A manager connected to the peripheral.
    case peerConnected = 1
}

/// Selects the connections to report; several options are alternatives.
public struct CBConnectionEventMatchingOption: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// `[CBUUID]`: peripherals with one of these services, by an earlier discovery.
    public static let serviceUUIDs = Self(rawValue: "kCBConnectionEventMatchingOptionServiceUUIDs")
    /// `[UUID]`: these peripherals.
    public static let peripheralUUIDs = Self(rawValue: "kCBConnectionEventMatchingOptionPeripheralUUIDs")
}

struct ConnectionEventFilter: Sendable {
    private let services: Set<BluetoothUUID>
    private let peripherals: Set<UUID>

    /// Nil if the options name no service and no peripheral.
    init?(_ options: [CBConnectionEventMatchingOption: Any]?) {
        services = Set((options?[.serviceUUIDs] as? [CBUUID] ?? []).map(\.value))
        peripherals = Set(options?[.peripheralUUIDs] as? [UUID] ?? [])
        if services.isEmpty, peripherals.isEmpty { return nil }
    }

    func matches(_ identifier: UUID, _ services: Set<BluetoothUUID>) -> Bool {
        peripherals.contains(identifier) || !self.services.isDisjoint(with: services)
    }
}
