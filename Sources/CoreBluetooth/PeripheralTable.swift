// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import HCI

/// The peripherals of one manager. Those that are only seen are kept alive here, up to a bound, so that a busy room does
/// not make an object for each advertisement; those that are connected to live as long as the application holds them.
struct PeripheralTable {
    /// Peripherals that are kept alive though nobody connects to them; as many as the host remembers addresses of.
    static let capacity = 10_240
    /// Of these, so many have their advertisement data kept: the others' take turns in one place.
    static let ownAdvertisements = 512

    private static let firstHeldLimit = 512

    /// A class, so that finding it copies nothing.
    final class Entry {
        fileprivate weak var weakPeripheral: CBPeripheral?
        fileprivate var keepAlive: CBPeripheral?
        /// Nil where it takes turns.
        fileprivate var advertisement: AdvertisementDictionary?

        fileprivate init(_ peripheral: CBPeripheral, hasAdvertisement: Bool = true) {
            keepAlive = peripheral
            advertisement = hasAdvertisement ? AdvertisementDictionary() : nil
        }

        fileprivate var peripheral: CBPeripheral? { keepAlive ?? weakPeripheral }

        /// Nobody but the table has the peripheral: it can go without a trace.
        fileprivate var isOursAlone: Bool { isKnownUniquelyReferenced(&keepAlive) }

        /// A weak reference slows every count of an object down, so there is none before it is needed.
        fileprivate func release() {
            guard let keepAlive else { return }
            weakPeripheral = keepAlive
            self.keepAlive = nil
        }
    }

    /// Those that are kept alive.
    private var heard = RecencyTable<DeviceAddress, Entry>()
    /// Those that live as long as somebody else holds them.
    private var held: [DeviceAddress: Entry] = [:]
    /// Those in ``heard`` that have their own data.
    private var advertisements = 0
    /// For all others. What they have in common stays from one to the next, which costs less than a dictionary for each.
    private var shared = AdvertisementDictionary()
    /// So many may be in ``held`` before it is searched for those that nobody holds any more.
    private var heldLimit = Self.firstHeldLimit

    mutating func peripheral(at address: DeviceAddress, make: () -> CBPeripheral) -> CBPeripheral {
        entry(at: address, make: make).peripheral
    }

    /// Takes an advertisement, and gives the data as delegates get it.
    mutating func update(
        _ address: DeviceAddress, _ octets: RawSpan, responseAt: Int = .max, isConnectable: Bool,
        facts: AdvertisingFacts, timestamp: CFAbsoluteTime, make: () -> CBPeripheral
    ) -> (peripheral: CBPeripheral, values: [String: Any], newName: String?) {
        let (entry, peripheral) = entry(at: address, make: make)
        // One access to the entry an advertisement.
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

    /// The peripheral at `address`, where there is one.
    func existing(_ address: DeviceAddress) -> CBPeripheral? { (held[address] ?? heard[address])?.peripheral }

    /// The device that was known by `old` is the one with this identity.
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

    /// Those that are connected, or are to be.
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
            // As many again may come before the next search, so that it costs each the same.
            heldLimit = max(Self.firstHeldLimit, 2 * held.count)
        }
        entry.release()
        held[address] = entry
    }
}
