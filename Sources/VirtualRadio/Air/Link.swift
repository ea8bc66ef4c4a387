// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

struct AirLinkID: Hashable {
    let rawValue: UInt32
}

enum LinkRole: UInt8 {
    case central = 0
    case peripheral = 1

    var other: LinkRole { self == .central ? .peripheral : .central }
}

/// The parameters of a link. Core 5.4, Vol 6, Part B, 4.5.
struct ConnectionParameters: Equatable {
    /// In units of 1.25 ms: 6…3200.
    var interval: UInt16
    /// Connection events the Peripheral may skip: 0…499.
    var latency: UInt16
    /// In units of 10 ms: 10…3200.
    var supervisionTimeout: UInt16

    var intervalDuration: Duration { .microseconds(1250 * Int64(interval)) }
    var supervisionDuration: Duration { .milliseconds(10 * Int64(supervisionTimeout)) }
}

/// The range that a host asks for: the controller chooses an interval inside it.
struct ConnectionParameterRange: Equatable {
    var minimumInterval: UInt16
    var maximumInterval: UInt16
    var latency: UInt16
    var supervisionTimeout: UInt16

    /// Core 5.4, Vol 4, Part E, 7.8.12: ranges, and a time-out longer than two (1 + latency) intervals.
    var isValid: Bool {
        (6...3200).contains(minimumInterval) && (6...3200).contains(maximumInterval)
            && minimumInterval <= maximumInterval && latency <= 499 && (10...3200).contains(supervisionTimeout)
            && UInt32(supervisionTimeout) * 4 > (1 + UInt32(latency)) * UInt32(maximumInterval)
    }

    /// The longest interval of the range: the choice that uses the least air time.
    var chosen: ConnectionParameters {
        ConnectionParameters(interval: maximumInterval, latency: latency, supervisionTimeout: supervisionTimeout)
    }
}

/// A PDU that waits to be sent: an L2CAP frame or a fragment of a frame, as its host handed it over.
struct LinkPDU {
    let octets: [UInt8]
    let isStart: Bool
    let readyAt: MonotonicTime
    /// The sender's own mark, returned once the peer has the packet.
    let token: Int?
    var sent = 0
}

/// A link-layer procedure that waits for the next connection event.
enum LinkProcedure {
    case terminate(by: LinkRole, reason: HCIStatus)
    case exchangeFeatures(by: LinkRole)
    case exchangeVersion(by: LinkRole)
    case update(ConnectionParameters)
    case requestParameters(ConnectionParameterRange)
    case rejectParameters(HCIStatus)
    case changeDataLength(by: LinkRole, octets: Int)
    case changePHY(by: LinkRole, phy: UInt8)
    case requestEncryption(EncryptionRequest)
    case startEncryption(key: [UInt8])
    case rejectEncryption(HCIStatus)
}

/// One side of a link.
final class LinkEnd {
    let node: any AirNode
    let address: DeviceAddress
    var isOpen = true
    /// The handle under which a controller keeps the link for its host.
    var handle: UInt16?
    var queue = FIFO<LinkPDU>()
    /// LL payload octets in a packet of this side: 27…251.
    var transmitOctets = 27

    init(node: any AirNode, address: DeviceAddress) {
        self.node = node
        self.address = address
    }
}

/// A connection between two nodes.
final class Link {
    let id: AirLinkID
    let central: LinkEnd
    let peripheral: LinkEnd
    var parameters: ConnectionParameters
    var pendingParameters: ConnectionParameters?
    /// The moment of some connection event; the interval gives all other moments.
    var anchor: MonotonicTime
    var procedures: [LinkProcedure] = []
    /// 1 for LE 1M, 2 for LE 2M, in both directions.
    var phy: UInt8 = 1
    var encryption = LinkEncryption()
    /// One side waits for an answer that the other side's link layer never sends.
    var isStuck = false
    var isArmed = false
    /// No packet gets through: a side is out of range or gone.
    var isBroken = false
    var supervisionGeneration: UInt32 = 0
    /// The moment since which every packet was lost.
    var failingSince: MonotonicTime?

    init(
        id: AirLinkID, central: LinkEnd, peripheral: LinkEnd, parameters: ConnectionParameters, anchor: MonotonicTime
    ) {
        self.id = id
        self.central = central
        self.peripheral = peripheral
        self.parameters = parameters
        self.anchor = anchor
    }

    func end(of node: any AirNode) -> LinkEnd { central.node === node ? central : peripheral }

    func end(_ role: LinkRole) -> LinkEnd { role == .central ? central : peripheral }

    /// The first connection event after `time`.
    func connectionEvent(after time: MonotonicTime) -> MonotonicTime {
        let interval = parameters.intervalDuration.wholeNanoseconds
        guard time >= anchor, interval > 0 else { return anchor }
        let passed = time.nanoseconds - anchor.nanoseconds
        return MonotonicTime(nanoseconds: anchor.nanoseconds + (passed / interval + 1) * interval)
    }
}
