// SPDX-License-Identifier: Apache-2.0

import Foundation
import Platform
import Testing

@testable import Gateway
@testable import GatewayBench
@testable import Journal
@testable import Readings

@Suite("Export of the buffer")
struct BufferExportTests {
    @Test("exported rows equal the published objects, one a line, and stay in the journal")
    func export() throws {
        let folder = try TestFolder()
        let configuration = JournalConfiguration(path: folder.path("journal.db"), durability: .fast)
        let journal = try Journal(configuration, clock: .system, logger: Sample.logger)
        journal.append([Sample.temperature(2430, device: "a"), Sample.temperature(2431, device: "a")])
        journal.append([
            Reading(
                device: "b", characteristic: "ffe1", source: .read, value: [1, 255], rssi: nil,
                stamp: Sample.unsynced(up: 5))
        ])
        journal.close()
        var octets: [UInt8] = []
        let count = try BufferExport(path: configuration.path, gateway: "gw").run {
            octets += $0
            return true
        }
        #expect(count == 3)
        let lines = String(decoding: octets, as: UTF8.self).split(separator: "\n").map(String.init)
        #expect(lines.count == 3)
        let objects = try lines.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
        #expect(objects.map { $0?["n"] as? Int } == [1, 2, 3])
        #expect(objects[0]?["temperature"] as? Double == 24.3)
        #expect(objects[2]?["raw"] as? String == "01ff")
        #expect(objects[2]?["clock"] as? String == "estimated", "the boot's clock became right later")
        #expect(try Audit(path: configuration.path, full: false).total.buffered == 3)
    }
}
