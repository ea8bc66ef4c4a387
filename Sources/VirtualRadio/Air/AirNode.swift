// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// Names a controller or a sensor in one air; never given twice.
package struct AirNodeID: Hashable, Comparable, Sendable {
    package let rawValue: UInt32

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A radio: a controller with a host behind it, or a sensor that is its own host.
protocol AirNode: AnyObject {
    var id: AirNodeID { get }
    /// False while the node neither hears nor is heard.
    var isInRange: Bool { get set }
    /// The signal strength that other nodes measure, in dBm, more or less.
    var signalStrength: Int8 { get }
    var leFeatures: LEFeatures { get }
    /// LL payload octets in a packet that this node wants to send once both sides agree on data length.
    var wantedTransmitOctets: Int { get }
    /// Link-layer flow control: false while the host behind the node does not take its data.
    var acceptsData: Bool { get }

    func acceptsScanRequest(from scanner: DeviceAddress, set: UInt8?) -> Bool
    func acceptsConnection(from initiator: DeviceAddress, set: UInt8?) -> Bool

    func linkOpened(_ link: Link, as role: LinkRole, set: UInt8?)
    func linkClosed(_ link: Link, as role: LinkRole, reason: HCIStatus)
    /// Octets of one LL data packet; `isStart`: an L2CAP frame begins.
    func received(_ octets: ArraySlice<UInt8>, isStart: Bool, on link: Link)
    /// The peer has received all of a packet that this node queued.
    func acknowledged(_ token: Int?, on link: Link)
    /// A connection event is over.
    func eventEnded(on link: Link)
    func notified(_ notice: LinkNotice, on link: Link, as role: LinkRole)

    /// The reaction of the node's link layer to a procedure of the Central.
    func treatment(of procedure: LinkProcedure) -> LinkTreatment

    func occur(_ occasion: NodeOccasion, generation: UInt32)

    /// The node has left the air. A node and its links hold each other until this call.
    func forgetLinks()
}

extension AirNode {
    func treatment(of procedure: LinkProcedure) -> LinkTreatment { .carryOut }
}

enum LinkTreatment {
    case carryOut
    /// The link ends.
    case hangUp
    /// The node never answers.
    case ignore
}

/// A notice of the link layer to one side of a link.
enum LinkNotice {
    case remoteFeatures(LEFeatures)
    case remoteVersion
    case parametersUpdated(HCIStatus)
    case parametersRequested(ConnectionParameterRange)
    case dataLengthChanged
    case phyUpdated(HCIStatus)
    /// Asks the Peripheral's host for the key that the Central means.
    case keyRequested(rand: UInt64, ediv: UInt16)
    case encryptionChanged(HCIStatus, isRefresh: Bool)
}
