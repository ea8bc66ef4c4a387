// SPDX-License-Identifier: Apache-2.0

import Readings
import Testing

@Suite("Dead bands")
struct DeadBandTests {
    private static let sent: [Field] = [
        .decimal(.temperature, 2_000, places: 2), .int(.battery, 90), Field(.rrInterval, .array([.int(1)])),
    ]

    private static func changed(_ index: Int, _ field: Field) -> [Field] {
        var fields = sent
        fields[index] = field
        return fields
    }

    @Test func `one width is for every number`() {
        let band = DeadBand.all(0.5)
        #expect(band.covers(Self.sent, sent: Self.sent))
        #expect(band.covers(Self.changed(0, .decimal(.temperature, 204, places: 1)), sent: Self.sent))
        #expect(!band.covers(Self.changed(0, .decimal(.temperature, 205, places: 1)), sent: Self.sent))
        #expect(!band.covers(Self.changed(1, .int(.battery, 91)), sent: Self.sent))
        #expect(!band.covers(Self.changed(2, Field(.rrInterval, .array([.int(2)]))), sent: Self.sent))
    }

    @Test func `a field without a width is news when it differs at all`() {
        let band = DeadBand.fields([.temperature: 0.5])
        #expect(band.covers(Self.changed(0, .decimal(.temperature, 1_960, places: 2)), sent: Self.sent))
        #expect(!band.covers(Self.changed(1, .int(.battery, 91)), sent: Self.sent))
    }

    @Test func `other fields than before are news, and so is a value without any`() {
        #expect(!DeadBand.all(100).covers(Self.sent.dropLast(), sent: Self.sent))
        #expect(!DeadBand.all(100).covers([], sent: []))
        #expect(!DeadBand.all(100).covers([.int(.battery, 1)], sent: [.int(.humidity, 1)]))
    }

    @Test func `a sensor's entry goes before what holds for all`() {
        var common = LivePacing()
        common.minimumInterval = .seconds(10)
        common.deadBand = .all(1)
        var rule = LivePacingRule()
        #expect(rule.applied(to: common) == common)
        rule.deadBand = .all(0)
        #expect(rule.applied(to: common).band == nil)
        #expect(rule.applied(to: common).isActive)
        rule.minimumInterval = .zero
        #expect(!rule.applied(to: common).isActive)
        rule.suppressed = .drop
        rule.maximumInterval = .seconds(5)
        #expect(rule.applied(to: common).suppressed == .drop)
        #expect(rule.applied(to: common).maximumInterval == .seconds(5))
    }
}
