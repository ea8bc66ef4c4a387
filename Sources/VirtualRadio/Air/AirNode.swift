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
    /// False while nothing it sends is heard and nothing reaches it.
    var isInRange: Bool { get set }
    /// What others measure of it, in dBm, give or take a little.
    var signalStrength: Int8 { get }
    var leFeatures: LEFeatures { get }
    /// LL payload octets this node wants to send a packet once both sides agree on data length.
    var wantedTransmitOctets: Int { get }
    /// Link-layer flow control: false while the host behind the node does not take what it is given.
    var acceptsData: Bool { get }

    func acceptsScanRequest(from scanner: DeviceAddress, set: UInt8?) -> Bool
    func acceptsConnection(from initiator: DeviceAddress, set: UInt8?) -> Bool

    func linkOpened(_ link: Link, as role: LinkRole, set: UInt8?)
    func linkClosed(_ link: Link, as role: LinkRole, reason: HCIStatus)
    /// Octets of one LL data packet; `isStart` where an L2CAP frame begins.
    func received(_ octets: ArraySlice<UInt8>, isStart: Bool, on link: Link)
    /// The peer has all of a packet that this node queued.
    func acknowledged(_ token: Int?, on link: Link)
    /// A connection event is over.
    func eventEnded(on link: Link)
    func notified(_ notice: LinkNotice, on link: Link, as role: LinkRole)

    /// What its link layer makes of a procedure that the Central has begun.
    func treatment(of procedure: LinkProcedure) -> LinkTreatment

    func occur(_ occasion: NodeOccasion, generation: UInt32)

    /// It is in no air any more. A node and its links hold each other until then.
    func forgetLinks()
}

extension AirNode {
    func treatment(of procedure: LinkProcedure) -> LinkTreatment { .carryOut }
}

enum LinkTreatment {
    case carryOut
    /// The link ends.
    case hangUp
    /// It never answers.
    case ignore
}

/// What one side of a link learns from the link layer.
enum LinkNotice {
    case remoteFeatures(LEFeatures)
    case remoteVersion
    case parametersUpdated(HCIStatus)
    case parametersRequested(ConnectionParameterRange)
    case dataLengthChanged
    case phyUpdated(HCIStatus)
    /// The Peripheral's host is to look for the key that the Central means.
    case keyRequested(rand: UInt64, ediv: UInt16)
    case encryptionChanged(HCIStatus, isRefresh: Bool)
}
