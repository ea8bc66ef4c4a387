// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings
import Testing

@testable import Collector

/// The parts of a sensor that advertises.
@Suite struct ListenedPartsTests {
    // MARK: The key

    private static let secret = Secret("00112233445566778899aabbccddeeff")

    enum Step: Sendable {
        case opened(Int64)
        case failed(Int64, Bool)
        case change
    }

    struct KeyRow: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var steps: [Step]
    }

    static let keyRows = [
        KeyRow(
            testDescription: "five in a row",
            steps: (1...4).map { .failed($0, false) } + [.failed(5, true)]),
        KeyRow(
            testDescription: "a packet that opens between",
            steps: (1...4).map { .failed($0, false) } + [.opened(5)] + (6...10).map { .failed($0, false) }),
        KeyRow(
            testDescription: "the last packet that opened is long ago",
            steps: [.opened(5)] + (6...10).map { .failed($0, false) }
                + [.failed(600_004, false), .failed(600_005, true)]),
        KeyRow(
            testDescription: "packets before one that opened",
            steps: (1...4).map { .failed($0, false) } + [.opened(5)] + (600_005...600_008).map { .failed($0, false) }
                + [.failed(600_009, true)]),
        KeyRow(
            testDescription: "another key",
            steps: (1...4).map { .failed($0, false) } + [.change] + (5...8).map { .failed($0, false) }
                + [.failed(9, true)]),
        KeyRow(
            testDescription: "another key after one that opened",
            steps: [.opened(1), .change] + (2...5).map { .failed($0, false) } + [.failed(6, true)]),
    ]

    @Test(arguments: keyRows)
    func `a key is wrong after five packets that it did not open, if it opened none lately`(row: KeyRow) {
        var key = SensorKey(Self.secret)
        for step in row.steps {
            switch step {
            case .opened(let now): key.opened(at: now)
            case .failed(let now, let isWrong):
                let found = key.failed(at: now)
                #expect(found == isWrong, "at \(now)")
            case .change: key.change(to: Secret("ffeeddccbbaa99887766554433221100"))
            }
        }
    }

    @Test(arguments: [(nil, nil), ("0102", [1, 2] as [UInt8]?), ("no key", nil)])
    func `the key is the entry's, in octets`(text: String?, octets: [UInt8]?) {
        var key = SensorKey(Self.secret)
        key.opened(at: 0)
        #expect(key.exists && key.octets?.count == 16 && key.hasOpened)
        key.change(to: text.map { Secret($0) })
        #expect(!key.hasOpened)
        #expect(key.octets == octets && key.exists == (octets != nil))
    }

    @Test func `a change of the seal is told once, and outlives a change of the key`() {
        var key = SensorKey(Self.secret)
        let changes = [false, true, true, false, true].map { key.recordSealing($0) }
        #expect(changes == [false, true, false, true, true])
        key.change(to: nil)
        #expect(key.isSealing)
    }

    @Test func `an authentic packet proves itself, and others only when several are alike`() {
        let authentic = SealedPacket(.ccm(nonce: [], additionalData: [], tag: [1, 2, 3, 4]), ciphertext: [])
        let open = SealedPacket(.ctr(block: []), ciphertext: [], keyCheck: 1)
        var key = SensorKey(Self.secret)
        #expect(key.proves(authentic) && !key.proves(open))
        let stamp = TimeStamp(boot: "b", uptimeMilliseconds: 1, unixMilliseconds: nil, quality: .unsynced)
        let value = [UInt8](repeating: 7, count: 16)
        let other = key.judge(AdvertisedPacket([1] + value), at: stamp)
        #expect(other.verdict == .wait && other.discarded == 0)
        let another = key.judge(AdvertisedPacket([2] + value), at: stamp)
        #expect(another.verdict == .wait && another.discarded == 1, "it has another subject")
        var verdict = another
        for _ in 1..<KeyProof.sample { verdict = key.judge(AdvertisedPacket([2] + value), at: stamp) }
        guard case .right(let held) = verdict.verdict else {
            Issue.record("alike packets prove no key: \(verdict)")
            return
        }
        #expect(held.count == KeyProof.sample && verdict.discarded == 0 && key.proves(open))
        key.change(to: Self.secret)
        #expect(!key.proves(open))
    }

    // MARK: The contest

    @Test func `a claim is decided on once a second, however many packets come`() {
        var contest = PlaceContest()
        let decisions = [0, 999, 1_000, 1_001, 2_000, 1_999].map { contest.takeDecision(at: $0) }
        #expect(decisions == [true, false, true, false, true, false])
    }

    @Test func `the claimant is told of as long as the question is open`() {
        var contest = PlaceContest()
        #expect(!contest.isOpen && contest.claimant == nil)
        contest.open("two devices", by: "C4:00:00:00:00:01")
        #expect(contest.isOpen && contest.text == "two devices" && contest.claimant == "C4:00:00:00:00:01")
        contest.settle()
        #expect(!contest.isOpen && contest.text == nil && contest.claimant == nil)
        contest.open("two devices", by: nil)
        #expect(contest.isOpen && contest.claimant == nil)
    }

    // MARK: The counter

    @Test func `a counter is written once a minute, and that of an event at once`() {
        var counter = CounterKeeping()
        let times: [(Int64, Bool)] = [
            (59_999, false), (60_000, false), (119_999, false), (119_999, true), (120_000, false), (179_998, false),
            (179_999, false),
        ]
        let writes = times.map { counter.takeWrite(at: $0.0, isEvent: $0.1) }
        #expect(writes == [false, true, false, true, false, false, true])
    }

    @Test func `the operator is told once of a counter that went back, until a packet counts again`() {
        var counter = CounterKeeping()
        #expect(!counter.isNews(hasGoneBack: false) && counter.isNews(hasGoneBack: true))
        counter.wentBack("run trust")
        #expect(!counter.isNews(hasGoneBack: true) && counter.trouble == "run trust")
        counter.settle()
        #expect(counter.isNews(hasGoneBack: true) && counter.trouble == nil)
    }

    // MARK: Packets without a reading

    @Test func `refused packets are counted by reason, repeats apart`() {
        var refused = RefusedPackets()
        refused.countRepeat()
        refused.count(.noKey, 0)
        #expect(refused.named == nil && refused.repeats == 1)
        refused.count(.noKey)
        refused.count(.wrongKey, 3)
        refused.count(.noKey)
        #expect(refused.named == ["no-key": 2, "wrong-key": 3])
    }

    @Test func `octets are kept while no values come, and asked for only then`() {
        var unread = UnreadAdvertisements()
        var asked = 0
        func octets() -> AdvertisedOctets {
            asked += 1
            return AdvertisedOctets(advertisement: [2, 1, 6])
        }
        unread.heard(octets(), at: 5, hasValues: true)
        #expect(unread.at == 5 && unread.octets == nil && asked == 0)
        unread.heard(octets(), at: 6, hasValues: false)
        #expect(unread.at == 6 && unread.octets?.advertisement == "020106" && asked == 1)
        unread.valueCame()
        #expect(unread.octets == nil && unread.at == 6)
    }

    /// Rows: the last unread advertisement, the last packet, whether a value came, whether there is a trouble, the answer.
    static let unreadRows: [(Int64?, Int64?, Bool, Bool, Int64?)] = [
        (nil, 9, true, false, nil), (nil, 9, true, true, nil), (nil, 9, false, false, nil), (4, 9, true, true, 4),
        (4, 9, false, true, 9), (9, 4, false, true, 9), (nil, 9, false, true, 9), (4, nil, false, true, 4),
        (nil, nil, false, true, 0),
    ]

    @Test(arguments: unreadRows)
    func `before the first value, every packet of a sensor with a trouble is one that cannot be read`(
        at: Int64?, heard: Int64?, hasValue: Bool, hasTrouble: Bool, last: Int64?
    ) {
        var unread = UnreadAdvertisements()
        if let at { unread.heard(AdvertisedOctets(advertisement: []), at: at, hasValues: true) }
        #expect(unread.lastAt(heardAt: heard, hasValue: hasValue, hasTrouble: hasTrouble) == last)
    }
}
