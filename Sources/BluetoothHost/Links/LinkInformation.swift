// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// How a link runs now, as far as the controller has said.
package struct LinkInformation: Equatable, Sendable {
    package internal(set) var peer: DeviceAddress
    /// Our role on this link.
    package let role: LinkRole
    package let connectedAt: MonotonicTime
    /// Payload octets of a link layer packet, 27…251.
    package internal(set) var transmitOctets: UInt16 = 27
    package internal(set) var receiveOctets: UInt16 = 27
    package internal(set) var transmitPHY = LEPHY.le1M
    package internal(set) var receivePHY = LEPHY.le1M
    /// N × 1.25 ms.
    package internal(set) var interval: UInt16
    /// Connection events that the Peripheral may skip.
    package internal(set) var latency: UInt16
    /// N × 10 ms.
    package internal(set) var timeout: UInt16
    /// The features of the peer's controller; nil until it has answered.
    package internal(set) var peerFeatures: LEFeatures?

    /// `peer`: its identity address, where that is known. Interval, latency and timeout: as the controller says.
    init(
        of peer: DeviceAddress, role: LinkRole, interval: UInt16 = 24, latency: UInt16 = 0, timeout: UInt16 = 500,
        at now: MonotonicTime
    ) {
        self.peer = peer
        self.role = role
        connectedAt = now
        (self.interval, self.latency, self.timeout) = (interval, latency, timeout)
    }

    /// The link runs with what `parameters` ask for.
    func fits(_ parameters: ConnectionParameters) -> Bool {
        (parameters.minimumInterval.units...parameters.maximumInterval.units).contains(interval)
            && latency == parameters.latency.events && timeout == parameters.timeout.units
    }
}
