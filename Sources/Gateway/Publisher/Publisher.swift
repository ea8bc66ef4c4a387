// SPDX-License-Identifier: Apache-2.0

import Logging
import Synchronization

/// seam
package final class Publisher: Sendable {
    private let journal: Journal
    private let state: Mutex<PublisherStatistics>
    package init(
        _ configuration: MQTTConfiguration, gateway: String, information: GatewayInformation, journal: Journal,
        clock: any WallClock, logger: Logger
    ) {
        self.journal = journal
        state = Mutex(PublisherStatistics(broker: "\(configuration.host):\(configuration.port)"))
    }
    package func start() {}
    package func stop(drainingFor: Duration) {}
    package func setAvailability(of device: String, online: Bool) {}
    package func setInformation(_ information: GatewayInformation) {}
    package func journalCommitted() {}
    package var statistics: PublisherStatistics { state.withLock { $0 } }
}
