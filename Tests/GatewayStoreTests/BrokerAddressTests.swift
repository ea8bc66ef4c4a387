// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Gateway

@Suite("Addresses of brokers")
struct BrokerAddressTests {
    @Test(arguments: [
        ("a", "a", 1883), ("a:1", "a", 1), ("10.0.0.1:65535", "10.0.0.1", 65_535), ("[::1]", "::1", 1883),
        ("[fe80::1%eth0]:8883", "fe80::1%eth0", 8883),
    ])
    func `hosts, ports and addresses are read`(_ text: String, _ host: String, _ port: UInt16) {
        #expect(BrokerAddress(text, port: 1883) == BrokerAddress(host: host, port: port))
    }

    @Test(arguments: ["", ":1", "a:", "a:0", "a:65536", "a:b", "a:-1", "a:+1", "::1", "[::1", "[]", "[::1]x", "a:1:2"])
    func `anything else is not`(_ text: String) {
        #expect(BrokerAddress(text, port: 1883) == nil)
    }

    @Test func `what is shown can be read`() {
        for address in [BrokerAddress(host: "a", port: 1), BrokerAddress(host: "::1", port: 2)] {
            #expect(BrokerAddress(address.description, port: 9) == address)
        }
    }

    @Test func `brokers are tried in their order, and the first again after a good connection`() {
        var rotation = BrokerRotation(["a", "b", "c"].compactMap { BrokerAddress($0, port: 1) })
        var tried: [String] = []
        for wasStable in [false, false, false, false, true, false] {
            tried.append(rotation.current.host)
            let isRoundOver = rotation.goOn(wasStable: wasStable)
            #expect(isRoundOver == (rotation.position == 0))
        }
        #expect(tried == ["a", "b", "c", "a", "b", "a"])
    }
}
