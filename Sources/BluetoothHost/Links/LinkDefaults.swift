// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The settings of new links.
struct LinkDefaults: Sendable {
    let parameters: ConnectionParameters
    /// ATT_MTU that we offer, in octets: 23…517.
    var mtu = Link.maximumPayload

    init(parameters: ConnectionParameters) { self.parameters = parameters }
}
