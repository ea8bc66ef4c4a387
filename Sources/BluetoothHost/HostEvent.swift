// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GATT
import HCI
import L2CAP

/// Names a link for as long as it lives; never reused, unlike connection handles.
package struct LinkID: Hashable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// Tells the indications of a link apart: a late confirmation of one is none of the next.
package struct IndicationNumber: Hashable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// One user of the host in this process, such as a central manager.
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

/// What the host can do now.
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

/// What the host tells its clients.
package enum HostEvent: Sendable {
    case stateChanged(HostState, reason: String)
    case advertisement(Advertisement)
    case connected(LinkID, DeviceAddress, ClientSet)
    case connectionFailed(DeviceAddress, ClientSet, HCIStatus)
    case disconnected(LinkID?, DeviceAddress, ClientSet, HCIStatus)
    /// A link is encrypted, or its key has changed.
    case encryptionChanged(LinkID, LinkSecurity)
    /// The key is known here and does not work: the bond is kept, and the link ends with the same reason.
    case encryptionFailed(LinkID, HCIStatus)
    /// The peer of a link that was known by the first address has an identity, by which it is known from now on.
    case identityLearned(DeviceAddress, identity: DeviceAddress)
    /// A pairing goes on; told to everybody, with what we are on the link.
    case pairing(LinkID, DeviceAddress, LinkRole, PairingEvent)
    /// What a client advertises is on the air for the first time.
    case advertisingStarted(ClientID)
    case advertisingFailed(ClientID, HCIStatus)
    /// Its duration is over, or the host is not ready any more.
    case advertisingEnded(ClientID)
    /// A link came up; its peer may use our services from now on.
    case linkUp(LinkID, DeviceAddress, LinkRole)
    case linkDown(LinkID, HCIStatus)
    /// Anybody's link to a peer came or went; with the services that are known of the peer.
    case presence(DeviceAddress, isConnected: Bool, services: Set<BluetoothUUID>)
    case mtuExchanged(LinkID, Int)
    /// A notification or an indication; `octets` are in the batch. Indications have a number and wait for
    /// ``HostMachine/confirm(_:_:for:at:)``.
    case value(LinkID, handle: UInt16, octets: Range<Int>, indication: IndicationNumber?)
    /// Handles in the range, 1…0xFFFF, mean something else now: services were added, removed or changed. The server has
    /// been told already that we know.
    case servicesChanged(LinkID, start: UInt16, end: UInt16)
    case completed(GATTRequestID, Result<GATTResponse, GATTError>)
    case rssi(GATTRequestID, Result<Int8, HCIStatus>)
    /// A write command was handed to the controller.
    case writeCommandSent(LinkID, ClientID)
    case channel(ChannelEvent)
    /// What the Central said to the parameters that ``HostMachine/setParameters(_:on:for:at:)`` asked for by L2CAP.
    case parametersAnswered(LinkID, SignallingMachine.ParameterAnswer)
    /// Something about what a client publishes.
    case server(ClientID, ServerEvent)
}

/// What the attribute server tells a client of its services.
package enum ServerEvent: Sendable {
    /// Answer with ``HostMachine/answer(read:_:at:)``.
    case read(ServerRequest, handle: UInt16, offset: Int)
    /// Answer with ``HostMachine/answer(write:_:at:)``; nil: a write without response.
    case write(LinkID, ServerRequest?, [WriteItem])
    case subscription(LinkID, handle: UInt16, isOn: Bool)
    /// A value that the client sent has left, was confirmed, or never will.
    case updateFinished(LinkID)
    /// A request was not answered in time; the link ends.
    case requestUnanswered(handle: UInt16)
}

/// An advertisement, merged with its scan response where there is one.
package struct Advertisement: Sendable {
    package let address: DeviceAddress
    package let isConnectable: Bool
    /// dBm; 127 when not available.
    package let rssi: Int8
    /// The advertising data and the scan response data behind it, in the batch.
    package let octets: Range<Int>
    /// The number of those octets that are the advertising data: no AD structure crosses this border.
    package let responseAt: Int
    package let clients: ClientSet
    package let facts: AdvertisingFacts
    /// When the last part of it came.
    package let seenAt: MonotonicTime
}
