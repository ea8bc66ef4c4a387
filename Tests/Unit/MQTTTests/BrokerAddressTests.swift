// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import GatewayBench
@testable import MQTT
@testable import Publisher

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

    @Test func `an address is connected to, or the reason is told`() throws {
        let broker = try ScriptedBroker { ScriptedBroker.obliging($0) }
        let reached = BrokerAddress(host: "127.0.0.1", port: broker.port)
        #expect(failure(of: reached) == nil)
        let closed = BrokerAddress(host: "127.0.0.1", port: try TestPorts.next())
        #expect(failure(of: closed) == .system(ECONNREFUSED))
        let unknown = BrokerAddress(host: "no-such-host.invalid", port: 1)
        #expect(
            failure(of: unknown)?.explained(at: unknown, MQTTConfiguration()).contains("\"no-such-host.invalid\"")
                == true)
        withExtendedLifetime(broker) {}
    }

    /// A listener with a full queue drops connections, like a machine that is switched off.
    @Test func `an address that does not answer is given up in time`() throws {
        let port = try TestPorts.next()
        let listener = try TestPorts.listener(port, backlog: 0)
        var address = Broker.loopback(port)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        var waiting: [Int32] = []
        defer { for descriptor in waiting + [listener] { close(descriptor) } }
        withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                for _ in 0..<4 {
                    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
                    waiting.append(descriptor)
                    _ = connect(descriptor, $0, size)
                }
            }
        }
        let silent = BrokerAddress(host: "127.0.0.1", port: port)
        #expect(failure(of: silent, within: .milliseconds(50)) == .system(ETIMEDOUT))
        // A cancelled attempt returns at once.
        let cancelled = BrokerDialer(connectTime: .seconds(600)).dial(silent, isCancelled: { true })
        #expect(throws: MQTTFailure.self) { try cancelled.get() }
    }

    private func failure(of address: BrokerAddress, within time: Duration = .seconds(20)) -> MQTTFailure? {
        switch BrokerDialer(lookupTime: .seconds(20), connectTime: time).dial(address) {
        case .success(let connection):
            close(connection.descriptor)
            return nil
        case .failure(let failure): return failure
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
