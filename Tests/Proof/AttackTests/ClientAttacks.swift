// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import BluetoothHost
import GATT
import Testing

@testable import HostBench

/// A server's answers to our client, and its unasked PDUs: rows 53, 57, 62, 66 to 69, 74, 79 and 80.
struct ClientAttacks {
    private static let everything = ATTPDU.HandleRange(start: 1, end: 0xFFFF)

    /// Our client's requests, the first PDU of each, and a correct answer.
    private static let exchanges: [(request: GATTRequest, pdu: OctetPattern, answer: [UInt8])] = [
        (.discoverServices(nil), "10 01 00 FF FF 00 28", hex("11 06 01 00 05 00 F0 FF")),
        (.discoverServices([.init(UInt16(0xFFF0))]), "06 01 00 FF FF 00 28 F0 FF", hex("07 01 00 05 00")),
        (.discoverIncludedServices(everything), "08 01 00 FF FF 02 28", hex("09 08 02 00 10 00 15 00 F1 FF")),
        (.discoverCharacteristics(everything, nil), "08 01 00 FF FF 03 28", hex("09 07 02 00 02 03 00 F2 FF")),
        (.discoverDescriptors(everything), "04 01 00 FF FF", hex("05 01 04 00 02 29")),
        (.read(handle: 3), "0A 03 00", hex("0B 01 02 03")),
        (.readByType(.init(UInt16(0xFFF2))), "08 01 00 FF FF F2 FF", hex("09 05 03 00 01 02 03")),
        (.readMultiple(handles: [3, 5]), "0E 03 00 05 00", hex("0F 01 02 03")),
        (.readMultipleVariable(handles: [3, 5]), "20 03 00 05 00", hex("21 02 00 01 02 01 00 05")),
        (.readAll(.init(UInt16(0xFFF2)), in: everything), "08 01 00 FF FF F2 FF", hex("09 05 03 00 01 02 03")),
        (.write(handle: 3, value: [1, 2]), "12 03 00 01 02", hex("13")),
        (
            .write(handle: 3, value: counting(18) + [0x40, 0x41, 0x42]), "16 03 00 00 00 *",
            hex("17 03 00 00 00") + counting(18)
        ),
        (.reliableWrite([.init(handle: 3, value: [7])]), "16 03 00 00 00 07", hex("17 03 00 00 00 07")),
        (.configure(valueHandle: 0x20, endHandle: 0x22, .notification), "04 21 00 22 00", hex("05 01 21 00 02 29")),
    ]

    /// Refuses all further PDUs of our client until the client has reported the end of its request.
    @discardableResult
    private func ends(_ scene: AttackBench) throws -> Result<GATTResponse, GATTError> {
        let bench = scene.bench
        for _ in 0..<8 {
            bench.run(for: .seconds(1)) {
                scene.attacker.frames[Bench.attributeProtocol]?.isEmpty == false
                    || bench.events.contains { if case .completed = $0 { true } else { false } }
            }
            guard let asked = scene.attacker.takeFrame(on: Bench.attributeProtocol) else { break }
            if asked[0] == 0x18 {
                try bench.send(att: "19")
            } else {
                try bench.send(att: [0x01, asked[0], 0, 0, 0x0A])
            }
        }
        let ends = bench.events.compactMap { if case .completed(_, let result) = $0 { result } else { nil } }
        guard let end = ends.first, ends.count == 1 else {
            throw ScriptFailure("the request ends \(ends.count) times: \(ends)")
        }
        bench.events = []
        return end
    }

    /// The request fails, because the server's answer makes no sense. A search with alternatives may also find nothing.
    private func failsOrFindsNothing(_ scene: AttackBench, _ answer: String) throws {
        let end = try ends(scene)
        let isEmpty = [.services([]), .characteristics([]), .descriptors([]), .unconfigured].contains {
            end == .success($0)
        }
        try require(isEmpty || end == .failure(.malformed), "\(answer): the client was told \(end)")
    }

    private func fails(_ scene: AttackBench, _ answer: String) throws {
        let end = try ends(scene)
        try require(end == .failure(.malformed), "\(answer): the client was told \(end)")
    }

    @Test func `row 79: BTstack 91e9acc71, every PDU cut at every length`() throws {
        try attack(79, "BTstack 91e9acc71, cc5d69651, 9195f3420, a3e077323") { scene in
            let requests = [
                "02 17 00", "04 01 00 FF FF", "06 01 00 FF FF 00 28 F0 FF", "08 01 00 FF FF 03 28", "0A 22 00",
                "0C 22 00 01 00", "0E 22 00 24 00", "10 01 00 FF FF 00 28", "12 24 00 01", "16 24 00 00 00 01", "18 00",
                "20 22 00 24 00", "52 24 00 01", "D2 24 00 01 00 01 02 03 04 05 06 07 08 09 0A 0B", "1E",
            ]
            for request in requests.map(hex) {
                for length in 1...request.count {
                    try scene.bench.send(att: Array(request.prefix(length)))
                    scene.bench.run(for: .milliseconds(200))
                    let answers = scene.attacker.frames[Bench.attributeProtocol] ?? []
                    try require(answers.count <= 1, "\(answers.count) answers")
                    scene.attacker.forget()
                }
            }
            // Unknown opcodes of each kind.
            for opcode in 0...255 as ClosedRange<UInt8> {
                for length in [0, 1, 22] {
                    try scene.bench.send(att: [opcode] + counting(length))
                    scene.bench.run(for: .milliseconds(30))
                }
            }
            scene.bench.run(for: .seconds(1))
            try scene.reenter()
            try scene.answersStill()
            guard scene.side == .peripheral else { return }
            for (request, pdu, answer) in Self.exchanges {
                for length in 1...answer.count {
                    // Our client does not ask for known services again.
                    try scene.reenter()
                    try scene.ask(request, expecting: pdu, answer: Array(answer.prefix(length)))
                    try ends(scene)
                }
            }
            for length in 1...6 {
                for update in ["1B 09 00 66", "1D 09 00 66", "23 09 00 01 00 66"].map(hex) {
                    try scene.bench.send(att: Array(update.prefix(length)))
                    scene.bench.run(for: .milliseconds(100))
                    scene.bench.host.confirm(try scene.bench.link, for: Bench.client, at: scene.bench.now)
                }
            }
            scene.bench.run(for: .seconds(1))
            scene.attacker.forget()
            try scene.readsStill()
        }
    }

    @Test func `row 66: CVE-2018-9435, Error Responses that are cut`() throws {
        try attack(66, "CVE-2018-9435", by: [.peripheral]) { scene in
            for (request, pdu, _) in Self.exchanges {
                for length in 0..<4 {
                    try scene.ask(request, expecting: pdu, answer: [0x01] + [0x0A, 0x03, 0, 0].prefix(length))
                    try failsOrFindsNothing(scene, "an error of \(length) octets after \(pdu)")
                }
                // An Error Response that is too long and has no error code.
                try scene.ask(request, expecting: pdu, answer: [0x01, 0x0A, 3, 0, 0x0A, 1])
                try failsOrFindsNothing(scene, "an error that is too long after \(pdu)")
            }
            // The Error Response names another request. Only one request is outstanding, so the response counts for our request.
            for named in ["12", "00", "FF"] {
                try scene.ask(.read(handle: 3), expecting: "0A 03 00", answer: hex("01 \(named) 03 00 02"))
                try scene.bench.told(.failure(.refused(.readNotPermitted)))
            }
            try scene.readsStill()
        }
    }

    @Test func `row 53: CVE-2026-45815, Read Multiple Variable Responses past their end`() throws {
        try attack(53, "CVE-2026-45815", by: [.peripheral]) { scene in
            let answers = [
                "21", "21 02", "21 02 00", "21 FF FF", "21 FF FF 01", "21 01 00", "21 00 00 00", "21 00 00 00 00 00 00",
                "21 01 00 01 FF FF", "21 01 00 01 05 00 01 02", "21 14 00 " + text(counting(20)), "21 00 00",
                "21 00 02 " + text(counting(20)), "21 01 00 01 01 00 02 01 00 03",
            ]
            for answer in answers {
                try scene.ask(
                    .readMultipleVariable(handles: [3, 5]), expecting: "20 03 00 05 00", answer: hex(answer))
                // Our client reads the truncated rest by itself, and the attacker refuses.
                guard case .failure(let error) = try ends(scene), error == .malformed || hex(answer).count == 23 else {
                    throw ScriptFailure("\(answer) is taken")
                }
            }
            try scene.readsStill()
        }
    }

    @Test func `row 57: CVE-2024-3077, Find Information Responses that are cut`() throws {
        try attack(57, "CVE-2024-3077", by: [.peripheral]) { scene in
            for answer in [
                "05", "05 01", "05 02", "05 02 01 00 02", "05 00 01 00 02 29", "05 03 01 00 02 29", "05 01 01 00 02",
            ] {
                for request in [
                    GATTRequest.discoverDescriptors(Self.everything),
                    .configure(valueHandle: 1, endHandle: 9, .notification),
                ] {
                    try scene.ask(request, expecting: "04 ?? ?? ?? ??", answer: hex(answer))
                    try failsOrFindsNothing(scene, answer)
                }
            }
            try scene.readsStill()
        }
    }

    @Test func `row 62: CVE-2023-20951, Prepare Write Responses that say something else`() throws {
        try attack(62, "CVE-2023-20951", by: [.peripheral]) { scene in
            let bench = scene.bench
            let right = hex("17 03 00 00 00") + counting(18)
            var wrong = (1..<right.count).map { Array(right.prefix($0)) } + [right + [0], right + counting(100)]
            for index in 1..<right.count {
                var answer = right
                answer[index] ^= 0x80
                wrong.append(answer)
            }
            for answer in wrong {
                try scene.ask(.write(handle: 3, value: counting(40)), expecting: "16 03 00 00 00 *", answer: answer)
                try bench.expects(att: "18 00")
                try bench.send(att: "19")
                try bench.told(.failure(.malformed))
            }
            // The server agrees on a larger MTU in the middle of a write: our client cancels the prepared parts.
            try scene.reenter()
            try scene.ask(.write(handle: 3, value: counting(40)), expecting: "16 03 00 00 00 *", answer: right)
            try bench.expects(att: "16 03 00 12 00 *")
            try bench.send(att: "02 00 02")
            try bench.expects(att: "03 05 02")
            try bench.send(att: hex("17 03 00 12 00") + counting(18, from: 18))
            try bench.answers("16 03 00 24 00 24 25 26 27", with: "17 03 00 24 00 24 25 26 27")
            try bench.answers("18 01", with: "19")
            try bench.told(.written)
            try scene.readsStill()
        }
    }

    @Test func `row 67: CVE-2023-21250, answers and values that are too long`() throws {
        try attack(67, "CVE-2023-21250", by: [.peripheral]) { scene in
            let bench = scene.bench
            for count in [23, 24, 200, 516] {
                try scene.ask(.read(handle: 3), expecting: "0A 03 00", answer: [0x0B] + counting(count))
                // Our client takes the octets that the MTU allows, and asks for the rest.
                try bench.answers("0C 03 00 16 00", with: "0D 07")
                try bench.told(.value(counting(22) + [7]))
            }
            // A value without end.
            try scene.ask(.read(handle: 3), expecting: "0A 03 00", answer: [0x0B] + counting(22))
            for _ in 0..<22 { try bench.answers("0C 03 00 ?? ??", with: "0D " + text(counting(22))) }
            try bench.answers("0C 03 00 ?? ??", with: "0D " + text(counting(22)))
            try bench.told(.failure(.malformed))
            try scene.reenter(mtu: 100)
            try scene.ask(.read(handle: 3), expecting: "0A 03 00", answer: [0x0B] + counting(100))
            try bench.answers("0C 03 00 63 00", with: "0D 07")
            try bench.told(.value(counting(99) + [7]))
            // Longer than any value may be.
            try scene.reenter(mtu: 517)
            try scene.ask(.read(handle: 3), expecting: "0A 03 00", answer: [0x0B] + counting(516))
            try fails(scene, "516 octets with an MTU of 517")
            try scene.readsStill()
        }
    }

    @Test func `row 68: BlueZ 297fa5cb3, notified values past their end`() throws {
        try attack(68, "BlueZ 297fa5cb3") { scene in
            let bench = scene.bench
            let before = bench.host.counters.unexpectedPDUs
            let cut = [
                "23", "23 09", "23 09 00", "23 09 00 FF", "23 09 00 FF FF", "23 09 00 02 00 66", "23 09 00 00 80 66",
                "1B", "1B 09", "1D", "1D 09",
            ]
            bench.values = []
            for pdu in cut { try bench.send(att: pdu) }
            try bench.expectsNothing()
            try require(bench.values.isEmpty, "the client was told \(bench.values)")
            try require(bench.host.counters.unexpectedPDUs == before + UInt64(cut.count), "not all are counted")
            try bench.send(att: "23 09 00 01 00 66 0B 00 FF FF 77")
            try bench.told(handle: 9, changedTo: "66")
            try require(bench.values.isEmpty, "the client was told \(bench.values)")
        }
    }

    @Test func `row 69: BlueZ 99f609241, a search that is refused half way`() throws {
        try attack(69, "BlueZ 99f609241", by: [.peripheral]) { scene in
            let bench = scene.bench
            bench.host.policy.pairsOnDemand = false
            for error in [0x01, 0x05, 0x06, 0x0E, 0x80, 0xFF, 0x00] as [UInt8] {
                try scene.ask(
                    .discoverIncludedServices(Self.everything), expecting: "08 01 00 FF FF 02 28",
                    answer: hex("09 08 02 00 10 00 15 00 F1 FF"))
                try bench.expects(att: "08 03 00 FF FF 02 28")
                try bench.send(att: [0x01, 0x08, 3, 0, error])
                if error != 0x05 {
                    // Our client keeps its finds, whatever the server answers later.
                    try bench.told(
                        .services([
                            RemoteService(
                                uuid: BluetoothUUID(0xFFF1 as UInt16), handles: ATTPDU.HandleRange(start: 16, end: 21))
                        ]))
                } else {
                    try bench.told(refused: ATTErrorCode(rawValue: error))
                }
                // While the name of an included service is read.
                try scene.ask(
                    .discoverIncludedServices(Self.everything), expecting: "08 01 00 FF FF 02 28",
                    answer: hex("09 06 02 00 10 00 15 00"))
                try bench.expects(att: "0A 10 00")
                try bench.send(att: [0x01, 0x0A, 0x10, 0, error])
                if error == 0x05 {
                    try bench.told(refused: ATTErrorCode(rawValue: error))
                } else {
                    // Our client leaves out that service, and the search continues.
                    try bench.answers("08 03 00 FF FF 02 28", with: "01 08 03 00 0A")
                    try bench.told(.services([]))
                }
            }
            try scene.readsStill()
        }
    }

    @Test func `row 74: CVE-2024-3332, answers without a question`() throws {
        try attack(74, "CVE-2024-3332") { scene in
            let unasked =
                Self.exchanges.map(\.answer) + [
                    hex("01 0A 03 00 01"), hex("03 17 00"), hex("0D 01"), hex("19"), hex("1E"),
                ]
            for _ in 0..<3 { for answer in unasked { try scene.bench.send(att: answer) } }
            try scene.bench.expectsNothing()
            try scene.answersStill()
            guard scene.side == .peripheral else { return }
            // Answers to other requests come before the right answer.
            try scene.bench.ask(.read(handle: 3))
            try scene.bench.expects(att: "0A 03 00")
            for answer in unasked where answer[0] != 0x0B && answer[0] != 0x01 { try scene.bench.send(att: answer) }
            try scene.bench.expectsNothing()
            try scene.bench.send(att: "0B 66")
            try scene.bench.told(value: "66")
            // The server has repeated its answer to the exchange of MTUs, and now gives the former value. This may be a repetition:
            // our client waits five seconds for another answer.
            try scene.ask(.read(handle: 3), expecting: "0A 03 00", answer: hex("0B 66"))
            try scene.bench.told(.success(.value([0x66])), within: .seconds(6))
            // Answers to other requests put nothing off: the request is overdue after 30 s, and the link ends.
            try scene.bench.ask(.read(handle: 3))
            try scene.bench.expects(att: "0A 03 00")
            for _ in 0..<6 {
                for answer in unasked where answer[0] != 0x0B && answer[0] != 0x01 { try scene.bench.send(att: answer) }
                try scene.bench.expectsNothing(for: .milliseconds(4900))
            }
            try scene.bench.told(.failure(.timedOut), within: .seconds(2))
            let isOver = scene.bench.run(for: .seconds(5)) { !scene.isLinked }
            try require(isOver, "the link goes on")
            try scene.reenter()
            try scene.readsStill()
        }
    }

    @Test func `row 80: Bumble 0a78e75, frames without payload`() throws {
        try attack(80, "Bumble 0a78e75") { scene in
            for _ in 0..<3 {
                for channel in [4, 5, 6, 0x40, 1, 0, 0xFFFF] as [UInt16] {
                    try scene.attacker.send([], on: channel)
                    // Two fragments; the second is empty.
                    try scene.attacker.sendACL([0, 0] + little(channel))
                }
            }
            try scene.bench.expectsNothing()
            try scene.answersStill()
        }
    }
}
