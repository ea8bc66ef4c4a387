// SPDX-License-Identifier: Apache-2.0

import MQTT
import Platform
import Publisher

/// Makes one connection to each broker before the load: a fault is reported once, not a thousand times, and the
/// versions of the brokers are known.
enum SimulationPreflight {
    struct Outcome {
        var version = MQTTConnection.Version.v5
        var retains = true
    }

    /// - Throws: Why a broker accepts no gateway, in words, with the action that helps.
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
        let identity = SimulatedIdentity(number: plan.first)
        let will = GatewayMessages(prefix: plan.mqtt.topicPrefix, gateway: identity.gateway).will
        do throws(MQTTFailure) {
            // A broker without retained messages still works, but only the person who asks for the load may decide so.
            let answer = try BrokerCheck.run(
                plan.mqtt, at: address, clientID: identity.clientID, will: will, now: { .now },
                mayPassOtherwise: { $0 != .refused(.retainNotSupported) })
            return Outcome(version: answer.version, retains: answer.retains)
        } catch {
            throw SimulationFailure(error.explained(at: address, plan.mqtt))
        }
    }
}

/// Why the simulation cannot start, for a person.
package struct SimulationFailure: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
