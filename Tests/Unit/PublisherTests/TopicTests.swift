// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Publisher

@Suite("Topics")
struct TopicTests {
    @Test("topics are as agreed")
    func agreed() {
        let topics = Topics(prefix: "martlet", gateway: "gw-3f2a1c")
        #expect(topics.status == "martlet/gw/gw-3f2a1c/status")
        #expect(topics.information == "martlet/gw/gw-3f2a1c/info")
        #expect(topics.problems == "martlet/gw/gw-3f2a1c/problems")
        #expect(topics.statistics == "martlet/gw/gw-3f2a1c/stats")
        #expect(topics.state(of: "cbb8334c884f") == "martlet/dev/cbb8334c884f/state")
        #expect(topics.history(of: "cbb8334c884f") == "martlet/dev/cbb8334c884f/history")
        #expect(topics.availability(of: "cbb8334c884f") == "martlet/dev/cbb8334c884f/availability")
        #expect(topics.raw(of: "cbb8334c884f") == "martlet/dev/cbb8334c884f/raw")
    }

    @Test("a name cannot leave its level")
    func names() {
        let topics = Topics(prefix: "/site/a+b/", gateway: "x/y")
        #expect(topics.status == "site/a_b/gw/x_y/status")
        #expect(topics.state(of: "../#\u{0}") == "site/a_b/dev/..___/state")
        // MQTT has neither non-characters nor long topics, and a damaged journal has both.
        let strange = String(decoding: [0x61, 0xFFFE, 0xFDD0, 0xD83F, 0xDFFF, 0x9B, 0x62] as [UInt16], as: UTF16.self)
        #expect(topics.state(of: strange) == "site/a_b/dev/a____b/state")
        #expect(topics.state(of: String(repeating: "x", count: 1_000_000)).utf8.count < 300)
    }
}
