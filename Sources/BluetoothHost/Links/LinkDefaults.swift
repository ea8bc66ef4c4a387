// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The settings of new links.
struct LinkDefaults: Sendable {
    let parameters: ConnectionParameters
    /// ATT_MTU that we offer, in octets: 23…517.
    var mtu = Link.maximumPayload

    /// Payload octets of the controller's own wish to new peers; 27: no wish.
    var suggestedOctets = LinkLayerMachine.longest

    init(parameters: ConnectionParameters) { self.parameters = parameters }
}
