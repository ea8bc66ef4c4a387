// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Collector

struct SensorRuleTests {
    @Test(
        arguments: [(-70, true), (-69, true), (-71, false), (nil, true)] as [(Int8?, Bool)])
    func `an entry with rssi_min wants a signal of at least that, where one was heard`(
        _ rssi: Int8?, _ isAccepted: Bool
    ) {
        var rule = ListeningScene.rule("tag", address: ListeningScene.tag)
        rule.minimumRSSI = -70
        var candidate = SensorRule.Candidate(
            name: nil, address: ListeningScene.tag, identifier: UUID(), services: [])
        candidate.rssi = rssi
        #expect(rule.accepts(candidate) == isAccepted)
    }
}
