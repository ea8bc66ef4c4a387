// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import GATT
import Testing

/// Every permission of a characteristic alone, on a link of every security, by every route to the value. Core 5.4, Vol 3, Part C, 10.3.1;
/// Part F, 4.
struct ServerSecurityTests {
    enum Permission: CaseIterable, Sendable { case read, write, notify }

    /// Links from bad to good.
    static let links: [LinkSecurity] = [
        .none,
        .init(hasBond: true),
        .init(hasBond: true, bondIsAuthenticated: true),
        .init(hasBond: true, bondIsAuthenticated: true, bondIsSecureConnections: true),
        .init(isEncrypted: true, keySize: 16),
        .init(isEncrypted: true, isSecureConnections: true, keySize: 7),
        .init(isEncrypted: true, isAuthenticated: true, keySize: 16, hasBond: true),
        .init(isEncrypted: true, isAuthenticated: true, isSecureConnections: true, keySize: 16),
        .init(
            isEncrypted: true, isAuthenticated: true, isSecureConnections: true, keySize: 16, hasBond: true,
            isAuthorized: true),
    ]

    /// The server's error on each link; nil: success.
    static let rows: [(AttributeAccess, refusals: [UInt8?])] = [
        (.open, [nil, nil, nil, nil, nil, nil, nil, nil, nil]),
        (.encrypted, [0x05, 0x0F, 0x0F, 0x0F, nil, 0x0C, nil, nil, nil]),
        (.init(level: .encrypted, minimumKeySize: 7), [0x05, 0x0F, 0x0F, 0x0F, nil, nil, nil, nil, nil]),
        (.authenticated, [0x05, 0x05, 0x0F, 0x0F, 0x05, 0x05, nil, nil, nil]),
        (.init(level: .secureConnections), [0x05, 0x05, 0x05, 0x0F, 0x05, 0x05, 0x05, nil, nil]),
        (.init(needsAuthorization: true), [0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, nil]),
    ]

    private static let type = BluetoothUUID(UInt16(0x2A6F))
    private static let value: UInt16 = 0x24

    /// Handles: 20 service, 21 and 22 an open value, 23 to 25 the protected value with its configuration.
    private func bench(_ permission: Permission, _ access: AttributeAccess, _ link: Int) throws -> ServerBench {
        var bench = try ServerBench(services: false)
        let protected = LocalCharacteristic(
            uuid: Self.type, properties: [.read, .write, .writeWithoutResponse, .notify, .indicate], value: [9],
            read: permission == .read ? access : .open, write: permission == .write ? access : .open,
            notify: permission == .notify ? access : .open)
        let open = LocalCharacteristic(uuid: BluetoothUUID(UInt16(0x2A6E)), properties: .read, value: [1])
        let service = LocalService(uuid: BluetoothUUID(UInt16(0x180D)), characteristics: [open, protected])
        let published = try bench.database.add(service, owner: ServerBench.first)
        #expect(published.characteristics.last?.valueHandle == Self.value)
        bench.security = Self.links[link]
        return bench
    }

    private func error(_ request: String, _ code: UInt8, handle: String = "2400") -> String {
        "01" + request + handle + [code].hexadecimal
    }

    @Test(arguments: Permission.allCases, rows.indices)
    func `a permission alone is enforced in every way to the value, and stops nothing else`(
        permission: Permission, row: Int
    ) throws {
        for link in Self.links.indices {
            let (access, refusals) = Self.rows[row]
            var bench = try bench(permission, access, link)
            let read = permission == .read ? refusals[link] : nil
            let write = permission == .write ? refusals[link] : nil
            let notify = permission == .notify ? refusals[link] : nil

            #expect(try bench.answer(to: "0a 2400") == read.map { error("0a", $0) } ?? "0b09")
            #expect(try bench.answer(to: "0c 2400 0000") == read.map { error("0c", $0) } ?? "0d09")
            #expect(try bench.answer(to: "0e 2200 2400") == read.map { error("0e", $0) } ?? "0f0109")
            #expect(try bench.answer(to: "20 2200 2400") == read.map { error("20", $0) } ?? "21010001010009")
            #expect(try bench.answer(to: "08 0100 ffff 6f2a") == read.map { error("08", $0) } ?? "0903240009")
            // A search reveals nothing of an unreadable value, not even its existence.
            #expect(try bench.answer(to: "06 0100 ffff 6f2a 09") == (read == nil ? "0724002400" : "010601000a"))

            let written = try bench.receive("12 2400 07")
            #expect(written.sent == write.map { error("12", $0) } ?? "")
            #expect(written.writes.count == (write == nil ? 1 : 0))
            if let id = written.writes.first?.id {
                _ = bench.machine.answerWrite(id, error: nil, in: bench.context)
            }
            let commanded = try bench.receive("52 2400 07")
            #expect(commanded.sent.isEmpty && commanded.writes.count == (write == nil ? 1 : 0))
            #expect(try bench.answer(to: "16 2400 0000 07") == write.map { error("16", $0) } ?? "172400000007")
            #expect(try bench.answer(to: "18 00") == "19")

            // The configuration belongs to the reading client: every client may read its own.
            #expect(try bench.answer(to: "0a 2500") == "0b0000")
            #expect(
                try bench.answer(to: "16 2500 0000 0100")
                    == notify.map { error("16", $0, handle: "2500") } ?? "17250000000100")
            #expect(try bench.answer(to: "18 00") == "19")
            #expect(
                try bench.answer(to: "12 2500 0300") == notify.map { error("12", $0, handle: "2500") } ?? "13")
            #expect(bench.machine.configuration(of: Self.value) == (notify == nil ? 3 : 0))
            for kind in [SubscriptionKind.notification, .indication] {
                let (outcome, effects) = bench.machine.notify([5], of: Self.value, as: kind, in: bench.context)
                #expect(outcome == (notify == nil ? .sent : .notSubscribed))
                #expect(effects.sent.isEmpty == (notify != nil))
            }
        }
    }

    /// A configuration from a better link: from a bond, or from before.
    @Test(arguments: rows.indices)
    func `what a client has subscribed to leaves on no link that is not good enough`(row: Int) throws {
        let (access, refusals) = Self.rows[row]
        for link in Self.links.indices {
            var bench = try bench(.notify, access, link)
            bench.security = try #require(Self.links.last)
            #expect(try bench.answer(to: "12 2500 0300") == "13")
            bench.security = Self.links[link]
            let outcomes = [SubscriptionKind.notification, .indication].map { kind in
                bench.machine.notify([5], of: Self.value, as: kind, in: bench.context)
            }
            let multiple = bench.machine.notify(
                multiple: [(Self.value, [5]), (Self.value, [6])], in: bench.context)
            let isGood = refusals[link] == nil
            for (outcome, effects) in outcomes {
                #expect(outcome == (isGood ? .sent : .notPermitted) && effects.sent.isEmpty == !isGood)
            }
            #expect(multiple.effects.sent.isEmpty == !isGood)
            // A client needs the same security to switch the value off as to switch it on.
            #expect(
                try bench.answer(to: "12 2500 0000")
                    == refusals[link].map { error("12", $0, handle: "2500") } ?? "13")
        }
    }

    @Test(arguments: rows.indices)
    func `what was prepared on a better link is not executed on a worse one`(row: Int) throws {
        let (access, refusals) = Self.rows[row]
        for link in Self.links.indices {
            var bench = try bench(.write, access, link)
            bench.security = try #require(Self.links.last)
            #expect(try bench.answer(to: "16 2400 0000 07") == "172400000007")
            bench.security = Self.links[link]
            let effects = try bench.receive("18 01")
            #expect(effects.sent == refusals[link].map { error("18", $0) } ?? "")
            #expect(effects.writes.isEmpty == (refusals[link] != nil))
        }
    }
}
