// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import HCI

/// The peripherals of one manager. Those that are only seen are kept alive here, up to a bound, so that a busy room does
/// not make an object for each advertisement; those that are connected to live as long as the application holds them.
struct PeripheralTable {
    /// Peripherals that are kept alive though nobody connects to them.
    static let capacity = 512

    /// A class, so that finding it copies nothing.
    final class Entry {
        fileprivate weak var weakPeripheral: CBPeripheral?
        fileprivate var keepAlive: CBPeripheral?
        fileprivate var advertisement = AdvertisementDictionary()

        fileprivate init(_ peripheral: CBPeripheral) { keepAlive = peripheral }

        fileprivate var peripheral: CBPeripheral? { keepAlive ?? weakPeripheral }

        /// A weak reference slows every count of an object down, so there is none before it is needed.
        fileprivate func release() {
            guard let keepAlive else { return }
            weakPeripheral = keepAlive
            self.keepAlive = nil
        }
    }

    private var entries: [DeviceAddress: Entry] = [:]

    mutating func peripheral(at address: DeviceAddress, make: () -> CBPeripheral) -> CBPeripheral {
        entry(at: address, make: make).peripheral
    }

    /// Takes an advertisement, and gives the data as delegates get it.
    mutating func update(
        _ address: DeviceAddress, _ octets: ArraySlice<UInt8>, isConnectable: Bool, facts: AdvertisingFacts,
        timestamp: CFAbsoluteTime, make: () -> CBPeripheral
    ) -> (peripheral: CBPeripheral, values: [String: Any], newName: String?) {
        let (entry, peripheral) = entry(at: address, make: make)
        let isNewName = entry.advertisement.update(
            octets, isConnectable: isConnectable, facts: facts, timestamp: timestamp)
        return (peripheral, entry.advertisement.values, isNewName ? entry.advertisement.localName : nil)
    }

    private mutating func entry(
        at address: DeviceAddress, make: () -> CBPeripheral
    ) -> (entry: Entry, peripheral: CBPeripheral) {
        if let entry = entries[address], let peripheral = entry.peripheral { return (entry, peripheral) }
        if entries.count >= Self.capacity { prune() }
        let peripheral = make()
        let entry = Entry(peripheral)
        entries[address] = entry
        return (entry, peripheral)
    }

    /// The peripheral at `address`, where there is one.
    func existing(_ address: DeviceAddress) -> CBPeripheral? { entries[address]?.peripheral }

    /// The device that was known by `old` is the one with this identity.
    mutating func move(_ old: DeviceAddress, to identity: DeviceAddress) {
        guard let entry = entries.removeValue(forKey: old), let peripheral = entry.peripheral else { return }
        peripheral.move(to: identity)
        entries[identity] = entry
    }

    /// Those that are connected, or are to be.
    var wanted: [CBPeripheral] {
        entries.values.compactMap(\.peripheral).filter { $0.state == .connecting || $0.state == .connected }
    }

    /// From now on the application alone keeps the peripheral alive.
    mutating func release(_ peripheral: CBPeripheral) {
        if entries[peripheral.peerAddress] == nil { entries[peripheral.peerAddress] = Entry(peripheral) }
        entries[peripheral.peerAddress]?.release()
    }

    /// Forgets what nobody else holds.
    private mutating func prune() {
        for (address, entry) in entries {
            entry.release()
            if entry.weakPeripheral == nil { entries.removeValue(forKey: address) }
        }
    }
}
