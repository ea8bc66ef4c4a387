// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import HCI
import L2CAP
import Testing

@testable import HostBench

/// Signalling commands out of place, out of range or out of shape: rows 38 to 45 and 47 to 50.
struct SignallingAttacks {
    private static func command(_ code: UInt8, _ identifier: UInt8, _ data: [UInt8]) -> [UInt8] {
        [code, identifier] + little(UInt16(data.count)) + data
    }

    /// Each is rejected as not understood, or as longer than our MTU, in words of the specification alone.
    private func rejected(_ scene: AttackBench, _ code: UInt8, _ lists: [[UInt8]]) throws {
        for (index, data) in lists.enumerated() {
            let identifier = UInt8(index % 255 + 1)
            try scene.attacker.send(Self.command(code, identifier, data), on: Bench.signalling)
            let reason = data.count > 19 ? "04 00 01 00 17 00" : "02 00 00 00"
            try scene.bench.expects(signalling: OctetPattern("01 \(text([identifier])) \(reason)"))
        }
        try scene.bench.expectsNothing(for: .milliseconds(200))
        try scene.answersStill()
    }

    @Test func `row 38: CVE-2021-3434, enhanced requests with too many channels`() throws {
        try attack(38, "CVE-2021-3434, CVE-2021-3435") { scene in
            let head = little(0x80) + little(64) + little(64) + little(8)
            try rejected(scene, 0x17, [[], [0x80], head] + (1...50).map { head + counting($0, from: 0x40) })
        }
    }

    @Test func `row 39: CVE-2026-23395, one identifier for two requests`() throws {
        try attack(39, "CVE-2026-23395") { scene in
            let bench = scene.bench
            let request = Self.command(0x17, 7, little(0x80) + little(64) + little(64) + little(8) + little(0x50))
            for _ in 0..<2 { try scene.attacker.send(request, on: Bench.signalling) }
            for _ in 0..<2 { try bench.expects(signalling: "01 07 02 00 00 00") }
            try bench.publish()
            try bench.request(tester: 0x51, identifier: 7)
            try bench.request(tester: 0x51, identifier: 7)
            try bench.request(tester: 0x52, identifier: 7)
            try bench.expects(signalling: "15 07 0A 00 40 00 ?? ?? ?? ?? ?? ?? 00 00")
            try bench.refused(0x0A, identifier: 7)
            try bench.expects(signalling: "15 07 0A 00 41 00 ?? ?? ?? ?? ?? ?? 00 00")
            bench.host.unpublish(spsm: Bench.spsm, for: Bench.client)
        }
    }

    @Test func `row 40: CVE-2023-5055, reconfiguration of too many channels`() throws {
        try attack(40, "CVE-2023-5055") { scene in
            try rejected(scene, 0x19, (0...44).map { counting($0, from: 0x40) })
        }
    }

    @Test func `row 41: CVE-2026-43062, reconfiguration responses of any length`() throws {
        try attack(41, "CVE-2026-43062") { scene in
            for code in [0x18, 0x1A] as [UInt8] {
                for length in 0...40 {
                    try scene.attacker.send(Self.command(code, 1, counting(length)), on: Bench.signalling)
                    // This command with an identifier of one of our requests.
                    if length == 1 {
                        scene.bench.host.openChannel(
                            spsm: 0x80, on: try scene.bench.link, id: scene.bench.nextRequest(), at: scene.bench.now)
                    }
                }
                scene.bench.run(for: .seconds(1))
                let asked = scene.attacker.takeFrame(on: Bench.signalling) ?? []
                try require(asked.first == 0x14, "asked \(text(asked))")
                // Our request still waits for a valid answer.
                try scene.bench.answers(asked[1])
                let id = try scene.bench.wait(for: "a channel") {
                    if case .channel(.opened(let opening)) = $0 { opening.channel } else { nil }
                }
                let ours = UInt16(asked[6]) | UInt16(asked[7]) << 8
                scene.bench.host.close(id, at: scene.bench.now)
                try scene.bench.ends(Bench.Channel(ours: ours, id: id))
            }
            try scene.bench.expectsNothing(for: .milliseconds(200))
            try scene.answersStill()
        }
    }

    @Test func `row 42: CVE-2025-10456, disconnection of fixed channels`() throws {
        try attack(42, "CVE-2025-10456") { scene in
            for (index, channel) in ([0, 1, 2, 3, 4, 5, 6, 7, 0x3F, 0x40, 0x7F, 0x80, 0xFFFF] as [UInt16]).enumerated()
            {
                for source in [channel, 0x0051] {
                    let (identifier, ends) = (UInt8(index + 1), little(channel) + little(source))
                    try scene.attacker.send(Self.command(0x06, identifier, ends), on: Bench.signalling)
                    try scene.bench.expects(
                        signalling: OctetPattern("01 \(text([identifier])) 06 00 02 00 \(text(ends))"))
                }
            }
            try scene.answersStill()
        }
    }

    @Test func `row 43: CVE-2025-10457, answers that nobody asked for`() throws {
        try attack(43, "CVE-2025-10457") { scene in
            let bench = scene.bench
            for identifier in 0...255 as ClosedRange<UInt8> {
                try bench.answers(identifier)
                bench.run(for: .milliseconds(10))
            }
            try bench.expectsNothing()
            let (identifier, _) = try bench.opens()
            // Answers of other kinds with the right identifier, and the right answer with other identifiers.
            for code in [0x03, 0x05, 0x07, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x18, 0x1A] as [UInt8] {
                for data in [[], [0, 0], little(0x51) + little(0x40)] as [[UInt8]] {
                    try scene.attacker.send(Self.command(code, identifier, data), on: Bench.signalling)
                }
                bench.run(for: .milliseconds(50))
            }
            try bench.answers(identifier &+ 1)
            try bench.answers(0)
            try bench.expectsNothing()
            try bench.answers(identifier)
            try bench.wait(for: "a channel") { if case .channel(.opened) = $0 { true } else { nil } }
            try bench.answers(identifier)
            try bench.expectsNothing()
        }
    }

    @Test func `row 44: CVE-2025-10458, answers with impossible channels and sizes`() throws {
        try attack(44, "CVE-2025-10458") { scene in
            let bench = scene.bench
            func answer(_ channel: UInt16, _ mtu: UInt16, _ mps: UInt16) throws {
                let (identifier, ours) = try bench.opens()
                let offer = little(channel) + little(mtu) + little(mps) + little(8) + [0, 0]
                try scene.attacker.send(Self.command(0x15, identifier, offer), on: Bench.signalling)
                try bench.told(failure: .badAnswer)
                guard (0x40...0x7F).contains(channel) else {
                    return try bench.expectsNothing(for: .milliseconds(100))
                }
                // The request names the attacker's end of the channel, so our host ends the channel.
                let ends = text(little(channel) + little(ours))
                let seen = try bench.expects(signalling: OctetPattern("06 ?? 04 00 \(ends)"))
                try bench.send(signalling: "07 \(text([seen[1]])) 04 00 \(ends)")
            }
            for channel in [0, 4, 5, 6, 0x3F, 0x80, 0xFFFF] as [UInt16] { try answer(channel, 64, 64) }
            for (mtu, mps) in [(0, 64), (22, 64), (64, 0), (64, 22), (64, 65534), (64, 65535)] as [(UInt16, UInt16)] {
                try answer(0x51, mtu, mps)
            }
            // The end of an existing channel.
            _ = try bench.openedByUs()
            let (identifier, _) = try bench.opens()
            try bench.answers(identifier)
            try bench.told(failure: .badAnswer)
            // Cut answers are no answers.
            let (cut, _) = try bench.opens()
            for length in 0..<10 {
                try scene.attacker.send(Self.command(0x15, cut, counting(length)), on: Bench.signalling)
            }
            try bench.expectsNothing(for: .milliseconds(200))
            try bench.told(failure: .timedOut, within: .seconds(31))
        }
    }

    @Test func `row 45: CVE-2022-42896, requests with impossible numbers`() throws {
        try attack(45, "CVE-2022-42896") { scene in
            let bench = scene.bench
            try bench.publish()
            for spsm in [0, 1, 0x7F, 0x81, 0x0100, 0x1001, 0xFFFF] as [UInt16] {
                try bench.request(spsm: spsm)
                try bench.refused(0x02)
            }
            for channel in [0, 1, 4, 5, 6, 0x3F, 0x80, 0xFFFF] as [UInt16] {
                try bench.request(tester: channel)
                try bench.refused(0x09)
            }
            for (mtu, mps) in [(0, 64), (22, 64), (64, 0), (64, 22), (64, 65534), (0xFFFF, 0xFFFF)]
                as [(UInt16, UInt16)]
            {
                try bench.request(mtu: mtu, mps: mps)
                try bench.refused(0x0B)
            }
            _ = try bench.openedByTester()
            try bench.request()
            try bench.refused(0x0A)
            // More channels than a link may have.
            for channel in 0x52..<0x61 as Range<UInt16> { _ = try bench.openedByTester(tester: channel) }
            for channel in 0x61..<0x68 as Range<UInt16> {
                try bench.request(tester: channel)
                try bench.refused(0x04)
            }
            bench.host.unpublish(spsm: Bench.spsm, for: Bench.client)
            try scene.reenter()
        }
    }

    @Test func `row 47: CVE-2022-20345, commands beyond their frame`() throws {
        try attack(47, "CVE-2022-20345") { scene in
            let whole = Self.command(0x0A, 9, [2, 0])
            for length in [3, 4, 23, 0x7FFF, 0xFFFF] as [UInt16] {
                try scene.attacker.send([0x0A, 9] + little(length) + [2, 0], on: Bench.signalling)
                try scene.bench.expects(signalling: "01 09 02 00 00 00")
            }
            // Several commands in one frame, which LE forbids, and a partial command.
            for frame in [whole + whole, whole + [0x0A], whole + [0x0A, 10, 0xFF, 0xFF]] {
                try scene.attacker.send(frame, on: Bench.signalling)
                try scene.bench.expects(signalling: "01 09 02 00 00 00")
            }
            for length in 2..<whole.count {
                try scene.attacker.send(Array(whole.prefix(length)), on: Bench.signalling)
                try scene.bench.expects(signalling: "01 09 02 00 00 00")
            }
            for frame in [[], [0x0A]] as [[UInt8]] { try scene.attacker.send(frame, on: Bench.signalling) }
            try scene.bench.expectsNothing(for: .milliseconds(200))
            // Longer than our signalling MTU.
            for length in [24, 200, 517] {
                let frame = [0x0A, 9] + little(UInt16(length - 4)) + counting(length - 4)
                try scene.attacker.send(frame, on: Bench.signalling)
                try scene.bench.expects(signalling: "01 09 04 00 01 00 17 00")
            }
            try scene.answersStill()
        }
    }

    @Test func `row 48: CVE-2023-35681, the largest sizes there are`() throws {
        try attack(48, "CVE-2023-35681") { scene in
            let bench = scene.bench
            try rejected(
                scene, 0x19, [little(0xFFFF) + little(0xFFFF) + little(0x40), little(0xFFFF) + little(0xFFFF)])
            try bench.publish()
            let offer = little(Bench.testerChannel) + little(0xFFFF) + little(65533) + little(0xFFFF)
            try scene.attacker.send(Self.command(0x14, 1, little(Bench.spsm) + offer), on: Bench.signalling)
            let seen = try bench.expects(signalling: "15 01 0A 00 ?? ?? ?? ?? ?? ?? ?? ?? 00 00")
            let id = try bench.wait(for: "a channel") {
                if case .channel(.opened(let opening)) = $0 { opening.channel } else { nil }
            }
            let channel = Bench.Channel(ours: UInt16(seen[4]) | UInt16(seen[5]) << 8, id: id)
            try bench.send(counting(3_000), on: channel)
            let frame = try bench.expects(OctetPattern("B8 0B *"), on: Bench.testerChannel)
            try require(Array(frame.dropFirst(2)) == counting(3_000), "\(frame.count) octets came")
            let isTaken = bench.host.send(counting(65_536), on: id, at: bench.now)
            try require(!isTaken, "an SDU was taken that has no length")
            bench.host.unpublish(spsm: Bench.spsm, for: Bench.client)
            try scene.reenter()
        }
    }

    /// Interval Min, Interval Max, Latency, Timeout.
    private static let parameters: [[UInt16]] = [
        [0, 0, 0, 0], [0, 24, 0, 200], [5, 16, 0, 200], [24, 3201, 0, 200], [40, 24, 0, 200], [24, 40, 500, 3200],
        [24, 40, 0xFFFF, 3200], [24, 40, 0, 9], [24, 40, 0, 3201], [24, 40, 0, 0xFFFF], [24, 40, 0, 0],
        // The timeout has to be more than twice the interval with its latency.
        [3200, 3200, 0, 800], [800, 800, 9, 2000], [0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF], [6, 0, 0, 10],
    ]

    @Test func `row 49: connection parameter update, parameters out of range`() throws {
        try attack(49, "connection parameter update") { scene in
            // The controller knows none of the forged requests.
            scene.controllerIsTrue = false
            let answer = scene.side == .peripheral ? "13 01 02 00 01 00" : "01 01 02 00 00 00"
            for row in Self.parameters {
                try scene.attacker.send(Self.command(0x12, 1, row.flatMap(little)), on: Bench.signalling)
                try scene.bench.expects(signalling: OctetPattern(answer))
            }
            for length in 0..<8 {
                try scene.attacker.send(Self.command(0x12, 1, counting(length)), on: Bench.signalling)
                try scene.bench.expects(signalling: "01 01 02 00 00 00")
            }
            let handle = little(try scene.hostHandle())
            for row in Self.parameters {
                scene.tell(0x3E, [0x06] + handle + row.flatMap(little))
                scene.bench.run(for: .milliseconds(50))
            }
            try require(scene.bench.parameters(of: .leConnectionUpdate).isEmpty, "the parameters were changed")
            let replies = scene.bench.parameters(of: .leRemoteConnectionParameterRequestReply)
            try require(replies.isEmpty, "the parameters were accepted")
            try scene.answersStill()
        }
    }

    @Test func `row 50: L2Fuzz, every code and many lengths`() throws {
        try attack(50, "L2Fuzz") { scene in
            let handle = try scene.hostHandle() | 0x2000
            let lengths = [0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 18, 19, 20, 64]
            for identifier in [0, 7] as [UInt8] {
                for code in 0...255 as ClosedRange<UInt8> {
                    for (index, length) in lengths.enumerated() {
                        let data = [UInt8](repeating: index % 2 == 0 ? 0 : 0xFF, count: length)
                        let frame = Self.command(code, identifier, data)
                        scene.tellACL(little(UInt16(frame.count)) + little(5) + frame, word: handle)
                        if index % 8 == 7 { scene.bench.run(for: .milliseconds(60)) }
                    }
                }
                let frames = scene.attacker.frames[Bench.signalling] ?? []
                try require(identifier != 0 || frames.isEmpty, "answers to nobody: \(frames.map(text))")
                try require(frames.allSatisfy { $0.count >= 4 && $0[1] == identifier }, "answered \(frames.map(text))")
                scene.attacker.forget()
            }
            try scene.answersStill()
        }
    }
}
