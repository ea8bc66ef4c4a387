// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Glibc
import MQTT
import Platform
import Publisher

/// One connection to each broker before the load: what is wrong is said once, not a thousand times, and what the brokers
/// speak is known.
enum BrokerTrial {
    struct Outcome {
        var version = MQTTConnection.Version.v5
        var retains = true
    }

    private static let tries = 3
    private static let connectTime: Duration = .seconds(5)
    private static let answerTime: Duration = .seconds(15)

    /// - Throws: Why one of the brokers takes no gateway, in words, with what to do.
    static func run(_ plan: SimulationPlan) throws(SimulationFailure) -> Outcome {
        var outcome = Outcome()
        for address in plan.mqtt.addresses {
            let one = try run(plan, at: address)
            if one.version == .v3 { outcome.version = .v3 }
            outcome.retains = outcome.retains && one.retains
        }
        return outcome
    }

    private static func run(_ plan: SimulationPlan, at address: BrokerAddress) throws(SimulationFailure) -> Outcome {
        var habits = BrokerHabits()
        var count = 0
        while true {
            count += 1
            do throws(MQTTFailure) {
                if let failure = BrokerProbe.failure(of: address, timeout: connectTime) { throw failure }
                let acceptance = try acceptance(plan, at: address, version: habits.version)
                return Outcome(version: habits.version, retains: acceptance.retainAvailable)
            } catch {
                guard count < tries, habits.learn(from: error, retains: plan.mqtt.retain), error.mayPassOtherwise
                else { throw SimulationFailure(diagnosed(error, at: address, plan).explained(at: address, plan.mqtt)) }
            }
        }
    }

    /// A broker that is spoken to with TLS and knows none, or the other way round, hangs up or stays silent.
    private static func diagnosed(
        _ failure: MQTTFailure, at address: BrokerAddress, _ plan: SimulationPlan
    ) -> MQTTFailure {
        let other: BrokerProbe.Speech = plan.mqtt.tls == nil ? .tls : .plain
        guard failure.mayBeOtherSpeech, BrokerProbe.speaks(other, at: address, timeout: connectTime) else {
            return failure
        }
        return other == .tls ? .speaksTLS : .speaksNoTLS
    }

    private static func acceptance(
        _ plan: SimulationPlan, at address: BrokerAddress, version: MQTTConnection.Version
    ) throws(MQTTFailure) -> MQTTConnection.Acceptance {
        let identity = SimulatedIdentity(number: plan.first)
        let will = GatewayMessages(prefix: plan.mqtt.topicPrefix, gateway: identity.gateway).will
        let connection = try MQTTConnection(
            plan.mqtt, at: address, clientID: identity.clientID, version: version, will: will, startsClean: true)
        try connection.connect()
        let deadline = MonotonicTime.now + answerTime
        while true {
            if let failure = connection.failure { throw failure }
            if let acceptance = connection.acceptance {
                connection.disconnect()
                return acceptance
            }
            guard .now < deadline else { throw .noAnswer }
            var descriptor = pollfd(
                fd: connection.descriptor, events: Int16(POLLIN) | (connection.wantsWrite ? Int16(POLLOUT) : 0),
                revents: 0)
            guard poll(&descriptor, 1, 100) > 0 else { continue }
            if Int32(descriptor.revents) & POLLOUT != 0 { connection.write() }
            if Int32(descriptor.revents) & ~POLLOUT != 0 { connection.read() }
        }
    }
}

extension MQTTFailure {
    /// Without what is retained there is another way, but only who asks for the load may choose it.
    fileprivate var mayPassOtherwise: Bool { self != .refused(.retainNotSupported) }
}

/// Why there was no simulation, for a person.
package struct SimulationFailure: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
