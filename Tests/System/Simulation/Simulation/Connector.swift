// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import MQTT
import Publisher
import Synchronization

/// Makes connections on threads of its own: the look-up of a name and the connecting block, and a loop that serves
/// thousands of connections must not wait.
final class Connector: Sendable {
    struct Wish: Sendable {
        var identity: SimulatedIdentity
        var address: BrokerAddress
        /// The mailbox and the slot that get the connection.
        var mailbox: LoopMailbox
        var slot: Int
    }

    private let plan: SimulationPlan
    private let version: MQTTConnection.Version
    private let wishes = Mutex<(waiting: [Wish], isOver: Bool)>(([], false))
    private let signal = DispatchSemaphore(value: 0)

    init(_ plan: SimulationPlan, version: MQTTConnection.Version, threads: Int) {
        self.plan = plan
        self.version = version
        for number in 0..<threads {
            let thread = Thread { [self] in work() }
            thread.name = "connect-\(number)"
            thread.stackSize = 1 << 19
            thread.start()
        }
    }

    func connect(_ wish: Wish) {
        wishes.withLock { $0.waiting.append(wish) }
        signal.signal()
    }

    /// Ends the threads; waiting wishes are dropped.
    func stop() {
        wishes.withLock { $0 = ([], true) }
        signal.signal()
    }

    private func work() {
        while true {
            signal.wait()
            let (wish, isOver) = wishes.withLock { wishes in
                (wishes.waiting.isEmpty ? nil : wishes.waiting.removeFirst(), wishes.isOver)
            }
            // Wakes the next thread, which must end as well.
            if isOver { return _ = signal.signal() }
            if let wish { wish.mailbox.put(Opening(slot: wish.slot, result: connection(for: wish))) }
        }
    }

    private func connection(for wish: Wish) -> Result<MQTTConnection, MQTTFailure> {
        do throws(MQTTFailure) {
            let will = GatewayMessages(prefix: plan.mqtt.topicPrefix, gateway: wish.identity.gateway).will
            // A clean start and a session that ends with the connection: a load test leaves no sessions behind.
            let connection = try MQTTConnection(
                plan.mqtt, at: wish.address, clientID: wish.identity.clientID, version: version, will: will,
                startsClean: true)
            try connection.connect()
            return .success(connection)
        } catch {
            return .failure(error)
        }
    }
}

/// A connection on its way from the thread that made it to the loop that serves it.
///
/// Unchecked: only one thread at a time uses a connection, and the connector keeps none.
struct Opening: @unchecked Sendable {
    var slot: Int
    var result: Result<MQTTConnection, MQTTFailure>
}
