// SPDX-License-Identifier: Apache-2.0

import GRDB
import Readings

/// What a journal holds as JSON lines, in the order of the rows: the objects that are published, decoded where there is a
/// decoder. Changes nothing, and goes on beside a gateway that writes.
package struct BufferExport {
    private static let pageSize = 1000

    private let path: String
    private let gateway: String
    private let reader: JournalReader

    package init(path: String, gateway: String) throws(JournalError) {
        do { reader = try JournalReader(path: path) } catch { throw JournalFile.explain(error, path: path) }
        self.path = path
        self.gateway = gateway
    }

    /// Hands out whole lines, some at a time, until there are no more or `write` says false. Says how many there were.
    @discardableResult
    package func run(_ write: ([UInt8]) -> Bool) throws(JournalError) -> Int {
        var cursor: Int64 = 0
        var count = 0
        do {
            while true {
                // A read a page: a long one would keep the gateway's log from being shortened.
                let (rows, octets) = try reader.read { db, names in
                    let rows = try JournalStore.rows(after: cursor, limit: Self.pageSize, in: db)
                    return (rows, try lines(rows, names, db))
                }
                guard let last = rows.last else { return count }
                guard write(octets) else { return count }
                count += rows.count
                cursor = last.n
            }
        } catch {
            throw JournalFile.explain(error, path: path)
        }
    }

    private func lines(_ rows: [JournalRow], _ names: JournalNames, _ db: Database) throws -> [UInt8] {
        let boots = Dictionary(names.boots.values.map { ($0.id, $0) }) { first, _ in first }
        var heads: [Int64: [UInt8]] = [:]
        var octets: [UInt8] = []
        var writer = PayloadWriter()
        for row in rows {
            let device = names.deviceNames[row.device] ?? "device-\(row.device)"
            let head =
                try heads[row.device]
                ?? PayloadWriter.head(device: device, name: SensorNames.name(of: device, in: db), gateway: gateway)
            heads[row.device] = head
            let characteristic = names.characteristicNames[row.characteristic] ?? "unknown"
            let boot = boots[row.boot]
            var time = ReadingTime(unixMilliseconds: row.unixMilliseconds, quality: row.quality)
            if time.unixMilliseconds == nil, let offset = boot?.offset {
                time = ReadingTime(
                    unixMilliseconds: row.uptimeMilliseconds.addingSaturated(offset), quality: .estimated)
            }
            writer.removeAll()
            writer.reading(
                row, time: time, head: head, boot: boot?.name ?? "unknown", characteristic: characteristic,
                fields: Decoders.decode(characteristic: characteristic, value: row.value), historical: false)
            octets += writer.octets
            octets.append(UInt8(ascii: "\n"))
        }
        return octets
    }
}
