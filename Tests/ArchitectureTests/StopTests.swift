// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite("The way of one notification")
struct StopTests {
    let stops: [ArchitectureDocument.Stop]

    init() throws { stops = try ArchitectureDocument().stops }

    @Test("about ten stops lead from the HCI socket to the PUBACK")
    func thereAreAboutTen() {
        #expect((8...14).contains(stops.count))
        #expect(stops.first?.file.hasPrefix("Sources/HCITransport/") == true)
        #expect(stops.last?.file.hasPrefix("Sources/MQTT/") == true)
    }

    @Test("no stop is named twice")
    func eachOnce() {
        #expect(Set(stops).count == stops.count)
    }

    @Test("the function of each stop is in its file")
    func functionsExist() throws {
        for stop in stops {
            let text = try Repository.text(stop.file)
            let isThere = text.contains("func \(stop.name)(") || text.contains("func \(stop.name)<")
            #expect(isThere, "\(stop)")
        }
    }
}
