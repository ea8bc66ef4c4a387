// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The preserved state of a central manager.
struct CentralSnapshot: Codable, Equatable, Sendable {
    struct Scan: Codable, Equatable, Sendable {
        /// Nil: everything.
        var services: [String]?
        var solicitedServices: [String] = []
        var allowsDuplicates = false
        var isBackground = false
    }

    /// A peripheral with a connection or a pending connection.
    struct Peripheral: Codable, Equatable, Sendable {
        var identifier: UUID
        var name: String?
        var reconnects: Bool
        /// Characteristics whose values the application wants.
        var subscriptions: [Subscription] = []
    }

    struct Subscription: Codable, Hashable, Sendable {
        var service: String
        var characteristic: String
    }

    var version = 1
    var scan: Scan?
    var peripherals: [Peripheral] = []

    /// There is nothing to restore.
    var isEmpty: Bool { scan == nil && peripherals.isEmpty }
}
