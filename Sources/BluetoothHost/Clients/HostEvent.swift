// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GATT
import HCI
import L2CAP

/// Names a link during its life. Never reused, unlike connection handles.
package struct LinkID: Hashable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// Tells the indications of a link apart: a late confirmation does not count for the next indication.
package struct IndicationNumber: Hashable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// One user of the host in this process: a central manager, for example.
package struct ClientID: Hashable, Sendable {
    /// 0…63.
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue & 63 }
}

package struct ClientSet: OptionSet, Sendable {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }
    package init(_ client: ClientID) { rawValue = 1 << UInt64(client.rawValue) }
    package static let all = ClientSet(rawValue: .max)
}

/// Whether the host can be used now.
package enum HostState: Equatable, Sendable {
    /// Nothing is known yet.
    case unknown
    /// The controller is being set up, for the first time or again.
    case resetting
    case ready
    /// The controller has no Bluetooth LE.
    case unsupported
    /// The process may not use the controller.
    case unauthorized
    /// The controller cannot be reached.
    case unreachable
}

/// The end of a link.
package struct LinkEnd: Equatable, Sendable {
    package var reason: HCIStatus
    /// The procedure that waited for the peer's answer, and perhaps made the peer end the link. Nil where no procedure
    /// was under way, or where a client of this host ended the link.
    package var outstanding: OutstandingProcedure?

    package init(_ reason: HCIStatus, during outstanding: OutstandingProcedure? = nil) {
        (self.reason, self.outstanding) = (reason, outstanding)
    }
}

/// Events of the host for its clients.
package enum HostEvent: Sendable {
    case stateChanged(HostState, reason: String)
    case advertisement(HeardAdvertisement)
    case connected(LinkID, DeviceAddress, ClientSet)
    case connectionFailed(DeviceAddress, ClientSet, HCIStatus)
    case disconnected(LinkID?, DeviceAddress, ClientSet, LinkEnd)
    /// A link is encrypted, or its key has changed.
    case encryptionChanged(LinkID, LinkSecurity)
    /// The key is known here and does not work. The bond is kept, and the link ends with this status as its reason.
    case encryptionFailed(LinkID, HCIStatus)
    /// The peer of a link has an identity address. From now on, the peer is known by this address instead of the first.
    case identityLearned(DeviceAddress, identity: DeviceAddress)
    /// A pairing goes on; all clients hear of it, with our role on the link.
    case pairing(LinkID, DeviceAddress, LinkRole, PairingEvent)
    /// A client's advertising is on the air for the first time.
    case advertisingStarted(ClientID)
    case advertisingFailed(ClientID, HCIStatus)
    /// The duration of the advertising is over, or the host is not ready any more.
    case advertisingEnded(ClientID)
    /// A link came up; its peer may use our services from now on.
    case linkUp(LinkID, DeviceAddress, LinkRole)
    case linkDown(LinkID, HCIStatus)
    /// A client's link to a peer came or went. `services`: the peer's known services.
    case presence(DeviceAddress, isConnected: Bool, services: Set<BluetoothUUID>)
    case mtuExchanged(LinkID, Int)
    /// A notification or an indication; `octets` are in the batch. Indications have a number and wait for
    /// ``HostMachine/confirm(_:_:for:at:)``.
    case value(LinkID, handle: UInt16, octets: Range<Int>, indication: IndicationNumber?)
    /// Handles in the range, 1…0xFFFF, have a new meaning: services were added, removed or changed. The server has been
    /// told already that we know.
    case servicesChanged(LinkID, start: UInt16, end: UInt16)
    case completed(GATTRequestID, Result<GATTResponse, GATTError>)
    case rssi(GATTRequestID, Result<Int8, HCIStatus>)
    /// A write command was handed to the controller.
    case writeCommandSent(LinkID, ClientID)
    case channel(ChannelEvent)
    /// The Central's answer to the parameters that ``HostMachine/setParameters(_:on:for:at:)`` asked for by L2CAP.
    case parametersAnswered(LinkID, SignallingMachine.ParameterAnswer)
    /// An event of a client's published services.
    case server(ClientID, ServerEvent)
}

/// Events of the attribute server about a client's services.
package enum ServerEvent: Sendable {
    /// Answer with ``HostMachine/answer(read:_:at:)``.
    case read(ServerRequest, handle: UInt16, offset: Int)
    /// Answer with ``HostMachine/answer(write:_:at:)``; nil: a write without response.
    case write(LinkID, ServerRequest?, [WriteItem])
    case subscription(LinkID, handle: UInt16, isOn: Bool)
    /// A value of the client has left, was confirmed, or never will be.
    case updateFinished(LinkID)
    /// A request was not answered in time; the link ends.
    case requestUnanswered(handle: UInt16)
}

/// An advertisement, merged with its scan response if there is a response.
package struct HeardAdvertisement: Sendable {
    package let address: DeviceAddress
    package let isConnectable: Bool
    /// dBm; 127 when not available.
    package let rssi: Int8
    /// The advertising data, followed by the scan response data, in the batch.
    package let octets: Range<Int>
    /// The number of `octets` before the scan response data. No AD structure crosses this border.
    package let responseAt: Int
    package let clients: ClientSet
    package let facts: AdvertisingFacts
    /// When the last part of the advertisement came.
    package let seenAt: MonotonicTime
}
