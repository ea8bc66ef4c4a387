// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import HCI

/// The peripherals of one manager. The table keeps a bounded number of heard peripherals alive, so that a busy room
/// does not cost an object for each advertisement. Peripherals with a connection, or a pending connection, live as long
/// as the application refers to them.
struct PeripheralTable {
    /// The most peripherals that the table keeps alive without a connection; the host remembers as many addresses.
    static let capacity = 10_240
    /// The most peripherals with advertisement data of their own; all others share one dictionary.
    static let ownAdvertisements = 512

    private static let firstHeldLimit = 512

    /// A class, so that a lookup copies nothing.
    final class Entry {
        fileprivate weak var weakPeripheral: CBPeripheral?
        fileprivate var keepAlive: CBPeripheral?
        /// Nil if the peripheral uses the shared dictionary.
        fileprivate var advertisement: AdvertisementDictionary?

        fileprivate init(_ peripheral: CBPeripheral, hasAdvertisement: Bool = true) {
            keepAlive = peripheral
            advertisement = hasAdvertisement ? AdvertisementDictionary() : nil
        }

        fileprivate var peripheral: CBPeripheral? { keepAlive ?? weakPeripheral }

        /// True if only the table refers to the peripheral: the table can drop the peripheral without a trace.
        fileprivate var isOursAlone: Bool { isKnownUniquelyReferenced(&keepAlive) }

        /// A weak reference slows every count of an object down, so there is none before it is needed.
        fileprivate func release() {
            guard let keepAlive else { return }
            weakPeripheral = keepAlive
            self.keepAlive = nil
        }
    }

    /// The peripherals that the table keeps alive.
    private var heard = RecencyTable<DeviceAddress, Entry>()
    /// The peripherals that live as long as the application refers to them.
    private var held: [DeviceAddress: Entry] = [:]
    /// The number of peripherals in ``heard`` with data of their own.
    private var advertisements = 0
    /// The dictionary of all other peripherals. Values that two peripherals have in common stay in place, which costs
    /// less than a dictionary for each peripheral.
    private var shared = AdvertisementDictionary()
    /// The size of ``held`` at which the table removes the released peripherals.
    private var heldLimit = Self.firstHeldLimit

    mutating func peripheral(at address: DeviceAddress, make: () -> CBPeripheral) -> CBPeripheral {
        entry(at: address, make: make).peripheral
    }

    /// Takes an advertisement; returns the data in the form for delegates.
    mutating func update(
        _ address: DeviceAddress, _ octets: RawSpan, responseAt: Int = .max, isConnectable: Bool,
        facts: AdvertisingFacts, timestamp: CFAbsoluteTime, make: () -> CBPeripheral
    ) -> (peripheral: CBPeripheral, values: [String: Any], newName: String?) {
        let (entry, peripheral) = entry(at: address, make: make)
        // One access to the entry for each advertisement.
        let own = entry.advertisement?.update(
            octets, responseAt: responseAt, isConnectable: isConnectable, facts: facts, timestamp: timestamp)
        if let (values, newName) = own { return (peripheral, values, newName) }
        let (values, _) = shared.update(
            octets, responseAt: responseAt, isConnectable: isConnectable, facts: facts, timestamp: timestamp)
        return (peripheral, values, shared.presentName)
    }

    private mutating func entry(
        at address: DeviceAddress, make: () -> CBPeripheral
    ) -> (entry: Entry, peripheral: CBPeripheral) {
        if let entry = heard.use(address) ?? held[address], let peripheral = entry.peripheral {
            return (entry, peripheral)
        }
        if heard.count >= Self.capacity, let oldest = heard.oldest {
            removeHeard(oldest.key)
            if !oldest.value.isOursAlone { hold(oldest.value, at: oldest.key) }
        }
        let peripheral = make()
        let hasAdvertisement = advertisements < Self.ownAdvertisements
        let entry = Entry(peripheral, hasAdvertisement: hasAdvertisement)
        held.removeValue(forKey: address)
        insertHeard(entry, address)
        return (entry, peripheral)
    }

    private mutating func insertHeard(_ entry: Entry, _ address: DeviceAddress) {
        removeHeard(address)
        heard.insert(entry, for: address)
        if entry.advertisement != nil { advertisements += 1 }
    }

    @discardableResult
    private mutating func removeHeard(_ address: DeviceAddress) -> Entry? {
        guard let entry = heard.removeValue(for: address) else { return nil }
        if entry.advertisement != nil { advertisements -= 1 }
        return entry
    }

    /// The peripheral at `address`; nil if unknown.
    func existing(_ address: DeviceAddress) -> CBPeripheral? { (held[address] ?? heard[address])?.peripheral }

    /// Gives the device with the address `old` its identity address.
    mutating func move(_ old: DeviceAddress, to identity: DeviceAddress) {
        if let entry = removeHeard(old), let peripheral = entry.peripheral {
            peripheral.move(to: identity)
            held.removeValue(forKey: identity)
            insertHeard(entry, identity)
        } else if let entry = held.removeValue(forKey: old), let peripheral = entry.peripheral {
            peripheral.move(to: identity)
            removeHeard(identity)
            held[identity] = entry
        }
    }

    /// The peripherals with a connection or a pending connection.
    var wanted: [CBPeripheral] {
        (Array(held.values) + heard.values).compactMap(\.peripheral).filter {
            $0.state == .connecting || $0.state == .connected
        }
    }

    /// From now on the application alone keeps the peripheral alive.
    mutating func release(_ peripheral: CBPeripheral) {
        let address = peripheral.peerAddress
        hold(removeHeard(address) ?? held[address] ?? Entry(peripheral), at: address)
    }

    private mutating func hold(_ entry: Entry, at address: DeviceAddress) {
        if held.count >= heldLimit {
            held = held.filter { $0.value.peripheral != nil }
            // The limit doubles, so that the cost of a search for each peripheral stays the same.
            heldLimit = max(Self.firstHeldLimit, 2 * held.count)
        }
        entry.release()
        held[address] = entry
    }
}
