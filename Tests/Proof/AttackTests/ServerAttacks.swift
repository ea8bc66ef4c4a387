// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import GATT
import HCI
import Testing
import VirtualRadio

@testable import BluetoothHost
@testable import HostBench

/// A client's attacks on our server through reads and discoveries: rows 54, 56, 58, 59, 63, 65, 77, 81 and 82.
struct ServerAttacks {
    private static let mtus: [UInt16] = [23, 24, 25, 26, 27, 28, 38, 39, 64, 256, 257, 258, 259, 517]

    /// The attacker's link gets each of these MTUs in turn.
    private func atEachMTU(_ scene: AttackBench, _ script: (Int) throws -> Void) throws {
        for mtu in Self.mtus {
            try scene.reenter(mtu: mtu)
            try script(Int(mtu))
        }
    }

    private func answer(_ scene: AttackBench, to request: [UInt8], mtu: Int) throws -> [UInt8] {
        try scene.bench.send(att: request)
        scene.bench.run(for: Bench.patience) { scene.attacker.frames[Bench.attributeProtocol]?.isEmpty == false }
        guard let answer = scene.attacker.takeFrame(on: Bench.attributeProtocol) else {
            throw ScriptFailure("no answer to \(text(request)) with an MTU of \(mtu)")
        }
        try require(answer.count <= mtu, "\(answer.count) octets of \(mtu) to \(text(request))")
        return answer
    }

    @Test func `row 54: NimBLE 2c9685eb2, several values of no, one and bad handles`() throws {
        try attack(54, "NimBLE 2c9685eb2") { scene in
            for opcode in [0x0E, 0x20] as [UInt8] {
                for handles in [[], [0x22], [0x22, 0], [0x22, 0, 0x24], [0x22, 0, 0x24, 0, 0x22]] as [[UInt8]] {
                    try scene.asks([opcode] + handles, refused: 0x04, at: 0)
                }
                for bad in [0, 0x1F, GuardedTable.nowhere, 0xFFFF] as [UInt16] {
                    for handles in [[bad, GuardedTable.fixed], [GuardedTable.fixed, bad], [bad, bad]] {
                        try scene.asks([opcode] + handles.flatMap(little), refused: 0x01, at: bad)
                    }
                }
                for guarded in GuardedTable.guarded.sorted() where guarded != GuardedTable.authorized {
                    try scene.asks(
                        [opcode] + little(GuardedTable.fixed) + little(guarded), refused: 0x05, at: guarded)
                }
                try scene.asks(
                    [opcode] + little(GuardedTable.fixed) + little(GuardedTable.authorized), refused: 0x08,
                    at: GuardedTable.authorized)
            }
            try scene.answersStill()
        }
    }

    @Test func `row 56: NimBLE e584b4ed9, long values read by type`() throws {
        try attack(56, "NimBLE e584b4ed9") { scene in
            try atEachMTU(scene) { mtu in
                let count = min(mtu - 4, 253)
                let seen = try answer(scene, to: [0x08, 1, 0, 0xFF, 0xFF, 0xF4, 0xFF], mtu: mtu)
                let value = [UInt8](repeating: 0x33, count: count)
                try require(
                    seen == [0x09, UInt8(count + 2)] + little(GuardedTable.long) + value, "answered \(text(seen))")
                for (uuid, error) in [(0xF5, 0x05), (0xF6, 0x05), (0xF7, 0x05), (0xF8, 0x05), (0xF9, 0x08)]
                    as [(UInt8, UInt8)]
                {
                    let refusal = try answer(scene, to: [0x08, 1, 0, 0xFF, 0xFF, uuid, 0xFF], mtu: mtu)
                    try require(refusal.first == 0x01 && refusal.last == error, "answered \(text(refusal))")
                }
            }
        }
    }

    @Test func `row 58: TrouBLE 19aee5a, discoveries at the edge of the MTU`() throws {
        try attack(58, "TrouBLE 19aee5a") { scene in
            // UUIDs of both widths, side by side.
            let long = BluetoothUUID(high: 0x0001_0203_0405_0607, low: 0x0809_0A0B_0C0D_0E0F)
            let mixed = LocalService(
                uuid: long,
                characteristics: [
                    LocalCharacteristic(uuid: long, properties: .read, value: [1]),
                    LocalCharacteristic(uuid: BluetoothUUID(UInt16(0xFFE1)), properties: .read, value: [2]),
                    LocalCharacteristic(uuid: long, properties: .read, value: [3]),
                ])
            let start = try scene.bench.publish(mixed).handles.start
            var count: Int?
            try atEachMTU(scene) { mtu in
                var found: [UInt16] = []
                var next: UInt16 = 1
                while true {
                    let seen = try answer(scene, to: [0x04] + little(next) + [0xFF, 0xFF], mtu: mtu)
                    guard seen[0] == 0x05 else { break }
                    let width = seen[1] == 1 ? 4 : 18
                    try require((seen.count - 2) % width == 0, "half an entry: \(text(seen))")
                    for index in stride(from: 2, to: seen.count, by: width) {
                        found.append(UInt16(seen[index]) | UInt16(seen[index + 1]) << 8)
                    }
                    guard let last = found.last else { break }
                    next = last + 1
                }
                try require(found == found.sorted() && Set(found).count == found.count, "found \(found)")
                try require(found.count == count ?? found.count, "found \(found.count) of \(count ?? 0)")
                try require(found.last == start + 6, "found no more than \(found.last ?? 0)")
                count = found.count
                for request in ["10 01 00 FF FF 00 28", "08 01 00 FF FF 03 28", "06 01 00 FF FF 00 28 F0 FF"] {
                    _ = try answer(scene, to: hex(request), mtu: mtu)
                }
            }
            scene.bench.withdraw(serviceAt: start)
            // Its handles are remembered for the next time, once.
            try scene.leave()
            scene.remember()
            try scene.enter()
        }
    }

    @Test func `row 59: CVE-2021-3588, offsets past the end`() throws {
        try attack(59, "CVE-2021-3588") { scene in
            let lengths: [UInt16: UInt16] = [
                GuardedTable.fixed: 3, GuardedTable.writable: 1, GuardedTable.long: 512, 0x0015: 1, 0x0017: 16,
                GuardedTable.updatedConfiguration: 2, 0x0003: 7, 0x0020: 2, 0x0021: 5,
            ]
            for (handle, length) in lengths.sorted(by: { $0.key < $1.key }) {
                for offset in [length + 1, length + 2, 513, 600, 0x7FFF, 0x8000, 0xFFFF] as [UInt16] {
                    try scene.asks([0x0C] + little(handle) + little(offset), refused: 0x07, at: handle)
                }
                try scene.bench.send(att: [0x0C] + little(handle) + little(length))
                try scene.bench.expects(att: "0D")
            }
            for handle in GuardedTable.guarded.sorted() {
                let error: UInt8 = handle == GuardedTable.authorized ? 0x08 : 0x05
                for offset in [0, 1, 19, 20, 511, 512, 513, 0xFFFF] as [UInt16] {
                    try scene.asks([0x0C] + little(handle) + little(offset), refused: error, at: handle)
                }
            }
        }
    }

    @Test func `row 63: CVE-2022-20140, several values up to the MTU and beyond`() throws {
        try attack(63, "CVE-2022-20140, CVE-2023-40129, CVE-2023-35673") { scene in
            for count in 1...10 {
                try scene.bench.send(att: [0x12] + little(GuardedTable.writable) + counting(count))
                try scene.bench.expects(att: "13")
                for others in 1...10 {
                    let handles = Array(repeating: GuardedTable.fixed, count: others) + [GuardedTable.writable]
                    let values = Array(repeating: [1, 2, 3], count: others) + [counting(count)]
                    let request = handles.prefix(10).flatMap(little)
                    let plain = try answer(scene, to: [0x0E] + request, mtu: 23)
                    let whole = values.prefix(10).flatMap { $0 }
                    try require(plain == [0x0F] + whole.prefix(22), "answered \(text(plain))")
                    let variable = try answer(scene, to: [0x20] + request, mtu: 23)
                    let pairs = values.prefix(10).flatMap { little(UInt16($0.count)) + $0 }
                    try require(
                        pairs.starts(with: variable.dropFirst()) && variable.count >= min(22, pairs.count + 1),
                        "answered \(text(variable))")
                }
            }
            // Values from an owner, each longer than the response.
            for opcode in [0x0E, 0x20] as [UInt8] {
                let request = [opcode] + Array(repeating: little(GuardedTable.long), count: 8).flatMap { $0 }
                try require(try answer(scene, to: request, mtu: 23).count == 23, "the response is not full")
                for mtu in [24, 100, 517] as [UInt16] {
                    try scene.reenter(mtu: mtu)
                    try require(
                        try answer(scene, to: request, mtu: Int(mtu)).count == Int(mtu), "the response is not full")
                }
                try scene.reenter()
            }
        }
    }

    @Test func `row 65: CVE-2024-49748, group types of every length`() throws {
        try attack(65, "CVE-2024-49748") { scene in
            for opcode in [0x08, 0x10] as [UInt8] {
                for length in 0...18 where length != 2 && length != 16 {
                    let request = [opcode, 1, 0, 0xFF, 0xFF] + [UInt8](repeating: 0x28, count: length)
                    try scene.asks(request, refused: 0x04, at: 0)
                }
                for length in 0..<4 { try scene.asks([opcode] + counting(length), refused: 0x04, at: 0) }
            }
            for type in [0x2802, 0x2803, 0x2902, 0x2A00, 0xFFF5, 0x0000, 0xFFFF] as [UInt16] {
                try scene.asks([0x10, 1, 0, 0xFF, 0xFF] + little(type), refused: 0x10, at: 1)
            }
            try scene.asks([0x10, 1, 0, 0xFF, 0xFF] + counting(16), refused: 0x10, at: 1)
            try scene.answersStill()
        }
    }

    @Test func `row 77: CVE-2019-19192, requests that do not wait`() throws {
        try attack(77, "CVE-2019-19192") { scene in
            let bench = scene.bench
            let link = try scene.hostHandle()
            func dropped() -> UInt64 { bench.host.links[link]?.server.counters.droppedRequests ?? .max }
            // Each request gets in order the answer or refusal that it would get alone.
            let mixed: [(request: String, answer: String)] = [
                ("0A 22 00", "0B 01 02 03"), ("0A F0 00", "01 0A F0 00 01"), ("0A 2B 00", "01 0A 2B 00 05"),
                ("12 24 00 07", "13"), ("0A 24 00", "0B 07"), ("0C 22 00 09 00", "01 0C 22 00 07"),
                ("12 22 00 01", "01 12 22 00 03"), ("16 24 00 00 00 01", "17 24 00 00 00 01"), ("18 00", "19"),
                ("04 00 00 FF FF", "01 04 00 00 01"), ("3E", "01 3E 00 00 06"), ("0A 22", "01 0A 00 00 04"),
            ]
            for (request, _) in mixed { try bench.send(att: request) }
            for (_, answer) in mixed { try bench.expects(att: OctetPattern(answer)) }
            try bench.expectsNothing()
            try require(dropped() == 0, "\(dropped()) requests are dropped though all could be answered at once")
            // The owner does not answer the first request.
            scene.owner.holdsAnswers = true
            try bench.send(att: [0x0A] + little(GuardedTable.long))
            // The attacker's controller holds few at once.
            for _ in 0..<6 {
                for _ in 0..<5 { try bench.send(att: "0A 22 00") }
                bench.run(for: .seconds(1))
            }
            try bench.expectsNothing()
            try scene.thrives()
            let held = scene.owner.heldReads.count
            try require(held == 1, "\(held) requests are asked for at once")
            for request in scene.owner.heldReads { bench.host.answer(read: request, .success([0x77]), at: bench.now) }
            try bench.expects(att: "0B 77")
            for _ in 0..<8 { try bench.expects(att: "0B 01 02 03") }
            try bench.expectsNothing()
            try require(dropped() == 22, "\(dropped()) of 30 are dropped, and 8 may wait")
            scene.owner.holdsAnswers = false
            // Requests that have waited get the same refusals as alone.
            scene.owner.forgetReads()
            scene.owner.holdsAnswers = true
            try bench.send(att: [0x0A] + little(GuardedTable.long))
            for (request, _) in mixed.prefix(4) + mixed.suffix(4) { try bench.send(att: request) }
            try bench.expectsNothing()
            scene.owner.holdsAnswers = false
            for request in scene.owner.heldReads { bench.host.answer(read: request, .success([0x78]), at: bench.now) }
            try bench.expects(att: "0B 78")
            for (_, answer) in mixed.prefix(4) + mixed.suffix(4) { try bench.expects(att: OctetPattern(answer)) }
            try bench.expectsNothing()
            // Faster than the air takes the answers: as many wait as may, then the link is lost, and nothing else.
            let ended = bench.parameters(of: .disconnect).count
            for _ in 0..<600 { scene.tellACL([3, 0, 4, 0, 0x0A, 0x22, 0], word: link | 0x2000) }
            let isOver = bench.run(for: .seconds(5)) { !scene.isLinked }
            let answers = scene.attacker.frames[Bench.attributeProtocol] ?? []
            let most = ACLCreditMachine.queueCapacity + Int(ControllerSettings().aclDataCount)
            try require(isOver, "the link goes on")
            try require(answers.count <= most, "\(answers.count) answers have waited")
            try require(answers.allSatisfy { $0 == [0x0B, 1, 2, 3] }, "an answer is another's")
            let disconnections = bench.parameters(of: .disconnect).dropFirst(ended).map { Array($0.prefix(2)) }
            try require(disconnections == [little(link)], "ended \(disconnections.map(text))")
            scene.attacker.forget()
        }
    }

    @Test func `row 81: MTU below the least, exchanged again and again`() throws {
        try attack(81, "MTU below the least") { scene in
            let bench = scene.bench
            for mtu in Array(0...22) + [23] as [UInt16] {
                try scene.reenter()
                try bench.send(att: [0x02] + little(mtu))
                try bench.expects(att: "03 05 02")
                // Further exchanges after the first change nothing.
                for other in [100, 0, 0xFFFF] as [UInt16] {
                    try bench.send(att: [0x02] + little(other))
                    try bench.expects(att: "03 05 02")
                    try bench.send(att: [0x03] + little(other))
                }
                let seen = try answer(scene, to: [0x0A] + little(GuardedTable.long), mtu: 23)
                try require(seen.count == 23, "\(seen.count) octets")
            }
            for mtu in [0, 1, 22, 24, 517, 518, 0xFFFF] as [UInt16] {
                try scene.reenter(mtu: mtu)
                let most = min(max(Int(mtu), 23), 517)
                let seen = try answer(scene, to: [0x0A] + little(GuardedTable.long), mtu: most)
                try require(seen.count == min(most, 513), "\(seen.count) octets")
            }
            for length in [0, 1, 3, 4, 20] {
                try scene.asks([0x02] + counting(length), refused: 0x04, at: 0)
            }
        }
    }

    @Test func `row 82: bad handles, in requests and in answers`() throws {
        try attack(82, "bad handles") { scene in
            let bench = scene.bench
            for handle in [0, GuardedTable.nowhere, 0x1F, 0xFFFF] as [UInt16] {
                for request in [[0x0A], [0x12], [0x16]] as [[UInt8]] {
                    let rest: [UInt8] = request[0] == 0x0A ? [] : [0, 0]
                    try scene.asks(request + little(handle) + rest, refused: 0x01, at: handle)
                }
                try scene.asks([0x0C] + little(handle) + [0, 0], refused: 0x01, at: handle)
                try bench.send(att: [0x52] + little(handle) + [1])
            }
            let types: [UInt8: [UInt8]] = [0x04: [], 0x06: [0, 0x28, 0xF0, 0xFF], 0x08: [3, 0x28], 0x10: [0, 0x28]]
            for (opcode, type) in types.sorted(by: { $0.key < $1.key }) {
                for (start, end) in [(0, 0), (0, 0xFFFF), (2, 1), (0xFFFF, 0xFFFE), (0xFFFF, 0)] as [(UInt16, UInt16)] {
                    try scene.asks([opcode] + little(start) + little(end) + type, refused: 0x01, at: start)
                }
                try scene.asks([opcode, 0xFF, 0xFF, 0xFF, 0xFF] + type, refused: 0x0A, at: 0xFFFF)
            }
            guard scene.side == .peripheral else { return }
            // A server whose handles do not advance.
            let services: [String] = ["00 00 FF FF", "05 00 04 00", "01 00 00 00", "00 00 00 00"]
            for group in services {
                try scene.ask(
                    .discoverServices(nil), expecting: "10 01 00 FF FF 00 28", answer: hex("11 06 \(group) F0 FF"))
                try refusesMore(scene)
                try bench.told(.services([]))
            }
            try scene.ask(
                .discoverServices(nil), expecting: "10 01 00 FF FF 00 28", answer: hex("11 06 01 00 05 00 F0 FF"))
            try bench.answers("10 06 00 FF FF 00 28", with: "11 06 01 00 05 00 F0 FF")
            // The second answer equals the first, as if it came twice: the client waits for another answer.
            try bench.told(
                .services([
                    RemoteService(
                        uuid: BluetoothUUID(0xFFF0 as UInt16), handles: ATTPDU.HandleRange(start: 1, end: 5))
                ]), within: .seconds(6))
            let range = ATTPDU.HandleRange(start: 1, end: 0xFFFF)
            for item in [
                "00 00 02 03 00 F0 FF", "05 00 02 05 00 F0 FF", "05 00 02 04 00 F0 FF", "05 00 02 00 00 F0 FF",
            ] {
                try scene.ask(
                    .discoverCharacteristics(range, nil), expecting: "08 01 00 FF FF 03 28",
                    answer: hex("09 07 \(item)"))
                try refusesMore(scene)
                try bench.told(.characteristics([]))
            }
            try scene.ask(.discoverDescriptors(range), expecting: "04 01 00 FF FF", answer: hex("05 01 05 00 02 29"))
            try bench.answers("04 06 00 FF FF", with: "05 01 05 00 02 29")
            try bench.told(.descriptors([.init(handle: 5, type: BluetoothUUID(0x2902 as UInt16))]))
            try scene.readsStill()
            // A server with other services each time.
            for round in 0..<12 as Range<UInt8> {
                try scene.reenter(mtu: 517)
                let groups: [UInt8] = (1...80 as ClosedRange<UInt8>).flatMap { [$0, 0, $0, 0, $0, round] }
                try scene.ask(.discoverServices(nil), expecting: "10 01 00 FF FF 00 28", answer: [0x11, 6] + groups)
                try bench.answers("10 51 00 FF FF 00 28", with: "01 10 51 00 0A")
                try bench.wait(for: "services") { if case .completed(_, .success) = $0 { true } else { nil } }
            }
            let known = Footprint(of: bench.host).count(endingIn: "knownServices.value")
            try require(known <= 256, "\(known) services are remembered")
        }
    }

    /// The client continues behind an odd item, and our server answers that there is no more.
    private func refusesMore(_ scene: AttackBench) throws {
        for _ in 0..<4 {
            scene.bench.run(for: .milliseconds(100))
            guard let asked = scene.attacker.takeFrame(on: Bench.attributeProtocol) else { return }
            try scene.bench.send(att: [0x01, asked[0], 0, 0, 0x0A])
        }
    }
}
