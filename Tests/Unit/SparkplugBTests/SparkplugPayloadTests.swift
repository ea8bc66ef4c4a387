// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Testing

@testable import SparkplugB

/// pysparkplug 0.6.1's octets for the same metrics, and its commands.
struct SparkplugPayloadTests {
    private static let time: Int64 = 1_700_000_000_123

    static let metrics: [(metric: SparkplugMetric, octets: String)] = [
        (
            SparkplugMetric(
                "temperature", .double(-24.3), at: time, isHistorical: true,
                properties: [.init("engUnit", "°C"), .init("clock", "holdover")]),
            "124a0a0b74656d706572617475726518fbd095ffbc31200a28014a270a07656e67556e69740a05636c6f636b1207080c4203c2b0"
                + "43120c080c4208686f6c646f76657269cdcccccccc4c38c0"
        ),
        (
            SparkplugMetric("rssi", .int64(-71), at: time),
            "121a0a047273736918fbd095ffbc31200458b9ffffffffffffffff01"
        ),
        (SparkplugMetric("window", .boolean(true), at: time), "12130a0677696e646f7718fbd095ffbc31200b7001"),
        (SparkplugMetric("button", .string("press"), at: time), "12180a06627574746f6e18fbd095ffbc31200c7a057072657373"),
        (
            SparkplugMetric("humidity", .double(1), at: 0).unknown(at: time),
            "12150a0868756d696469747918fbd095ffbc31200a3801"
        ),
    ]

    @Test(arguments: metrics) func `metrics have the octets that another implementation gives them`(
        metric: SparkplugMetric, octets: String
    ) {
        #expect(SparkplugPayload.metrics([metric]).hexadecimal == octets)
        #expect(SparkplugPayload.metrics([metric, metric]).hexadecimal == octets + octets, "parts are put together")
    }

    @Test(
        arguments: [
            (UInt8(255), "08fbd095ffbc3118ff01"), (0, "08fbd095ffbc311800"), (nil, "08fbd095ffbc31"),
        ] as [(UInt8?, String)])
    func `the end of a payload has its time and its number`(sequence: UInt8?, octets: String) {
        #expect(SparkplugPayload.end(timestamp: Self.time, sequence: sequence).hexadecimal == octets)
    }

    static let rebirth =
        "08fbd095ffbc3112210a144e6f646520436f6e74726f6c2f5265626972746818fbd095ffbc31200b7001"

    @Test(arguments: [
        (rebirth, true, 0),
        // With false.
        ("08fbd095ffbc3112210a144e6f646520436f6e74726f6c2f5265626972746818fbd095ffbc31200b7000", false, 1),
        // An output, with an alias and metadata.
        ("08fbd095ffbc31121d0a094f7574707574732f31100718fbd095ffbc31200b42034201787001", false, 1),
        // The right name with a number.
        ("0801121a0a144e6f646520436f6e74726f6c2f5265626972746820035001", false, 1),
        ("", false, 0),
    ])
    func `a command is read, and only a rebirth is one`(octets: String, wantsRebirth: Bool, others: Int) throws {
        let command = try SparkplugCommand([UInt8](hexadecimal: octets))
        #expect(command.wantsRebirth == wantsRebirth)
        #expect(command.others == others)
    }

    @Test func `a command that is cut off, changed, or nested without end is no trap`() throws {
        let octets = [UInt8](hexadecimal: Self.rebirth)
        for length in 0..<octets.count {
            // A payload cut between two fields is a payload.
            if let command = try? SparkplugCommand(Array(octets[..<length])) { #expect(!command.wantsRebirth) }
        }
        for place in octets.indices {
            for bit in 0..<8 {
                var changed = octets
                changed[place] ^= 1 << bit
                _ = try? SparkplugCommand(changed)
            }
        }
        // Nested groups in an unknown field.
        #expect(throws: (any Error).self) { try SparkplugCommand(Array(repeating: 0xA3, count: 8_000)) }
    }

    @Test(
        arguments: [
            (#"{"online":true,"timestamp":1700000000123}"#, HostApplicationState(isOnline: true, timestamp: time)),
            (#"{"timestamp":5,"online":false,"bdSeq":1}"#, HostApplicationState(isOnline: false, timestamp: 5)),
            ("ONLINE", nil), ("", nil), (#"{"online":1,"timestamp":5}"#, nil), (#"{"online":true}"#, nil),
            (#"{"online":true,"timestamp":1e300}"#, nil), (#"{"online":true,"timestamp":"5"}"#, nil),
            (String(repeating: "[", count: 1_000), nil), (String(repeating: " ", count: 2_000), nil),
        ] as [(String, HostApplicationState?)])
    func `the state of a host application is read`(text: String, state: HostApplicationState?) {
        #expect(HostApplicationState([UInt8](text.utf8)) == state)
    }
}

extension [UInt8] {
    init(hexadecimal text: String) {
        let digits = Array(text.utf8)
        self = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(decoding: digits[$0...($0 + 1)], as: UTF8.self), radix: 16)
        }
    }
}
