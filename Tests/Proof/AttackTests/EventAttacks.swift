// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import GATT
import HCI
import Testing
import VirtualRadio

@testable import HostBench

/// False events, events for absent links, and endless events: rows 1, 8, 10, 12, 17, 18, 71 and 116.
struct EventAttacks {
    /// Every event known to the host, about a link that does not exist.
    private static let events: [(code: UInt8, parameters: [UInt8])] = {
        let handle = little(AttackBench.nobody)
        let peer = [1] + address48(DeviceAddress(kind: .random, value: 0xC000_0000_0667))
        return [
            (0x05, [0] + handle + [0x13]), (0x08, [0] + handle + [1]), (0x59, [0] + handle + [1, 16]),
            (0x0C, [0] + handle + [13, 1, 0, 1, 0]), (0x0E, [1] + little(0x2005) + [0]),
            (0x0F, [0, 1] + little(0x2013)),
            (0x13, [1] + handle + [1, 0]), (0x1A, [1]), (0x30, [0] + handle),
            (0x3E, [0x03, 0] + handle + [24, 0, 0, 0, 200, 0]), (0x3E, [0x04, 0] + handle + counting(8)),
            (0x3E, [0x05] + handle + counting(10)), (0x3E, [0x06] + handle + [24, 0, 40, 0, 0, 0, 200, 0]),
            (0x3E, [0x07] + handle + [251, 0, 0x48, 8, 251, 0, 0x48, 8]), (0x3E, [0x0C, 0] + handle + [2, 2]),
            (0x3E, [0x12, 0, 5] + handle + [0]), (0x3E, [0x02, 1, 3] + peer + [3, 2, 1, 6, 0xC4]),
            (0x3E, [0x0D, 1, 0, 0] + peer + [1, 1, 0, 127, 0xC4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 2, 1, 6]),
            (0x3E, [0x01, 0x3E] + handle + [0] + peer + [24, 0, 0, 0, 200, 0, 0]),
            (0x3E, [0x0A, 0x3E] + handle + [0] + peer + counting(12) + [24, 0, 0, 0, 200, 0, 0]),
            (0x3E, [0x11]), (0x3E, [0x14] + handle + [1]),
        ]
    }()

    @Test func `row 1: CVE-2024-47249, an advertising set that was never made`() throws {
        try attack(
            1, "CVE-2024-47249", by: [.central], controller: ControllerSettings(extendedAdvertising: true)
        ) { scene in
            try scene.leave()
            // Our host's advertising set is on the air; only a connection stops it.
            let (sent, events) = (scene.bench.commands.count, scene.bench.events.count)
            for set in 1...255 as ClosedRange<UInt8> {
                for status in [0x00, 0x3C, 0x43] as [UInt8] {
                    scene.tell(0x3E, [0x12, status, set] + little(AttackBench.nobody) + [0])
                }
            }
            scene.bench.run(for: .seconds(1))
            try require(scene.bench.commands.count == sent, "commands followed")
            try require(scene.bench.events.count == events, "the client was told \(scene.bench.events)")
            try scene.enter()
            try scene.answersStill()
        }
    }

    @Test func `row 8: CVE-2025-53477, connections that nobody wanted`() throws {
        try attack(8, "CVE-2025-53477", by: [.none]) { scene in
            scene.controllerIsTrue = false
            let handles = (0..<48 as Range<UInt16>).map { AttackBench.nobody + $0 }
            // As Central our host did not ask for the connection; as Peripheral it has not advertised.
            for role in [0, 1] as [UInt8] {
                for round in 0..<3 {
                    let before = scene.bench.parameters(of: .disconnect).count
                    var answered = 0
                    scene.bench.swallows = { packet in
                        if packet[0] == 2, packet[2] & 0x0F == 0x0E { answered += 1 }
                        return false
                    }
                    for (number, handle) in handles.enumerated() {
                        let address = DeviceAddress(kind: .random, value: 0xC000_0000_7000 + UInt64(number))
                        scene.tellConnection(handle, role: role, to: address)
                        scene.tellACL([3, 0, 4, 0, 0x0A, 0x22, 0], word: handle | 0x2000)
                        scene.bench.run(for: .milliseconds(5))
                    }
                    let ended = scene.bench.parameters(of: .disconnect).dropFirst(before).map { Array($0.prefix(2)) }
                    try require(ended == handles.map(little), "role \(role): ended \(ended.map(text))")
                    try require(answered == 0, "role \(role): \(answered) requests were answered")
                    try scene.thrives()
                    scene.bench.swallows = nil
                    for handle in handles { scene.tellDisconnection(handle) }
                    scene.bench.run(for: .seconds(5))
                    if round == 0 { scene.remember() }
                }
            }
        }
    }

    @Test func `row 10: CVE-2020-10066, answers to commands that were never sent`() throws {
        try attack(10, "CVE-2020-10066", by: [.central, .none]) { scene in
            // The host has sent all its requests for a new link.
            scene.bench.run(for: .seconds(5))
            let (sent, links) = (scene.bench.commands.count, scene.bench.host.counters.connections)
            scene.bench.events = []
            for group in [0x00, 0x01, 0x03, 0x04, 0x05, 0x08, 0x3F] as [UInt16] {
                for command in 0..<0x90 as Range<UInt16> {
                    let opcode = little(group << 10 | command)
                    for parameters in [[], [0], [0x0C], [0] + counting(12)] as [[UInt8]] {
                        scene.tell(0x0E, [1] + opcode + parameters)
                    }
                    for status in [0x00, 0x02, 0x0C] as [UInt8] { scene.tell(0x0F, [status, 1] + opcode) }
                }
            }
            scene.bench.run(for: .seconds(3))
            let followed = scene.bench.commands[sent...].map(text)
            try require(followed.isEmpty, "commands followed: \(followed)")
            try require(scene.bench.events.isEmpty, "the client was told \(scene.bench.events)")
            try require(scene.bench.host.counters.connections == links, "there is another link")
            try scene.thrives()
            guard scene.side == .none else { return }
            // The controller never lets the host send another command.
            scene.tell(0x0E, [0, 0, 0])
            scene.bench.host.setScan(ScanDemand(services: nil), for: Bench.client, at: scene.bench.now)
            scene.bench.run(for: .seconds(5)) { scene.bench.host.state == .resetting }
            scene.bench.host.setScan(nil, for: Bench.client, at: scene.bench.now)
            try require(scene.bench.host.state == .resetting, "the host waits for ever")
            try scene.recover()
        }
    }

    @Test func `row 12: CVE-2023-0396, every event cut at every octet`() throws {
        try attack(12, "CVE-2023-0396", by: [.central, .none]) { scene in
            for event in Self.events {
                for length in 0..<event.parameters.count {
                    let cut = Array(event.parameters.prefix(length))
                    // The length field has the length of the cut event, or of the whole event.
                    scene.tell(event.code, cut)
                    let before = scene.bench.host.counters.malformedPackets
                    scene.tellRaw([4, event.code, UInt8(event.parameters.count)] + cut)
                    let isCounted = scene.bench.host.counters.malformedPackets == before + 1
                    try require(isCounted, "\(length) octets of event \(event.code) are not counted")
                }
                for header in [[], [4], [4, event.code]] as [[UInt8]] { scene.tellRaw(header) }
            }
            scene.bench.run(for: .seconds(3))
            try hasNoEffect(scene)
        }
    }

    /// Events with an effect, cut short: the effect does not occur.
    private func hasNoEffect(_ scene: AttackBench) throws {
        let bench = scene.bench
        let report = [2, 1, 0, 1] + address48(AttackBench.absent) + [3, 2, 1, 6, 0xC4]
        let seen = try scene.scanning {
            try dropsEachCut(of: 0x3E, report, scene)
            scene.tell(0x3E, report)
        }
        try require(seen.map(\.octets).filter { $0 == [2, 1, 6] }.count == 1, "told \(seen)")
        let connection =
            [1, 0] + little(AttackBench.nobody) + [0, 0] + address48(AttackBench.absent) + little(24) + little(0)
            + little(200) + [0]
        let (connections, links) = (bench.host.counters.connections, bench.links)
        try dropsEachCut(of: 0x3E, connection, scene)
        try require(
            bench.host.counters.connections == connections && bench.links == links, "there is another link")
        guard scene.side == .central else { return }
        let handle = little(try scene.hostHandle())
        for (code, parameters) in [
            (0x05, [0] + handle + [0x13]), (0x08, [0] + handle + [1]), (0x59, [0] + handle + [1, 16]),
            (0x30, [0] + handle), (0x3E, [0x05] + handle + counting(10)),
        ] as [(UInt8, [UInt8])] {
            try dropsEachCut(of: code, parameters, scene)
        }
        try require(bench.host.security(of: try bench.link)?.isEncrypted == false, "the link is encrypted")
        try require(bench.parameters(of: .leLongTermKeyRequestNegativeReply).isEmpty, "a key was looked for")
        try scene.answersStill()
    }

    /// The host counts each cut event as unreadable, and sends and reports nothing.
    private func dropsEachCut(of code: UInt8, _ parameters: [UInt8], _ scene: AttackBench) throws {
        let bench = scene.bench
        bench.events = []
        let sent = bench.commands.count
        for length in parameters.indices {
            let before = bench.host.counters.malformedPackets
            scene.tell(code, Array(parameters.prefix(length)))
            let isCounted = bench.host.counters.malformedPackets == before + 1
            try require(isCounted, "\(length) octets of event \(code) are taken")
        }
        bench.run(for: .milliseconds(200))
        try require(bench.events.isEmpty && bench.commands.count == sent, "event \(code): \(bench.events)")
    }

    @Test func `row 17: CVE-2024-48984, every octet of every event with other values`() throws {
        try attack(17, "CVE-2024-48984, CVE-2024-48985", by: [.none]) { scene in
            scene.controllerIsTrue = false
            // Links may come about; the host uses their place in the table again.
            scene.tellConnection(AttackBench.nobody)
            scene.tellDisconnection(AttackBench.nobody)
            scene.bench.run(for: .seconds(1))
            scene.remember()
            for event in Self.events {
                for index in event.parameters.indices {
                    for value in [0x00, 0x01, 0x1F, 0x7F, 0x80, 0xFF] as [UInt8] {
                        var parameters = event.parameters
                        parameters[index] = value
                        scene.tell(event.code, parameters)
                        // The host may send commands as before, and new links end.
                        scene.tell(0x0E, [1, 0, 0])
                        scene.bench.run(for: .milliseconds(20))
                    }
                }
                let before = scene.bench.host.counters.malformedPackets
                for length in 0...255 as ClosedRange<UInt8> where Int(length) != event.parameters.count {
                    scene.tellRaw([4, event.code, length] + event.parameters)
                }
                // The host reads reports up to the end of their packet; the transport has cut the packet to its length field.
                let isReport = event.code == 0x3E && [0x02, 0x0D].contains(event.parameters[0])
                let counted = scene.bench.host.counters.malformedPackets - before
                try require(counted == 255 || isReport, "\(counted) of event \(event.code) are counted")
            }
            for handle in 0x0E00...0x0EFF as ClosedRange<UInt16> { scene.tellDisconnection(handle) }
            scene.bench.run(for: .seconds(5))
        }
    }

    @Test func `row 18: CVE-2016-9803, subevents beyond any table`() throws {
        try attack(18, "CVE-2016-9803", by: [.central, .none]) { scene in
            let known = Set(Self.events.filter { $0.code == 0x3E }.compactMap(\.parameters.first))
            let sent = scene.bench.commands.count
            scene.bench.events = []
            for subevent in 0...255 as ClosedRange<UInt8> where !known.contains(subevent) {
                for length in [0, 1, 2, 30, 254] { scene.tell(0x3E, [subevent] + counting(length)) }
            }
            scene.tell(0x3E, [])
            scene.bench.run(for: .seconds(1))
            try require(scene.bench.commands.count == sent, "commands followed")
            try require(scene.bench.events.isEmpty, "the client was told \(scene.bench.events)")
        }
    }

    @Test func `row 71: CVE-2020-27153, a link ends twice`() throws {
        try attack(71, "CVE-2020-27153") { scene in
            for _ in 0..<3 {
                let (handle, link) = (try scene.hostHandle(), try scene.bench.link)
                let before = scene.bench.host.counters.disconnections
                // The link has an open transaction.
                try scene.bench.ask(.read(handle: 3))
                try scene.leave()
                for reason in [0x13, 0x16, 0x08] as [UInt8] { scene.tellDisconnection(handle, reason: reason) }
                scene.tell(0x05, [0x02] + little(handle) + [0])
                scene.bench.run(for: .milliseconds(300))
                let ends = scene.bench.events.filter { if case .linkDown(link, _) = $0 { true } else { false } }
                let answers = scene.bench.events.filter { if case .completed = $0 { true } else { false } }
                try require(ends.count == 1, "the end is told \(ends.count) times")
                try require(answers.count == 1, "the read ends \(answers.count) times")
                let counted = scene.bench.host.counters.disconnections - before
                try require(counted == 1, "\(counted) ends are counted")
                try scene.enter()
            }
            try scene.answersStill()
        }
    }

    @Test func `row 116: BR-EDR, events and channels that LE does not have`() throws {
        let id =
            "CVE-2023-24023, CVE-2020-26555, CVE-2017-1000251, CVE-2020-12351, CVE-2020-12352, CVE-2022-42895, "
            + "CVE-2017-1000250, CVE-2026-28526, CVE-2026-28527, CVE-2026-28528"
        try attack(116, id) { scene in
            let sent = scene.bench.commands.count
            // Connection requests, link keys, PINs, input and output capabilities, inquiry results and the rest.
            let known: Set<UInt8> = [0x05, 0x08, 0x0E, 0x0F, 0x10, 0x13, 0x1A, 0x30, 0x3E, 0x59]
            for code in 0...255 as ClosedRange<UInt8> where !known.contains(code) {
                for length in [0, 6, 10, 255] { scene.tell(code, [UInt8](repeating: 0, count: length)) }
            }
            // Signalling and connectionless channels of BR/EDR, A2MP, its test channel, and dynamic ones.
            for channel in [0, 1, 2, 3, 7, 0x3A, 0x3E, 0x3F, 0x40, 0x7F, 0x80, 0xFFFF] as [UInt16] {
                for length in [0, 1, 4, 48, 300] { try scene.attacker.send(counting(length), on: channel) }
                // Configuration, information, A2MP discovery, SDP and AVDTP.
                for frame in [
                    "0A 01 02 00 02 00", "04 01 04 00 40 00 00 00", "01 01 04 00 00 01 00 00", "02 00 01 00 08",
                ] {
                    try scene.attacker.send(hex(frame), on: channel)
                }
            }
            try scene.bench.expectsNothing()
            try require(scene.bench.commands.count == sent, "commands followed")
            try scene.answersStill()
        }
    }
}
