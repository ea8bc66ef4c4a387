// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import L2CAP
import Testing

@testable import HostBench

/// Credit based channels whose frames, credits and ends lie: rows 31 to 37 and 46.
struct ChannelAttacks {
    /// Runs a script with a published channel; withdraws the channel afterwards.
    private func withListener(_ scene: AttackBench, _ script: (Bench) throws -> Void) throws {
        try scene.bench.publish()
        try script(scene.bench)
        scene.bench.host.unpublish(spsm: Bench.spsm, for: Bench.client)
    }

    /// The attacker opens a channel and sends these frames. Our host closes the channel.
    private func breaks(
        _ bench: Bench, _ fault: CreditBasedChannelMachine.Fault, _ frames: [[UInt8]]
    ) throws {
        let channel = try bench.openedByTester()
        for frame in frames { try bench.peer.send(frame, on: channel.ours) }
        try bench.told(end: .broken(fault), of: channel)
        try bench.ends(channel)
        try bench.expectsNothing(for: .milliseconds(100))
        try worksStill(bench)
    }

    /// A channel opens, an SDU comes, and the channel is closed by the attacker.
    private func worksStill(_ bench: Bench) throws {
        let channel = try bench.openedByTester()
        try bench.peer.send([3, 0, 7, 8, 9], on: channel.ours)
        try bench.told(data: [7, 8, 9], on: channel)
        try closes(bench, channel)
    }

    private func closes(_ bench: Bench, _ channel: Bench.Channel) throws {
        let ends = text(little(channel.ours)) + " " + text(little(Bench.testerChannel))
        try bench.send(signalling: "06 05 04 00 \(ends)")
        try bench.expects(signalling: OctetPattern("07 05 04 00 \(ends)"))
        try bench.told(end: .closedByPeer, of: channel)
    }

    @Test func `row 31: CVE-2018-9555, SDU lengths that do not fit`() throws {
        try attack(31, "CVE-2018-9555, CVE-2019-2009") { scene in
            try withListener(scene) { bench in
                for length in [0, 1, 5] as [UInt16] {
                    try breaks(bench, .sduOverrun, [little(length) + counting(Int(length) + 1)])
                    try breaks(bench, .sduOverrun, [little(length) + counting(245)])
                }
                for length in [2049, 0x7FFF, 0x8000, 0xFFFF] as [UInt16] {
                    try breaks(bench, .sduTooLong, [little(length)])
                    try breaks(bench, .sduTooLong, [little(length) + counting(200)])
                }
                try breaks(bench, .frameTooLong, [little(2048) + counting(246)])
                // Repeated empty frames cost nothing, and our client hears of none.
                let channel = try bench.openedByTester()
                for _ in 0..<100 {
                    try bench.peer.send([0, 0], on: channel.ours)
                    bench.run(for: .milliseconds(40))
                }
                bench.peer.forget()
                try bench.peer.send([1, 0, 0x55], on: channel.ours)
                try bench.told(data: [0x55], on: channel)
                bench.run(for: .milliseconds(100))
                bench.peer.forget()
                try closes(bench, channel)
            }
        }
    }

    @Test func `row 32: CVE-2021-3454, first frames without an SDU length`() throws {
        try attack(32, "CVE-2021-3454") { scene in
            try withListener(scene) { bench in
                for frame in [[], [0], [0xFF]] as [[UInt8]] {
                    try breaks(bench, .lengthMissing, [frame])
                    // Behind a whole SDU, too.
                    let channel = try bench.openedByTester()
                    try bench.peer.send([1, 0, 0x55], on: channel.ours)
                    try bench.peer.send(frame, on: channel.ours)
                    try bench.told(data: [0x55], on: channel)
                    try bench.told(end: .broken(.lengthMissing), of: channel)
                    try bench.ends(channel)
                }
            }
        }
    }

    @Test func `row 33: CVE-2026-31512, short frames on enhanced channels`() throws {
        try attack(33, "CVE-2026-31512") { scene in
            try withListener(scene) { bench in
                for count in 1...5 {
                    let channels = (0..<count).flatMap { little(0x50 + UInt16($0)) }
                    let request = little(Bench.spsm) + little(64) + little(64) + little(8) + channels
                    try bench.send(signalling: text([0x17, UInt8(count)] + little(UInt16(request.count)) + request))
                    try bench.expects(signalling: OctetPattern("01 0\(count) 02 00 00 00"))
                    for channel in 0x40..<0x60 as Range<UInt16> {
                        for frame in [[], [1], [1, 0], [1, 0, 7]] as [[UInt8]] {
                            try bench.peer.send(frame, on: channel)
                        }
                        bench.run(for: .milliseconds(50))
                    }
                }
                try bench.expectsNothing()
                try worksStill(bench)
            }
        }
    }

    @Test func `row 34: NimBLE 70ca30a2e, the end of a channel at each part of an SDU`() throws {
        try attack(34, "NimBLE 70ca30a2e") { scene in
            try withListener(scene) { bench in
                let frames = [little(100) + counting(30), counting(30), counting(30), counting(9)]
                for count in 0...frames.count {
                    let channel = try bench.openedByTester()
                    for frame in frames.prefix(count) { try bench.peer.send(frame, on: channel.ours) }
                    try closes(bench, channel)
                    // Later frames belong to no channel.
                    for frame in frames.dropFirst(count) { try bench.peer.send(frame, on: channel.ours) }
                    try worksStill(bench)
                }
                for count in 0...frames.count {
                    let channel = try bench.openedByTester()
                    for frame in frames.prefix(count) { try bench.peer.send(frame, on: channel.ours) }
                    try scene.leave()
                    try bench.told(end: .linkLost, of: channel)
                    try scene.enter()
                    for frame in frames.dropFirst(count) { try bench.peer.send(frame, on: channel.ours) }
                    try worksStill(bench)
                }
                // Our host closes, and frames go on coming.
                let channel = try bench.openedByTester()
                try bench.peer.send(frames[0], on: channel.ours)
                bench.run(for: .milliseconds(200))
                bench.host.close(channel.id, at: bench.now)
                for frame in frames.dropFirst() { try bench.peer.send(frame, on: channel.ours) }
                try bench.ends(channel)
                try bench.told(end: .closedByUs, of: channel)
            }
        }
    }

    @Test func `row 35: CVE-2026-19935, a frame and its channel's end in one breath`() throws {
        try attack(35, "CVE-2026-19935") { scene in
            try withListener(scene) { bench in
                for frames in [1, 5] {
                    let channel = try bench.openedByTester()
                    let handle = try scene.hostHandle() | 0x2000
                    for _ in 0..<frames {
                        scene.tellACL(little(5) + little(channel.ours) + [3, 0, 7, 8, 9], word: handle)
                    }
                    let ends = little(channel.ours) + little(Bench.testerChannel)
                    scene.tellACL(little(8) + little(5) + [0x06, 5, 4, 0] + ends, word: handle)
                    scene.tellACL(little(5) + little(channel.ours) + [3, 0, 7, 8, 9], word: handle)
                    scene.tellACL(little(8) + little(5) + [0x06, 6, 4, 0] + ends, word: handle)
                    for _ in 0..<frames { try bench.told(data: [7, 8, 9], on: channel) }
                    try bench.told(end: .closedByPeer, of: channel)
                    try bench.expects(signalling: OctetPattern("07 05 04 00 \(text(ends))"))
                    try bench.expects(signalling: OctetPattern("01 06 06 00 02 00 \(text(ends))"))
                    try worksStill(bench)
                }
            }
        }
    }

    @Test func `row 36: TrouBLE 4d52775, credits beyond all bounds`() throws {
        try attack(36, "TrouBLE 4d52775") { scene in
            try withListener(scene) { bench in
                // 8 were given at the beginning.
                for gifts in [[0xFFFF], [0xFFF7, 1], [0x7FFF, 0x7FFF, 10]] as [[UInt16]] {
                    let channel = try bench.openedByTester()
                    for gift in gifts { try bench.giveCredits(gift) }
                    try bench.told(end: .broken(.creditOverflow), of: channel)
                    try bench.ends(channel)
                }
                let channel = try bench.openedByTester()
                for _ in 0..<20 { try bench.giveCredits(0) }
                try bench.giveCredits(0xFFF7)
                try bench.expectsNothing(for: .milliseconds(300))
                try bench.peer.send([1, 0, 0x55], on: channel.ours)
                try bench.told(data: [0x55], on: channel)
                try closes(bench, channel)
                // Credits for channels of other owners, and for no channel.
                for other in [0, 4, 0x40, 0x52, 0xFFFF] as [UInt16] {
                    try bench.peer.send([0x16, 9, 4, 0] + little(other) + [0xFF, 0xFF], on: Bench.signalling)
                }
                try bench.expectsNothing(for: .milliseconds(300))
                try waitsForCredits(bench)
                try givesForWhatIsTaken(bench)
            }
        }
    }

    /// Our host sends a frame for each credit, and no more.
    private func waitsForCredits(_ bench: Bench) throws {
        let channel = try bench.openedByTester()
        var seen = 0
        func sends(_ more: Int) throws {
            bench.run(for: .seconds(1))
            let frames = bench.peer.frames[Bench.testerChannel] ?? []
            let expected = (seen..<(seen + more)).map { [1, 0, UInt8($0)] as [UInt8] }
            try require(frames == expected, "\(more) credits bring \(frames.map(text))")
            seen += more
            bench.peer.forget()
        }
        for number in 0..<14 as Range<UInt8> { try bench.send([number], on: channel) }
        try sends(8)
        for _ in 0..<20 { try bench.giveCredits(0) }
        try sends(0)
        try bench.giveCredits(1)
        try sends(1)
        try bench.giveCredits(3)
        try sends(3)
        try bench.giveCredits(0xFFFF)
        try sends(2)
        try bench.giveCredits(2)
        try sends(0)
        // Two credits are used up: the peer may add two, and no more.
        try bench.giveCredits(1)
        try bench.told(end: .broken(.creditOverflow), of: channel)
        try bench.ends(channel)
    }

    /// The attacker's credits run out. Our host grants credits only for frames which our client has taken, and closes the channel of a peer
    /// that sends without credits.
    private func givesForWhatIsTaken(_ bench: Bench) throws {
        let sdu = counting(245)
        for isTaken in [true, false] {
            let channel = try bench.openedByTester()
            for _ in 0..<CreditBasedChannelMachine.window {
                try bench.peer.send(little(245) + sdu, on: channel.ours)
                bench.run(for: .milliseconds(100))
            }
            for _ in 0..<CreditBasedChannelMachine.window { try bench.told(data: sdu, on: channel) }
            try bench.expectsNothing(for: .milliseconds(300))
            if isTaken {
                bench.host.consumed(sdu.count * 20, on: channel.id, at: bench.now)
                try bench.expects(signalling: OctetPattern("16 ?? 04 00 \(text(little(channel.ours))) 14 00"))
                for _ in 0..<20 {
                    try bench.peer.send(little(245) + sdu, on: channel.ours)
                    bench.run(for: .milliseconds(100))
                }
                for _ in 0..<20 { try bench.told(data: sdu, on: channel) }
                try bench.expectsNothing(for: .milliseconds(300))
            }
            try bench.peer.send([0, 0], on: channel.ours)
            try bench.told(end: .broken(.frameWithoutCredit), of: channel)
            try bench.ends(channel)
        }
        try worksStill(bench)
    }

    @Test func `row 37: TrouBLE 4be9f6a, parts that are longer than their SDU`() throws {
        try attack(37, "TrouBLE 4be9f6a") { scene in
            try withListener(scene) { bench in
                try breaks(bench, .sduOverrun, [little(100) + counting(40), counting(40), counting(21)])
                try breaks(bench, .sduOverrun, [little(2048)] + Array(repeating: counting(247), count: 9))
                try breaks(bench, .sduOverrun, [little(2), counting(3)])
            }
        }
    }

    @Test func `row 46: CVE-2026-74540, answers that cross the end of what asked`() throws {
        try attack(46, "CVE-2026-74540") { scene in
            let bench = scene.bench
            // The link ends by our host, with the answer on its way.
            let (first, _) = try bench.opens()
            bench.host.endLink(try bench.link, at: bench.now)
            try bench.answers(first)
            try scene.leave()
            try bench.told(failure: .linkLost)
            try scene.enter()
            // The link ends by the attacker, right behind its answer.
            let (second, _) = try bench.opens()
            try bench.answers(second)
            try scene.leave()
            try scene.enter()
            // The channel is closed on both sides at once.
            let channel = try bench.openedByUs()
            bench.host.close(channel.id, at: bench.now)
            let ends = text(little(channel.ours)) + " " + text(little(Bench.testerChannel))
            try bench.send(signalling: "06 05 04 00 \(ends)")
            bench.run(for: .seconds(1))
            scene.attacker.forget()
            // The answer comes after its time.
            let (late, _) = try bench.opens()
            try bench.told(failure: .timedOut, within: .seconds(31))
            try bench.answers(late)
            try bench.expectsNothing()
            try scene.answersStill()
        }
    }
}
