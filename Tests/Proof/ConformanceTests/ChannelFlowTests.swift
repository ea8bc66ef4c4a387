// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import L2CAP
import Testing

@testable import HostBench

/// LE credit based channels: credits, SDUs and the end.
struct ChannelFlowTests {
    @Test func `L2CAP/LE/CFC/BV-06-C credits handed out step by step`() throws {
        try conformance("L2CAP/LE/CFC/BV-06-C") { bench in
            try bench.connect()
            let channel = try bench.openedByUs(mtu: 128, mps: 32, credits: 0)
            try bench.send(counting(80), on: channel)
            try bench.expectsNothing()
            for part in [[80, 0] + counting(30), counting(32, from: 30), counting(18, from: 62)] {
                try bench.giveCredits(1)
                try bench.expects(OctetPattern(text(part)), on: Bench.testerChannel)
                try bench.expectsNothing()
            }
            // The surplus frames are not lost.
            try bench.giveCredits(5)
            try bench.send([1], on: channel)
            try bench.expects("01 00 01", on: Bench.testerChannel)
        }
    }

    @Test func `L2CAP/LE/CFC/BV-07-C credits for the peer`() throws {
        try conformance("L2CAP/LE/CFC/BV-07-C") { bench in
            try bench.connect()
            try bench.publish()
            let channel = try bench.openedByTester()
            var credits = 32
            // Far more frames than the tester's first credits; the tester sends only with credits.
            for number in UInt8(0)..<100 {
                if credits == 0 {
                    let seen = try bench.expects(
                        signalling: OctetPattern("16 ?? 04 00 \(text(little(channel.ours))) ?? ??"))
                    credits = Int(seen[6]) + Int(seen[7]) << 8
                }
                credits -= 1
                try bench.peer.send([1, 0, number], on: channel.ours)
                try bench.told(data: [number], on: channel)
                bench.host.consumed(1, on: channel.id, at: bench.now)
                while let seen = bench.peer.takeFrame(on: Bench.signalling) {
                    try require(seen[0] == 0x16, "seen \(text(seen))")
                    credits += Int(seen[6]) + Int(seen[7]) << 8
                }
            }
            bench.advance(seconds: 1)
            while bench.peer.takeFrame(on: Bench.signalling) != nil {}
        }
    }

    @Test func `L2CAP/LE/CFC/BV-08-C disconnection request`() throws {
        try conformance("L2CAP/LE/CFC/BV-08-C") { bench in
            try bench.connect()
            let channel = try bench.openedByUs()
            bench.host.close(channel.id, at: bench.now)
            try bench.ends(channel)
            try bench.told(end: .closedByUs, of: channel)
            // The channel's end belongs to no channel now.
            try bench.peer.send(hex("01 00 0A"), on: channel.ours)
        }
    }

    @Test func `L2CAP/LE/CFC/BV-09-C disconnection response`() throws {
        try conformance("L2CAP/LE/CFC/BV-09-C") { bench in
            try bench.connect()
            let channel = try bench.openedByUs()
            let ends = text(little(channel.ours) + little(Bench.testerChannel))
            try bench.send(signalling: "06 09 04 00 \(ends)")
            try bench.expects(signalling: OctetPattern("07 09 04 00 \(ends)"))
            try bench.told(end: .closedByPeer, of: channel)
        }
    }

    @Test func `L2CAP/LE/CFC/BV-23-C disconnection of an unknown channel`() throws {
        try conformance("L2CAP/LE/CFC/BV-23-C") { bench in
            try bench.connect()
            let channel = try bench.openedByUs()
            try bench.send(signalling: "06 09 04 00 7F 00 \(text(little(Bench.testerChannel)))")
            try bench.expects(signalling: OctetPattern("01 09 06 00 02 00 7F 00 \(text(little(Bench.testerChannel)))"))
            // A pair of unrelated ends closes no channel.
            try bench.send(signalling: "06 0A 04 00 \(text(little(channel.ours))) 52 00")
            try bench.expectsNothing()
            try bench.send([1], on: channel)
            try bench.expects("01 00 01", on: Bench.testerChannel)
        }
    }

    @Test func `L2CAP/LE/CFC/BV-26-C SDU longer than the MTU`() throws {
        try breaks("L2CAP/LE/CFC/BV-26-C", "FF FF 01", .sduTooLong)
    }

    @Test func `L2CAP/LE/CFC/BV-27-C frame longer than the MPS`() throws {
        try breaks("L2CAP/LE/CFC/BV-27-C", "00 02 " + text(counting(400)), .frameTooLong)
    }

    @Test func `L2CAP/LE/CFC/BV-28-C frames longer than the SDU`() throws {
        try breaks("L2CAP/LE/CFC/BV-28-C", "04 00 01 02 03 04 05", .sduOverrun)
    }

    /// One frame against the channel's rules ends the channel.
    private func breaks(_ id: String, _ frame: String, _ fault: CreditBasedChannelMachine.Fault) throws {
        try conformance(id) { (bench: Bench) in
            try bench.connect()
            let channel = try bench.openedByUs()
            try bench.peer.send(hex(frame), on: channel.ours)
            try bench.ends(channel)
            try bench.told(end: .broken(fault), of: channel)
            // The link goes on, and another channel opens.
            _ = try bench.openedByUs()
        }
    }

    @Test func `L2CAP/LE/CFC/BV-32-C SDU of exactly the MPS`() throws {
        try conformance("L2CAP/LE/CFC/BV-32-C") { bench in
            try bench.connect()
            let channel = try bench.openedByUs(mtu: 64, mps: 32)
            // With its length field, the frame has the maximum length.
            try bench.send(counting(30), on: channel)
            try bench.expects(OctetPattern("1E 00 " + text(counting(30))), on: Bench.testerChannel)
            // Without a length field, two octets remain for a second frame.
            try bench.send(counting(32), on: channel)
            try bench.expects(OctetPattern("20 00 " + text(counting(30))), on: Bench.testerChannel)
            try bench.expects("1E 1F", on: Bench.testerChannel)
            // The other way round.
            try bench.peer.send(hex("F5 00") + counting(245), on: channel.ours)
            try bench.told(data: counting(245), on: channel)
        }
    }

    @Test func `L2CAP/LE/CFC/BI-01-C credit overflow`() throws {
        try conformance("L2CAP/LE/CFC/BI-01-C") { bench in
            try bench.connect()
            let channel = try bench.openedByUs(credits: 1)
            try bench.giveCredits(65534)
            try bench.expectsNothing()
            try bench.giveCredits(1)
            try bench.ends(channel)
            try bench.told(end: .broken(.creditOverflow), of: channel)
        }
    }
}
