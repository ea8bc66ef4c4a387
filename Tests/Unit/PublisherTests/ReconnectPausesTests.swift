// SPDX-License-Identifier: Apache-2.0

import Glibc
import MQTT
import Testing

@testable import GatewayBench
@testable import Publisher

@Suite("Pauses between connections")
struct ReconnectPausesTests {
    private func waits(_ failures: [MQTTFailure], in range: ClosedRange<Duration> = .seconds(1)...(.seconds(60)))
        -> [Duration]
    {
        var pauses = ReconnectPauses(range)
        return failures.map { pauses.wait(after: $0, spread: 1) }
    }

    @Test(arguments: [.system(ENETUNREACH), .system(ENETDOWN), .unknownHost(EAI_AGAIN)] as [MQTTFailure])
    func `without a network the next try is never far`(_ failure: MQTTFailure) {
        #expect(waits(Array(repeating: failure, count: 5)) == [1, 2, 2, 2, 2].map { .seconds($0) })
        // The configuration's limits have priority.
        #expect(
            waits([failure, failure], in: .milliseconds(1)...(.milliseconds(1))) == [
                .milliseconds(1), .milliseconds(1),
            ])
        #expect(waits([failure, failure], in: .seconds(5)...(.seconds(60))) == [.seconds(5), .seconds(5)])
    }

    @Test(
        arguments: [.system(ECONNREFUSED), .system(EHOSTUNREACH), .unknownHost(EAI_NONAME), .noAnswer] as [MQTTFailure])
    func `where a broker does not answer, waits are doubled`(_ failure: MQTTFailure) {
        #expect(waits(Array(repeating: failure, count: 8)) == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
    }

    @Test func `the network's pauses leave those of the broker alone`() {
        let (network, broker) = (MQTTFailure.system(ENETUNREACH), MQTTFailure.system(ECONNREFUSED))
        #expect(waits([broker, broker, network, network, broker, network]) == [1, 2, 1, 2, 4, 1].map { .seconds($0) })
    }

    @Test func `what a machine without a network says is taken for that`() async throws {
        // A TCP connection to a multicast group is impossible: the kernel has no route.
        let log = LogLines()
        let rig = try Rig(try ScriptedBroker { _ in [.close] })
        let publisher = rig.publisher(logger: log.logger) {
            $0.host = "224.0.0.1"
        }
        publisher.start()
        #expect(await eventually { publisher.statistics.lastError?.contains("224.0.0.1") == true })
        publisher.stop(drainingFor: .zero)
        // ENETUNREACH by its name in words, which no other failure has.
        #expect(log.text.contains(String(cString: strerror(ENETUNREACH))), "\(log.text)")
    }
}
