// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Testing

@testable import HostBench

/// Frames with wrong cuts, wrong joins and wrong counts: rows 25 to 30.
struct FragmentAttacks {
    /// A read of ``GuardedTable/fixed``, as a frame.
    private static let read: [UInt8] = [3, 0, 4, 0, 0x0A, 0x22, 0]

    /// The link works as before: our host answers the read in one packet, and in pieces of every size.
    private func worksStill(_ scene: AttackBench) throws {
        for size in 1...Self.read.count {
            // The first fragment needs a whole header.
            let first = max(4, size)
            try scene.attacker.sendACL(Array(Self.read.prefix(first)))
            for start in stride(from: first, to: Self.read.count, by: size) {
                try scene.attacker.sendACL(Array(Self.read[start...].prefix(size)), isFirst: false)
            }
            try scene.bench.expects(att: "0B 01 02 03")
        }
    }

    @Test func `row 25: CVE-2019-17517, a length far beyond what comes`() throws {
        try attack(25, "CVE-2019-17517") { scene in
            for channel in [4, 5, 6, 0x40, 0xFFFF] as [UInt16] {
                for length in [518, 0x7FFF, 0xFFFF] as [UInt16] {
                    try scene.attacker.sendACL(little(length) + little(channel) + [UInt8](repeating: 0x0A, count: 200))
                    for _ in 0..<4 {
                        try scene.attacker.sendACL([UInt8](repeating: 0x41, count: 251), isFirst: false)
                    }
                    scene.bench.run(for: .milliseconds(500))
                    let kept = Footprint(of: scene.bench.host).count(endingIn: "recombination.frame")
                    try require(kept <= 2 * 521, "\(kept) octets are kept on two links")
                }
            }
            try require(scene.owner.writes.isEmpty, "something was written: \(scene.owner.writes)")
            let answers = scene.attacker.frames.filter { $0.key != Bench.signalling && !$0.value.isEmpty }
            try require(answers.isEmpty, "a frame that is too long is answered: \(answers)")
            // The signalling channel reports "MTU exceeded"; our host says nothing else.
            scene.attacker.forget()
            try worksStill(scene)
        }
    }

    @Test func `row 26: CVE-2019-17518, octets behind the end of the frame`() throws {
        try attack(26, "CVE-2019-17518") { scene in
            for extra in [1, 2, 13, 200] {
                try scene.attacker.sendACL(Self.read + [UInt8](repeating: 0x0A, count: extra))
                try scene.attacker.sendACL(Self.read.prefix(5) + [])
                try scene.attacker.sendACL([0x22, 0] + [UInt8](repeating: 0, count: extra), isFirst: false)
            }
            try scene.bench.expectsNothing()
            try worksStill(scene)
        }
    }

    @Test func `row 27: CVE-2019-19195, less than a header, and continuations of nothing`() throws {
        try attack(27, "CVE-2019-19195") { scene in
            for length in 1...3 {
                try scene.attacker.sendACL(Array(Self.read.prefix(length)))
                try scene.attacker.sendACL(Array(Self.read.dropFirst(length)), isFirst: false)
            }
            try scene.attacker.sendACL(Self.read, isFirst: false)
            try scene.attacker.sendACL([0x41], isFirst: false)
            try scene.bench.expectsNothing()
            try worksStill(scene)
            // A controller that passes on no packet.
            let handle = try scene.hostHandle()
            for flags in [0x0000, 0x1000, 0x2000, 0x3000] as [UInt16] {
                for octets in [[], [0x41], [0x41, 0x41]] as [[UInt8]] { scene.tellACL(octets, word: handle | flags) }
            }
            try scene.bench.expectsNothing()
            try worksStill(scene)
        }
    }

    @Test func `row 28: CVE-2020-10061, half frames on many links`() throws {
        try attack(28, "CVE-2020-10061", by: [.none]) { scene in
            let peers = (0..<8 as Range<UInt64>).map { number in
                scene.bench.addPeer(.init(kind: .public, value: 0x02_00_00_00_01_00 + number))
            }
            try scene.bench.advertise("02 01 06")
            for round in 0..<3 {
                for peer in peers {
                    scene.bench.peer = peer
                    try scene.bench.accept()
                    for _ in 0..<20 {
                        try peer.sendACL(little(517) + little(4) + [UInt8](repeating: 0x0A, count: 240))
                        try peer.sendACL([UInt8](repeating: 0x0A, count: 250), isFirst: false)
                    }
                }
                scene.bench.run(for: .seconds(10))
                let kept = Footprint(of: scene.bench.host).count(endingIn: "recombination.frame")
                try require((1...peers.count * 521).contains(kept), "\(kept) octets of half frames are kept")
                try scene.thrives()
                for peer in peers { try peer.disconnect() }
                scene.bench.run(for: .seconds(2))
                // The links' places in the table are used again.
                if round == 0 { scene.remember() }
            }
        }
    }

    @Test func `row 29: CVE-2020-0022, fragments bring more than was announced`() throws {
        try attack(29, "CVE-2020-0022 (BlueFrag)") { scene in
            for announced in [5, 20, 60, 517] as [UInt16] {
                try scene.attacker.sendACL(little(announced) + [4, 0, 0x0A, 0x22])
                var sent = 2
                while sent <= Int(announced) {
                    try scene.attacker.sendACL([UInt8](repeating: 0, count: 13), isFirst: false)
                    sent += 13
                }
                try scene.attacker.sendACL([UInt8](repeating: 0, count: 20), isFirst: false)
            }
            try scene.bench.expectsNothing()
            // A length that, minus the header's own octets, is below zero.
            for length in [0, 1, 2, 3] as [UInt16] {
                try scene.attacker.sendACL(little(length) + [4, 0])
                try scene.attacker.sendACL([UInt8](repeating: 0x41, count: 24), isFirst: false)
            }
            try scene.bench.expectsNothing()
            try worksStill(scene)
        }
    }

    @Test func `row 30: CVE-2022-3564, frames begin again and again`() throws {
        try attack(30, "CVE-2022-3564, CVE-2022-49910") { scene in
            for _ in 0..<50 {
                try scene.attacker.sendACL(Array(Self.read.prefix(5)))
                try scene.attacker.sendACL(Array(Self.read.prefix(6)))
                try scene.attacker.sendACL(Array(Self.read.dropFirst(6)), isFirst: false)
                try scene.bench.expects(att: "0B 01 02 03")
                // The rest of the first frame belongs to no frame.
                try scene.attacker.sendACL(Array(Self.read.dropFirst(5)), isFirst: false)
            }
            try scene.bench.expectsNothing()
            // The link ends with a frame half there, at each octet.
            for length in 4..<Self.read.count {
                try scene.attacker.sendACL(Array(Self.read.prefix(length)))
                try scene.reenter()
                try scene.attacker.sendACL(Array(Self.read.dropFirst(length)), isFirst: false)
                try scene.bench.expectsNothing()
            }
            try worksStill(scene)
        }
    }
}
