// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Journal
import Publisher
import Readings

/// The rows of a journal as JSON lines, in the order of the rows: the published objects, with decoded values if a
/// decoder exists. Changes nothing, and works while a gateway writes.
package struct BufferExport {
    private let gateway: String
    private var pages: JournalPages

    package init(path: String, gateway: String) throws(JournalError) {
        pages = try JournalPages(path: path)
        self.gateway = gateway
    }

    /// Passes whole lines to `write`, some at a time, until the end, or until `write` returns false. Returns the number
    /// of rows.
    @discardableResult
    package func run(_ write: ([UInt8]) -> Bool) throws(JournalError) -> Int {
        var (count, pages) = (0, pages)
        while let page = try pages.next(), write(lines(page)) { count += page.rows.count }
        return count
    }

    private func lines(_ page: JournalPage) -> [UInt8] {
        var heads: [Int64: [UInt8]] = [:]
        var octets: [UInt8] = []
        var writer = PayloadWriter()
        for row in page.rows {
            let device = page.devices[row.device] ?? "device-\(row.device)"
            let head =
                heads[row.device]
                ?? PayloadWriter.head(device: device, name: page.advertisedNames[device], gateway: gateway)
            heads[row.device] = head
            let characteristic = page.characteristics[row.characteristic] ?? "unknown"
            let boot = page.boots[row.boot]
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
