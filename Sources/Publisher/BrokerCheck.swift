// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Glibc
import MQTT
import Platform

/// One connection to a broker, to see whether it takes a client, and if not, why.
package enum BrokerCheck {
    package struct Answer: Sendable {
        package var version: MQTTConnection.Version
        /// The broker keeps retained messages.
        package var retains: Bool
    }

    private static let tries = 3
    private static let connectTime: Duration = .seconds(5)
    private static let answerTime: Duration = .seconds(15)

    /// Blocks for 90 seconds at most. Leaves no session behind.
    ///
    /// - Parameters:
    ///   - will: What the client would leave behind, which a broker may refuse; nil tries without.
    ///   - now: The clock that the wait for the broker's answer is measured with.
    ///   - mayPassOtherwise: Whether what failed may be tried in another way.
    package static func run(
        _ configuration: MQTTConfiguration, at address: BrokerAddress, clientID: String, will: OutgoingMessage? = nil,
        now: () -> MonotonicTime, mayPassOtherwise: (MQTTFailure) -> Bool = { _ in true }
    ) throws(MQTTFailure) -> Answer {
        var configuration = configuration
        configuration.sessionExpirySeconds = 0
        var habits = BrokerHabits()
        var count = 0
        while true {
            count += 1
            do throws(MQTTFailure) {
                let acceptance = try acceptance(
                    configuration, at: address, clientID: clientID, version: habits.version, will: will, now: now)
                return Answer(version: habits.version, retains: acceptance.retainAvailable)
            } catch {
                guard count < tries, habits.learn(from: error, retains: configuration.retain), mayPassOtherwise(error)
                else { throw diagnosed(error, at: address, configuration) }
            }
        }
    }

    /// A broker that is spoken to with TLS and knows none, or the other way round, hangs up or stays silent.
    private static func diagnosed(
        _ failure: MQTTFailure, at address: BrokerAddress, _ configuration: MQTTConfiguration
    ) -> MQTTFailure {
        let other: BrokerProbe.Speech = configuration.tls == nil ? .tls : .plain
        guard failure.mayBeOtherSpeech, BrokerProbe.speaks(other, at: address, timeout: connectTime) else {
            return failure
        }
        return other == .tls ? .speaksTLS : .speaksNoTLS
    }

    private static func acceptance(
        _ configuration: MQTTConfiguration, at address: BrokerAddress, clientID: String,
        version: MQTTConnection.Version, will: OutgoingMessage?, now: () -> MonotonicTime
    ) throws(MQTTFailure) -> MQTTConnection.Acceptance {
        let connection = try MQTTConnection(
            configuration, at: address, clientID: clientID, version: version, will: will, startsClean: true)
        try connection.connect(by: BrokerDialer(lookupTime: connectTime, connectTime: connectTime))
        let deadline = now() + answerTime
        while true {
            if let failure = connection.failure { throw failure }
            if let acceptance = connection.acceptance {
                connection.disconnect()
                return acceptance
            }
            guard now() < deadline else { throw .noAnswer }
            var descriptor = pollfd(
                fd: connection.descriptor, events: Int16(POLLIN) | (connection.wantsWrite ? Int16(POLLOUT) : 0),
                revents: 0)
            guard poll(&descriptor, 1, 100) > 0 else { continue }
            if Int32(descriptor.revents) & POLLOUT != 0 { connection.write() }
            if Int32(descriptor.revents) & ~POLLOUT != 0 { connection.read() }
        }
    }
}
