// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth

/// What `martlet status` shows.
package struct GatewayStatus: Codable, Sendable {
    package struct Controller: Codable, Sendable {
        /// As configured: `hci0`, `tcp:HOST:PORT`…
        package var name: String
        /// In words: "powered on", or what is in the way and what to do about it.
        package var state: String
        package var statistics: CBControllerStatistics
    }

    package var gateway: String
    package var version: String
    package var uptimeS: Int
    /// Quality of the wall clock: `synced`, `holdover`, `unsynced`.
    package var clock: String
    package var controller: Controller
    package var collector: CollectorStatus
    package var journal: JournalStatistics
    package var mqtt: PublisherStatistics
}
