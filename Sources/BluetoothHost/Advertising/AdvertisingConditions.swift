// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// Conditions of advertising beside the wishes of clients: the controller, its links, and our address.
struct AdvertisingConditions: Sendable {
    let hciVersion: UInt8
    /// Combinations of states that the controller claims to support at once.
    let states: LEStates
    /// There are links on which we are the Central, or the Peripheral.
    let isCentral: Bool
    let isPeripheral: Bool
    /// The controller has never refused to be connectable beside this number of links.
    let isConnectableBesideLinks: Bool
    /// The address to advertise with.
    let address: DeviceAddress

    var hasLinks: Bool { isCentral || isPeripheral }

    /// `kind`, or the nearest kind that the controller supports beside the present links; nil: none. Not connectable unless `isOpen`.
    func possible(_ kind: AdvertisingKind, isOpen: Bool = true) -> AdvertisingKind? {
        guard kind.isConnectable, hasLinks || !isOpen else { return kind }
        if isOpen, isConnectableBesideLinks, goesWithLinks(kind) { return kind }
        // A directed advertisement without a chance of an answer is useless.
        guard kind == .connectable else { return nil }
        return [.scannable, .nonConnectable].first(where: goesWithLinks)
    }

    private func goesWithLinks(_ kind: AdvertisingKind) -> Bool {
        var needed: LEStates = []
        if isCentral { needed.insert(.advertising(kind, and: .central)) }
        if isPeripheral { needed.insert(.advertising(kind, and: .peripheral)) }
        return states.isSuperset(of: needed)
    }

    /// Before Bluetooth 5, the interval of non-connectable advertisements is at least 100 ms. Core 4.2, Vol 2, Part E,
    /// 7.8.5.
    func allowed(_ intervals: AdvertisingIntervals, for kind: AdvertisingKind) -> AdvertisingIntervals {
        kind.isConnectable || hciVersion >= 9 ? intervals : intervals.atLeast(0xA0)
    }
}
