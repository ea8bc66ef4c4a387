// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Glibc
import MQTT
import Platform

/// Makes a single connection to a broker to check whether the broker accepts a client, and if not, why.
package enum BrokerCheck {
    package struct Answer: Sendable {
        package var version: MQTTConnection.Version
        /// The broker keeps retained messages.
        package var retains: Bool
    }

    /// Limit of attempts: versions of MQTT, a will that is not retained.
    private static let tries = 3
    /// No further address is tried after this time.
    private static let patience: Duration = .seconds(50)
    private static let connectTime: Duration = .seconds(5)
    private static let answerTime: Duration = .seconds(15)

    /// Blocks for 100 seconds at most. Leaves no session behind.
    ///
    /// - Parameters:
    ///   - will: The client's will, which a broker may refuse; nil: no will.
    ///   - now: The clock for the wait for the broker's answer.
    ///   - mayPassOtherwise: Whether another attempt may follow a failure.
    package static func run(
        _ configuration: MQTTConfiguration, at address: BrokerAddress, clientID: String, will: OutgoingMessage? = nil,
        now: () -> MonotonicTime, mayPassOtherwise: (MQTTFailure) -> Bool = { _ in true }
    ) throws(MQTTFailure) -> Answer {
        var configuration = configuration
        configuration.sessionExpirySeconds = 0
        var habits = BrokerHabits()
        var count = 0
        let end = now() + patience
        while true {
            count += 1
            let connection = try MQTTConnection(
                configuration, at: address, clientID: clientID, version: habits.version, will: will, startsClean: true)
            do throws(MQTTFailure) {
                let acceptance = try acceptance(of: connection, habits, now: now)
                return Answer(version: habits.version, retains: acceptance.retainAvailable)
            } catch {
                let host = connection.dialedHost
                var hasOtherHosts = false
                if let host, !error.isWordOfBroker {
                    habits.failed(host)
                    hasOtherHosts = connection.hasOtherHosts && now() < end
                }
                let lesson = habits.learn(
                    from: error, retains: configuration.retain, hasOtherHosts: hasOtherHosts)
                if hasOtherHosts {
                    count -= 1
                    continue
                }
                guard count < tries, now() < end, lesson != .nothing, mayPassOtherwise(error) else {
                    throw diagnosed(
                        error, at: BrokerAddress(host: host ?? address.host, port: address.port), configuration)
                }
            }
        }
    }

    /// A broker hangs up or stays silent if the gateway uses TLS and the broker does not, or the other way round; so does a
    /// web server.
    private static func diagnosed(
        _ failure: MQTTFailure, at address: BrokerAddress, _ configuration: MQTTConfiguration
    ) -> MQTTFailure {
        guard failure.mayBeOtherSpeech else { return failure }
        let speech = SpeechCheck.speech(at: address, usesTLS: configuration.tls != nil, timeout: connectTime)
        return speech?.failure ?? failure
    }

    private static func acceptance(
        of connection: MQTTConnection, _ habits: BrokerHabits, now: () -> MonotonicTime
    ) throws(MQTTFailure) -> MQTTConnection.Acceptance {
        try connection.connect(
            by: BrokerDialer(lookupTime: connectTime, connectTime: connectTime, failed: habits.failedHosts))
        let deadline = now() + answerTime
        while true {
            if let failure = connection.failure { throw failure }
            if let acceptance = connection.acceptance {
                connection.disconnect()
                return acceptance
            }
            guard now() < deadline else {
                throw connection.isSecured ? connection.cutAnswer ?? .noAnswer : .noHandshake
            }
            var descriptor = pollfd(
                fd: connection.descriptor, events: Int16(POLLIN) | (connection.wantsWrite ? Int16(POLLOUT) : 0),
                revents: 0)
            guard poll(&descriptor, 1, 100) > 0 else { continue }
            if Int32(descriptor.revents) & POLLOUT != 0 { connection.write() }
            if Int32(descriptor.revents) & ~POLLOUT != 0 { connection.read() }
        }
    }
}
