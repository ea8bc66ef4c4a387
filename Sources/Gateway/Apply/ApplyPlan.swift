// SPDX-License-Identifier: Apache-2.0

import Configuration
import NetworkControl

/// A change of the gateway's settings, and of its network. Holds secrets, prints none.
package struct ApplyPlan: Equatable, Sendable {
    package enum Wireless: Equatable, Sendable {
        /// The kept networks are removed.
        case none
        case join(WirelessSettings)
    }

    package var country: String?
    package var wireless: Wireless?
    package var change: ConfigurationChange
    /// The way to the broker may change, and a broker is named.
    package var checksBroker: Bool

    package init(
        country: String? = nil, wireless: Wireless? = nil,
        change: ConfigurationChange = ConfigurationChange(), checksBroker: Bool = false
    ) {
        self.country = country
        self.wireless = wireless
        self.change = change
        self.checksBroker = checksBroker
    }
}
