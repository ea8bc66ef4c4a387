// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// What decides, beside the wishes of clients, what is advertised: the controller, its links, and our address.
struct AdvertisingConditions: Sendable {
    let hciVersion: UInt8
    /// What the controller says that it can do at once.
    let states: LEStates
    /// There are links on which we are the Central, or the Peripheral.
    let isCentral: Bool
    let isPeripheral: Bool
    /// It has never refused to be connectable beside so many links.
    let isConnectableBesideLinks: Bool
    /// What is to be on the air.
    let address: DeviceAddress

    var hasLinks: Bool { isCentral || isPeripheral }

    /// `kind`, or what the controller can do of it beside the links that there are; nil: nothing.
    func possible(_ kind: AdvertisingKind) -> AdvertisingKind? {
        guard kind.isConnectable, hasLinks else { return kind }
        if isConnectableBesideLinks, goesWithLinks(kind) { return kind }
        // A directed advertisement that cannot be answered is of no use to anybody.
        guard kind == .connectable else { return nil }
        return [.scannable, .nonConnectable].first(where: goesWithLinks)
    }

    private func goesWithLinks(_ kind: AdvertisingKind) -> Bool {
        var needed: LEStates = []
        if isCentral { needed.insert(.advertising(kind, and: .central)) }
        if isPeripheral { needed.insert(.advertising(kind, and: .peripheral)) }
        return states.isSuperset(of: needed)
    }

    /// Before Bluetooth 5: at least 100 ms when nobody can connect. Core 4.2, Vol 2, Part E, 7.8.5.
    func allowed(_ intervals: AdvertisingIntervals, for kind: AdvertisingKind) -> AdvertisingIntervals {
        kind.isConnectable || hciVersion >= 9 ? intervals : intervals.atLeast(0xA0)
    }
}
