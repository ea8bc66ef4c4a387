// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import GATT
import HCI

/// Additive: a physical layer of Bluetooth LE.
public enum CBPHY: Int, Sendable {
    /// 1 Mbit/s, supported by all devices.
    case le1M = 1
    /// 2 Mbit/s.
    case le2M = 2
    /// 125 or 500 kbit/s, for long ranges.
    case leCoded = 3

    init(_ phy: LEPHY) {
        switch phy {
        case .le1M: self = .le1M
        case .le2M: self = .le2M
        case .leCoded: self = .leCoded
        }
    }
}

/// Additive: how a connection runs now, as far as the controller has said.
public struct CBLinkInformation: Hashable, Sendable {
    /// The time from one connection event to the next: 7.5 ms…4 s.
    public let interval: Duration
    /// Connection events that the peripheral may skip: 0…499.
    public let latency: Int
    /// The time without a packet after which the connection is lost: 100 ms…32 s.
    public let timeout: Duration
    /// The PHY from this host to the peripheral.
    public let transmitPHY: CBPHY
    /// The PHY from the peripheral to this host.
    public let receivePHY: CBPHY
    /// The most payload octets of a packet to the peripheral: 27…251.
    public let transmitOctets: Int
    /// The most payload octets of a packet from the peripheral: 27…251.
    public let receiveOctets: Int
    /// Sentences, 0…16: in which points the peripheral's attribute server departs from the specification, as far as discoveries
    /// on this connection have shown, and what became of each.
    public let serverOddities: [String]
    /// Names of procedures, 0…10, that the host leaves out with this peripheral for a day, because three connections in a row
    /// ended during them. No value of the peripheral needs them.
    public let omittedProcedures: [String]

    init(_ link: LinkInformation, oddities: [GATTOddity], omitted: [OwnProcedure]) {
        interval = .microseconds(Int(link.interval) * 1250)
        latency = Int(link.latency)
        timeout = .milliseconds(Int(link.timeout) * 10)
        (transmitPHY, receivePHY) = (CBPHY(link.transmitPHY), CBPHY(link.receivePHY))
        (transmitOctets, receiveOctets) = (Int(link.transmitOctets), Int(link.receiveOctets))
        serverOddities = oddities.map(\.description)
        omittedProcedures = omitted.map(\.rawValue)
    }
}
