// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Platform
import Synchronization
import Testing

@testable import GatewayBench
@testable import Journal
@testable import MQTT
@testable import Platform
@testable import Publisher
@testable import Readings

/// A broker's name with several addresses, some of which lead nowhere.
@Suite("Addresses of a broker that fail", .serialized)
struct BrokerAddressFailureTests {
    /// The listener at an address without a broker. Each listener accepts the TCP connection.
    enum Behaviour: String, CaseIterable, CustomTestStringConvertible, Sendable {
        case closes, closesAfterConnect, cutsItsAnswer, resets, talksRubbish, acknowledgesNothing
        /// A web server with answers to whole lines alone.
        case wantsLines
        var testDescription: String { rawValue }

        func meet(_ descriptor: Int32) {
            var octets = [UInt8](repeating: 0, count: 512)
            switch self {
            case .closes: break
            case .closesAfterConnect: _ = recv(descriptor, &octets, octets.count, 0)
            case .cutsItsAnswer:
                _ = recv(descriptor, &octets, octets.count, 0)
                // CONNACK announces three octets, and one comes.
                _ = send(descriptor, [0x20, 3, 0] as [UInt8], 3, Int32(MSG_NOSIGNAL))
            case .resets:
                _ = recv(descriptor, &octets, 1, 0)
                var option = linger(l_onoff: 1, l_linger: 0)
                setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
            case .talksRubbish:
                _ = recv(descriptor, &octets, octets.count, 0)
                _ = send(descriptor, "HTTP/1.1 400 Bad Request\r\n\r\n", 28, Int32(MSG_NOSIGNAL))
            case .wantsLines:
                let count = max(0, recv(descriptor, &octets, octets.count, 0))
                if octets.prefix(count).suffix(2).elementsEqual("\r\n".utf8) {
                    _ = send(descriptor, "HTTP/1.0 501 Not Implemented\r\n\r\n", 32, Int32(MSG_NOSIGNAL))
                }
            case .acknowledgesNothing:
                _ = recv(descriptor, &octets, octets.count, 0)
                // A server that is unavailable: CONNACK 0x88 of MQTT 5.
                _ = send(descriptor, [0x20, 3, 0, 0x88, 0] as [UInt8], 5, Int32(MSG_NOSIGNAL))
            }
            close(descriptor)
        }
    }

    /// Takes connections at an address of loopback.
    private final class Imposter: Sendable {
        private let listener: Int32
        private let counter = Mutex(0)
        var count: Int { counter.withLock { $0 } }

        init(_ host: String, _ port: UInt16, _ behaviour: Behaviour) throws {
            listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = Broker.loopback(port)
            address.sin_addr.s_addr = inet_addr(host)
            let listens = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { [listener] in
                    bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0 && listen(listener, 8) == 0
                }
            }
            guard listens else { throw POSIXError(.EADDRINUSE) }
            Thread.detachNewThread { [listener, weak self] in
                while true {
                    let connection = accept(listener, nil, nil)
                    guard connection >= 0, let self else { return }
                    counter.withLock { $0 += 1 }
                    behaviour.meet(connection)
                }
            }
        }

        deinit {
            shutdown(listener, Int32(SHUT_RDWR))
            close(listener)
        }
    }

    private static func publisher(
        _ rig: Rig, _ addresses: [String], _ change: (inout MQTTConfiguration) -> Void = { _ in }
    ) -> Publisher {
        let configuration = rig.configuration {
            $0.host = "broker.test"
            // A wait would be the end of the test.
            $0.reconnectDelay = .seconds(3_600)...(.seconds(3_600))
            change(&$0)
        }
        return Publisher(
            configuration, gateway: "gw-test", information: Sample.information, journal: rig.journal, clock: rig.clock,
            surroundings: PublisherSurroundings(
                randomness: .system, addresses: { $0 == "broker.test" ? addresses : nil }),
            logger: Sample.logger)
    }

    @Test(arguments: Behaviour.allCases)
    func `an address that fails before CONNACK is left for the next one at once`(behaviour: Behaviour) async throws {
        let broker = try ScriptedBroker { ScriptedBroker.obliging($0) }
        let imposters = try ["127.0.0.2", "127.0.0.3"].map { try Imposter($0, broker.port, behaviour) }
        let publisher = Self.publisher(try Rig(broker), ["127.0.0.2", "127.0.0.3", "127.0.0.1"])
        publisher.start()
        #expect(await eventually { publisher.statistics.connected }, "\(publisher.statistics.lastError ?? "")")
        publisher.stop(drainingFor: .seconds(1))
        #expect(imposters.allSatisfy { $0.count > 0 }, "each address had its turn")
        #expect(broker.connects.map(\.level) == [5], "the other addresses say nothing of the broker's version")
    }

    @Test(
        arguments: [
            (Behaviour.closesAfterConnect, "the other end closed the connection before it answered CONNECT"),
            (.cutsItsAnswer, "the answer to CONNECT is cut off after 3 octets"),
            (.wantsLines, "a web server answers there, and no MQTT broker: give the broker's port (mqtt.port)"),
        ])
    func `what is said of an address names it, and what was seen there`(
        behaviour: Behaviour, seen: String
    ) async throws {
        let broker = try ScriptedBroker { ScriptedBroker.obliging($0) }
        let imposter = try Imposter("127.0.0.2", broker.port, behaviour)
        let publisher = Self.publisher(try Rig(broker), ["127.0.0.2"])
        publisher.start()
        #expect(await eventually { publisher.statistics.lastError != nil })
        let said = publisher.statistics.lastError ?? ""
        #expect(said.contains("broker.test:\(broker.port)") && said.contains("(at 127.0.0.2)"), "\(said)")
        #expect(said.contains(seen), "\(said)")
        #expect(imposter.count > 0)
        publisher.stop(drainingFor: .zero)
    }

    @Test func `a refusal is the broker's word: its other addresses are not asked for another one`() async throws {
        let broker = try ScriptedBroker { event in
            if case .connect(let number, _) = event, number < 4 { return [.connack(0x86)] }
            return ScriptedBroker.obliging(event)
        }
        let imposter = try Imposter("127.0.0.2", broker.port, .closes)
        let publisher = Self.publisher(try Rig(broker), ["127.0.0.1", "127.0.0.2"]) {
            $0.reconnectDelay = .milliseconds(1)...(.milliseconds(1))
        }
        publisher.start()
        #expect(await eventually { publisher.statistics.connected })
        publisher.stop(drainingFor: .seconds(1))
        #expect(broker.connects.count == 5 && imposter.count == 0)
    }

    @Test func `a broker that hangs up on MQTT 5 is spoken to with MQTT 3_1_1 at the same address`() async throws {
        let broker = try ScriptedBroker { event in
            if case .connect(_, let connect) = event, connect.level == 5 { return [.close] }
            return ScriptedBroker.obliging(event)
        }
        let imposter = try Imposter("127.0.0.2", broker.port, .closesAfterConnect)
        let publisher = Self.publisher(try Rig(broker), ["127.0.0.2", "127.0.0.1"]) {
            $0.reconnectDelay = .milliseconds(1)...(.milliseconds(1))
        }
        publisher.start()
        #expect(await eventually { publisher.statistics.connected })
        #expect(publisher.statistics.protocolVersion == "3.1.1" && imposter.count > 0)
        publisher.stop(drainingFor: .seconds(1))
    }
}
