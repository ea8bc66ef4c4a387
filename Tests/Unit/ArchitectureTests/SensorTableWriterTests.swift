// SPDX-License-Identifier: Apache-2.0

import Testing

/// The table of sensors and their latest values has one writer, the collector. All other modules read.
struct SensorTableWriterTests {
    /// Modules below the table, with functions of the same names.
    private static let below = ["Readings", "BluetoothHost", "HCITransport", "MQTT", "VirtualRadio"]
    /// Calls that write.
    private static let words = [
        "entry(of:", ".describe(", ".expect(", ".moveValues(", ".removeValues(", ".keep(characteristics",
        ".record(reading",
    ]

    @Test func `the collector alone writes the table of sensors`() throws {
        var writers: [String: Int] = [:]
        for (file, _) in try Repository.code(below: "Sources", with: Self.words) {
            guard let module = file.split(separator: "/").dropFirst().first.map(String.init) else { continue }
            writers[module, default: 0] += 1
            let isAllowed = module == "Collector" || Self.below.contains(module)
            #expect(isAllowed, "\(file) writes the table of sensors")
        }
        #expect(writers["Collector"].map { $0 > 3 } == true, "the test finds the calls of the collector")
    }

    /// Collector and publisher have a table of their own only without a gateway, in tests.
    @Test func `a gateway has one table of sensors`() throws {
        let makers = try Repository.code(below: "Sources", with: ["= SensorTable {", "= SensorTable("]).filter {
            file, _ in
            !file.hasPrefix("Sources/Publisher/") && !file.hasPrefix("Sources/Collector/")
        }
        #expect(Set(makers.map(\.file)) == ["Sources/Gateway/GatewayService.swift"])
    }
}
