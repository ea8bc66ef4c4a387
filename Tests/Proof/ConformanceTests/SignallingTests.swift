// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GATT
import HCI
import Testing

@testable import HostBench

/// The LE signalling channel and the fixed channels, with our host as Central.
struct SignallingTests {
    @Test func `L2CAP/LE/CPU/BV-02-C central accepts valid parameters`() throws {
        try conformance("L2CAP/LE/CPU/BV-02-C") { bench in
            try bench.connect()
            try bench.send(signalling: "12 01 08 00 28 00 38 00 02 00 90 01")
            try bench.expects(signalling: "13 01 02 00 00 00")
            try updated(bench, interval: 0x28...0x38, latency: 2, timeout: 0x190)
            // The next request has an identifier of its own.
            try bench.send(signalling: "12 02 08 00 50 00 50 00 00 00 C8 00")
            try bench.expects(signalling: "13 02 02 00 00 00")
            try updated(bench, interval: 0x50...0x50, latency: 0, timeout: 0xC8)
        }
    }

    /// Interval Min, Interval Max, Latency, Timeout: a value is out of its range, or the values do not fit together.
    static let badParameters = [
        "05 00 10 00 00 00 C8 00", "18 00 81 0C 00 00 C8 00", "28 00 18 00 00 00 C8 00", "18 00 28 00 F4 01 80 0C",
        "18 00 28 00 00 00 09 00", "18 00 28 00 00 00 81 0C", "80 0C 80 0C 00 00 64 00",
    ]

    @Test func `L2CAP/LE/CPU/BI-01-C central rejects bad parameters`() throws {
        try conformance("L2CAP/LE/CPU/BI-01-C") { bench in
            try bench.connect()
            for (index, parameters) in Self.badParameters.enumerated() {
                try bench.send(signalling: "12 0\(index + 1) 08 00 \(parameters)")
                try bench.expects(signalling: OctetPattern("13 0\(index + 1) 02 00 01 00"))
            }
            try bench.expectsNothing()
            try require(!bench.peer.events.contains { isUpdate($0) }, "the parameters were changed")
        }
    }

    @Test func `L2CAP/LE/REJ/BI-01-C unknown command`() throws {
        try conformance("L2CAP/LE/REJ/BI-01-C") { bench in
            try bench.connect()
            // Commands of BR/EDR are none of an LE link's.
            try bench.send(signalling: "02 01 04 00 01 00 40 00")
            try bench.expects(signalling: "01 01 02 00 00 00")
            try bench.send(signalling: "0A 02 02 00 02 00")
            try bench.expects(signalling: "01 02 02 00 00 00")
        }
    }

    @Test func `L2CAP/LE/REJ/BI-02-C unknown signalling code`() throws {
        try conformance("L2CAP/LE/REJ/BI-02-C") { bench in
            try bench.connect()
            try bench.send(signalling: "FF 07 00 00")
            try bench.expects(signalling: "01 07 02 00 00 00")
            try bench.send(signalling: "AA 08 03 00 01 02 03")
            try bench.expects(signalling: "01 08 02 00 00 00")
            // The channel works as before.
            try bench.send(signalling: "12 09 08 00 28 00 28 00 00 00 C8 00")
            try bench.expects(signalling: "13 09 02 00 00 00")
        }
    }

    @Test func `L2CAP/LE/CID/BV-01-C receives on the Attribute Protocol's channel`() throws {
        try conformance("L2CAP/LE/CID/BV-01-C") { bench in
            try bench.connect()
            // A frame in fragments is the same frame.
            let frame = hex("03 00 04 00 0A FF FF")
            try bench.peer.sendACL(Array(frame.prefix(4)))
            for octet in frame.dropFirst(4) { try bench.peer.sendACL([octet], isFirst: false) }
            try bench.expects(att: "01 0A FF FF 01")
        }
    }

    @Test func `L2CAP/LE/CID/BV-02-C receives on the signalling channel`() throws {
        try conformance("L2CAP/LE/CID/BV-02-C") { bench in
            try bench.connect()
            try bench.send(signalling: "FE 03 00 00")
            try bench.expects(signalling: "01 03 02 00 00 00")
        }
    }

    @Test func `L2CAP/LE/CID/BV-03-C receives on the Security Manager's channel`() throws {
        try conformance("L2CAP/LE/CID/BV-03-C") { bench in
            try bench.connect()
            // A Peripheral must not send a Pairing Request: our host refuses it on the same channel.
            try bench.send(security: "01 03 00 01 10 00 00")
            try bench.expects(security: "05 ??")
        }
    }

    @Test func `L2CAP/LE/CID/BI-01-C data for an unsupported channel is ignored`() throws {
        try conformance("L2CAP/LE/CID/BI-01-C") { bench in
            try bench.connect()
            for channel: UInt16 in [0x0000, 0x0001, 0x0002, 0x0003, 0x0007, 0x003E, 0x003F, 0x0040, 0x0071, 0xFFFF] {
                try bench.peer.send(hex("0A 03 00"), on: channel)
            }
            try bench.expectsNothing()
            try bench.ask(.read(handle: 3))
            try bench.answers("0A 03 00", with: "0B 01")
            try bench.told(value: "01")
        }
    }

    // MARK: Parts

    private func isUpdate(_ event: [UInt8]) -> Bool {
        event[0] == 0x3E && event[2] == LESubeventCode.connectionUpdateComplete.rawValue
    }

    /// The link's parameters are these now, as the tester's controller tells.
    private func updated(_ bench: Bench, interval: ClosedRange<UInt16>, latency: UInt16, timeout: UInt16) throws {
        let event = try bench.expects(event: LESubeventCode.connectionUpdateComplete)
        try require(event[0] == 0, "the update failed: \(text(event))")
        let chosen = UInt16(event[3]) | UInt16(event[4]) << 8
        try require(interval.contains(chosen), "the interval is \(chosen), not in \(interval)")
        try require(
            Array(event[5...]) == little(latency) + little(timeout), "latency and time-out are \(text(event[5...]))")
    }
}
