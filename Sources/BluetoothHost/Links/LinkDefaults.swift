// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// What new links begin with.
struct LinkDefaults: Sendable {
    let parameters: ConnectionParameters
    /// ATT_MTU that we offer, in octets: 23…517.
    var mtu = Link.maximumPayload

    /// Payload octets that the controller asks new peers for by itself; 27: it asks for nothing.
    var suggestedOctets = LinkLayerMachine.longest

    init(parameters: ConnectionParameters) { self.parameters = parameters }
}
