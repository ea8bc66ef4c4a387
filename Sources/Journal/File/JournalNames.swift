// SPDX-License-Identifier: Apache-2.0

import GRDB
import Readings

/// The lookup tables of the journal in memory: a value, so that a failed transaction leaves the old state.
struct JournalNames: Sendable {
    private(set) var devices: [String: Int64] = [:]
    private(set) var characteristics: [String: Int64] = [:]
    private(set) var boots: [String: JournalBoot] = [:]
    private(set) var deviceNames: [Int64: String] = [:]
    private(set) var characteristicNames: [Int64: String] = [:]
    /// Values that break the schema, by column; they were left out.
    private(set) var damage: [String] = []
    /// The boot of the last question: all readings of a batch have the same boot.
    private var lastBoot: JournalBoot?

    init() {}

    init(_ db: Database) throws {
        for row in try Row.fetchAll(db.cachedStatement(sql: "SELECT id, name FROM device")) {
            guard let id = row.integer(0), let name = row.text(1) else {
                damage.append("device.name")
                continue
            }
            add(device: name, id: id)
        }
        for row in try Row.fetchAll(db.cachedStatement(sql: "SELECT id, name FROM characteristic")) {
            guard let id = row.integer(0), let name = row.text(1) else {
                damage.append("characteristic.name")
                continue
            }
            add(characteristic: name, id: id)
        }
        for row in try Row.fetchAll(db.cachedStatement(sql: "SELECT id, name, offset FROM boot")) {
            guard let boot = JournalBoot(row) else {
                damage.append("boot.name")
                continue
            }
            if boot.offset == nil, !row.isNull(2) { damage.append("boot.offset of \(boot.name)") }
            boots[boot.name] = boot
        }
    }

    mutating func add(device name: String, id: Int64) {
        devices[name] = id
        deviceNames[id] = name
    }

    mutating func add(characteristic name: String, id: Int64) {
        characteristics[name] = id
        characteristicNames[id] = name
    }

    /// Adds a boot, or its missing offset.
    mutating func add(_ boot: JournalBoot) {
        guard boots[boot.name]?.offset == nil else { return }
        boots[boot.name] = boot
    }

    /// Whether all numbers in the row have a name.
    func names(all row: JournalRow, boots ids: Set<Int64>) -> Bool {
        deviceNames[row.device] != nil && characteristicNames[row.characteristic] != nil && ids.contains(row.boot)
    }

    /// Whether all numbers of `other` mean the same here.
    func agree(with other: JournalNames) -> Bool {
        other.devices.allSatisfy { devices[$0.key] == $0.value }
            && other.characteristics.allSatisfy { characteristics[$0.key] == $0.value }
            && other.boots.allSatisfy { boots[$0.key]?.id == $0.value.id }
    }

    mutating func device(_ name: String, in db: Database) throws -> Int64 {
        if let id = devices[name] { return id }
        try db.execute(sql: "INSERT INTO device (name) VALUES (?)", arguments: [name])
        let id = db.lastInsertedRowID
        add(device: name, id: id)
        return id
    }

    mutating func characteristic(_ name: String, in db: Database) throws -> Int64 {
        if let id = characteristics[name] { return id }
        try db.execute(sql: "INSERT INTO characteristic (name) VALUES (?)", arguments: [name])
        let id = db.lastInsertedRowID
        add(characteristic: name, id: id)
        return id
    }

    mutating func boot(_ name: String, in db: Database) throws -> JournalBoot {
        if let lastBoot, lastBoot.name == name { return lastBoot }
        if let known = boots[name] {
            lastBoot = known
            return known
        }
        try db.execute(sql: "INSERT INTO boot (name) VALUES (?)", arguments: [name])
        let made = JournalBoot(id: db.lastInsertedRowID, name: name, offset: nil)
        boots[name] = made
        lastBoot = made
        return made
    }

    /// Remembers the first offset of a boot, so that estimates are stable. Only a better offset replaces it.
    mutating func setOffset(_ offset: Int64, of name: String, isBetter: Bool = false, in db: Database) throws {
        var boot = try boot(name, in: db)
        guard boot.offset == nil || isBetter && boot.offset != offset else { return }
        try db.execute(sql: "UPDATE boot SET offset = ? WHERE id = ?", arguments: [offset, boot.id])
        boot.offset = offset
        boots[name] = boot
        lastBoot = boot
    }
}
