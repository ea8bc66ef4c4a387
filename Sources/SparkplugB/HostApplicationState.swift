// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The state that a host application announces, retained by the broker. Sparkplug 3.0, 6.4.27.
package struct HostApplicationState: Equatable, Sendable {
    package var isOnline: Bool
    /// Milliseconds since 1970 UTC, by the host's clock: the time tells an old will from a newer announcement.
    package var timestamp: Int64

    package init(isOnline: Bool, timestamp: Int64) { (self.isOnline, self.timestamp) = (isOnline, timestamp) }

    /// - Returns: Nil for other JSON. Any client may have written the octets.
    package init?(_ octets: [UInt8]) {
        struct Wire: Decodable {
            var online: Bool
            var timestamp: Int64
        }
        guard octets.count <= 1_024, let wire = try? JSONDecoder().decode(Wire.self, from: Data(octets)) else {
            return nil
        }
        self.init(isOnline: wire.online, timestamp: wire.timestamp)
    }
}
