// SPDX-License-Identifier: Apache-2.0

import Operations
import Platform
import Publisher

extension GatewayOperator {
    package func checkBroker(
        within limit: Duration, progress: @escaping @Sendable (BrokerStep) -> Void
    ) async throws(BrokerCheckFailure) {
        let end = ContinuousClock.now + limit
        let publisher: Publisher?
        do throws(OperationError) {
            publisher = try await change { [gateway] settings in
                // A publisher from before the trial proves nothing about the trial, or about the present network.
                if let trial = settings.trial, let own = gateway.slot.publisher, own !== trial.formerPublisher {
                    return own
                }
                return gateway.connectAnew()
            }
        } catch {
            throw BrokerCheckFailure(.name, .noConnection, error.description)
        }
        guard let publisher else { throw BrokerCheckFailure(.name, .noConnection, "the gateway is stopping") }
        try await PublisherCheck.run(
            of: publisher, within: max(.zero, ContinuousClock.now.duration(to: end)), limit: limit,
            clock: { gateway.clock.status }, progress)
    }
}
