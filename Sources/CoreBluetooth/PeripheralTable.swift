// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation

/// The peripherals of one manager. Those that are only seen are kept alive here, up to a bound, so that a busy room does
/// not make an object for each advertisement; those that are connected to live as long as the application holds them.
struct PeripheralTable {
    /// Peripherals that are kept alive though nobody connects to them.
    static let capacity = 512

    private struct Entry {
        weak var peripheral: CBPeripheral?
        var keepAlive: CBPeripheral?
        var advertisement = AdvertisementDictionary()
    }

    private var entries: [DeviceAddress: Entry] = [:]

    mutating func peripheral(at address: DeviceAddress, make: () -> CBPeripheral) -> CBPeripheral {
        if let entry = entries[address], let peripheral = entry.keepAlive ?? entry.peripheral { return peripheral }
        if entries.count >= Self.capacity { prune() }
        let peripheral = make()
        entries[address] = Entry(peripheral: peripheral, keepAlive: peripheral)
        return peripheral
    }

    /// The peripheral at `address`, where there is one.
    func existing(_ address: DeviceAddress) -> CBPeripheral? {
        entries[address].flatMap { $0.keepAlive ?? $0.peripheral }
    }

    /// From now on the application alone keeps the peripheral alive.
    mutating func release(_ peripheral: CBPeripheral) {
        entries[peripheral.peerAddress, default: Entry(peripheral: peripheral)].keepAlive = nil
    }

    /// Takes an advertisement, and gives the data as delegates get it.
    mutating func update(
        _ address: DeviceAddress, _ octets: ArraySlice<UInt8>, isConnectable: Bool
    ) -> (values: [String: Any], localName: String?) {
        Self.update(&entries[address, default: Entry()].advertisement, octets, isConnectable)
    }

    private static func update(
        _ advertisement: inout AdvertisementDictionary, _ octets: ArraySlice<UInt8>, _ isConnectable: Bool
    ) -> (values: [String: Any], localName: String?) {
        advertisement.update(octets, isConnectable: isConnectable)
        return (advertisement.values, advertisement.localName)
    }

    /// Forgets what nobody else holds.
    private mutating func prune() {
        for address in Array(entries.keys) {
            entries[address]?.keepAlive = nil
            if entries[address]?.peripheral == nil { entries.removeValue(forKey: address) }
        }
    }
}
