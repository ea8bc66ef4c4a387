// SPDX-License-Identifier: Apache-2.0

import SMP
import BluetoothCore
import BluetoothHost
import GATT
import Foundation
import Testing

struct SecurityBondTests {
    @Test func `keys print as a placeholder in every way`() throws {
        let key = Sample.key(0xAB)
        let bond = try #require(Sample.bond(1, identityKey: Sample.key(0xCD)))
        let change = BondChange.stored(bond)
        for value in [key, bond, bond.keys, change, bond.centralKey as Any, [bond]] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] {
                let digits = text.lowercased().filter { $0.isHexDigit }
                #expect(!digits.contains("abab") && !digits.contains("cdcd") && !text.contains("171"), "\(text)")
            }
        }
        #expect("\(bond)".contains("C0:00:00:00:00:01"))
    }

    @Test(arguments: [6, 17] as [UInt8])
    func `a key size outside the range makes no bond`(size: UInt8) {
        #expect(Sample.bond(1, keySize: size) == nil)
    }

    @Test func `a private address is no identity`() {
        let address = DeviceAddress(kind: .random, value: 0x4000_0000_0001)
        #expect(Bond(identity: address, keys: .secureConnections(Sample.key(1))) == nil)
    }

    @Test func `bonds survive encoding`() throws {
        let legacy = LongTermKeys.legacy(
            peerDistributed: LegacyKey(key: Sample.key(1), ediv: 0xFFFF, rand: .max),
            localDistributed: nil)
        let bonds = try [
            #require(Sample.bond(1)), #require(Sample.bond(2, keys: legacy, keySize: 7)),
            #require(
                Bond(
                    identity: DeviceAddress(kind: .public, value: 5), keys: .secureConnections(Sample.key(3)),
                    identityKey: Sample.key(4), isAuthenticated: true, isAuthorized: true, isOfCentral: true,
                    clientState: [1, 2, 0xFF])),
        ]
        let data = try JSONEncoder().encode(bonds)
        #expect(try JSONDecoder().decode([Bond].self, from: data) == bonds)
    }

    @Test func `a legacy key serves the side that has to look it up`() throws {
        let peers = LegacyKey(key: Sample.key(1), ediv: 11, rand: 12)
        let ours = LegacyKey(key: Sample.key(2), ediv: 21, rand: 22)
        let bond = try #require(Sample.bond(1, keys: .legacy(peerDistributed: peers, localDistributed: ours)))
        #expect(bond.centralKey == peers)
        #expect(bond.peripheralKey(ediv: 21, rand: 22) == Sample.key(2))
        #expect(bond.peripheralKey(ediv: 11, rand: 12) == nil)
        #expect(bond.peripheralKey(ediv: 21, rand: 0) == nil)
        let modern = try #require(Sample.bond(1, keys: .secureConnections(Sample.key(3))))
        #expect(modern.centralKey == LegacyKey(key: Sample.key(3), ediv: 0, rand: 0))
        #expect(modern.peripheralKey(ediv: 0, rand: 0) == Sample.key(3))
        #expect(modern.peripheralKey(ediv: 1, rand: 0) == nil)
    }

    // MARK: The table

    @Test func `private addresses are resolved to the peer whose key made them`() throws {
        var table = BondTable()
        let keys = (1...3 as ClosedRange<UInt8>).map { Sample.key($0) }
        let bonds = try (1...3).map { try #require(Sample.bond(UInt64($0), identityKey: keys[$0 - 1])) }
        table.provide(bonds)
        for (key, bond) in zip(keys, bonds) {
            for random in 1...20 as ClosedRange<UInt32> {
                #expect(table.identity(of: .resolvable(key, random: random)) == bond.identity)
            }
        }
        let stranger = DeviceAddress.resolvable(Sample.key(9), random: 5)
        #expect(table.identity(of: stranger) == stranger)
        #expect(table.identity(of: bonds[0].identity) == bonds[0].identity)
        // An earlier failure to resolve does not count after a new bond.
        #expect(table.store(try #require(Sample.bond(9, identityKey: Sample.key(9)))) == true)
        #expect(table.identity(of: stranger) == Sample.identity(9))
        table.remove(Sample.identity(9))
        #expect(table.identity(of: stranger) == stranger)
    }

    @Test func `addresses without end do not make the table grow, and it still resolves`() throws {
        var table = BondTable()
        table.provide([try #require(Sample.bond(1, identityKey: Sample.key(1)))])
        for random in 1...UInt32(BondTable.cacheCapacity * 3) {
            let passing = DeviceAddress.resolvable(Sample.key(2), random: random)
            #expect(table.identity(of: passing) == passing)
        }
        #expect(table.identity(of: .resolvable(Sample.key(1), random: 7)) == Sample.identity(1))
    }

    @Test func `a key of zeros resolves nobody`() throws {
        var table = BondTable()
        table.provide([try #require(Sample.bond(1, identityKey: .zero))])
        let address = DeviceAddress.resolvable(.zero, random: 7)
        #expect(table.identity(of: address) == address)
    }

    @Test func `a bond that is removed takes along what was found out under it`() throws {
        let bond = try #require(Sample.bond(1))
        var host = HostMachine(randomAddress: Sample.identity(99))
        host.provide(bonds: [bond])
        host.removeBond(with: bond.identity)
        #expect(host.takeBondChanges() == [.removed(bond.identity)])
        #expect(host.takeCacheChanges() == [bond.identity: .forget])
        #expect(host.bond(for: bond.identity) == nil)
    }

    @Test func `the bonds of another controller take the place of those that there were`() throws {
        let (bond, other) = (try #require(Sample.bond(1)), try #require(Sample.bond(2)))
        var host = HostMachine(randomAddress: Sample.identity(99))
        host.provide(bonds: [bond])
        let isWhole = host.exchange(bonds: [other], at: .zero)
        #expect(isWhole)
        #expect(host.bond(for: bond.identity) == nil && host.bond(for: other.identity) == other)
        #expect(host.takeBondChanges() == [], "nothing has changed on disk")
    }

    @Test func `changes come out once, the last of each peer`() throws {
        var table = BondTable()
        var bond = try #require(Sample.bond(1))
        table.provide([bond])
        #expect(table.takeChanges() == [])
        #expect(table.store(bond) == true)
        #expect(table.takeChanges() == [], "nothing has changed")
        bond.clientState = [1]
        #expect(table.store(bond) == true)
        bond.clientState = [2]
        #expect(table.store(bond) == true)
        #expect(table.takeChanges() == [.stored(bond)])
        #expect(table.takeChanges() == [])
        table.remove(bond.identity)
        table.remove(bond.identity)
        #expect(table.takeChanges() == [.removed(bond.identity)])
    }

    @Test func `a full table takes no other bond, and keeps those that it has`() throws {
        var table = BondTable()
        let bonds = try (1...UInt64(BondTable.capacity)).map { try #require(Sample.bond($0)) }
        #expect(table.provide(bonds) == true)
        #expect(table.store(try #require(Sample.bond(100_000))) == false)
        var changed = bonds[0]
        changed.isAuthorized = true
        #expect(table.store(changed) == true)
        #expect(table.count == BondTable.capacity)
    }

    @Test func `the address that a peer is on the air with is the one that was heard last`() throws {
        var table = BondTable()
        table.provide([try #require(Sample.bond(1, identityKey: Sample.key(1))), try #require(Sample.bond(2))])
        let (first, second) = (
            DeviceAddress.resolvable(Sample.key(1), random: 1), DeviceAddress.resolvable(Sample.key(1), random: 2)
        )
        #expect(table.currentAddress(of: Sample.identity(1)) == nil)
        #expect(table.heard(first, of: Sample.identity(1)) == true)
        #expect(table.heard(first, of: Sample.identity(1)) == false)
        #expect(table.heard(second, of: Sample.identity(1)) == true)
        #expect(table.currentAddress(of: Sample.identity(1)) == second)
        #expect(table.heard(Sample.identity(2), of: Sample.identity(2)) == false, "it has no key for private ones")
        #expect(table.mayBePrivate(Sample.identity(1)) && !table.mayBePrivate(Sample.identity(2)))
    }
}
