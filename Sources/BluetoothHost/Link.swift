// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GATT
import L2CAP

/// Everything about one link; it ends with the link.
struct Link: Sendable {
    let id: LinkID
    let peer: DeviceAddress
    /// What we are.
    let role: LinkRole
    var information: LinkInformation
    var linkLayer: LinkLayerMachine
    /// What we, as Peripheral, want to ask the Central for, and have asked its link layer for.
    var requestedParameters: ConnectionParameters?
    var askedParameters: ConnectionParameters?
    /// When the next such request may be made.
    var parametersDue: MonotonicTime
    /// Who wanted the link and has not let go of it.
    var clients: ClientSet
    var recombination: RecombinationMachine
    var gatt: GATTClientMachine
    /// The GATT client has begun, with the exchange of MTUs. Where we are the Peripheral it waits until a client comes.
    var isClientStarted = false
    /// Disconnect was sent.
    var isEnding = false
    /// What each PDU in the link's queue is, first one first: a client's write command, or something of our own.
    var queued: [ClientID?] = []
    /// A change of the link's parameters is under way, and what was asked for since.
    var isUpdating = false
    var wantedParameters: ConnectionParameters?
    /// Who has not taken care of the peer's last indication yet.
    var unconfirmed: ClientSet = []
    /// Primary services that were found.
    var services: Set<BluetoothUUID> = []
    /// Who is subscribed to the characteristic whose value has this handle.
    var subscribers: [UInt16: ClientSet] = [:]
    /// Subscriptions that the peer has not answered yet, by value handle.
    var configuring: [GATTRequestID: UInt16] = [:]

    /// Longest L2CAP payload of our fixed channels: ATT, whose MTU is the largest.
    static let maximumPayload = 517

    init(id: LinkID, information: LinkInformation, linkLayer: LinkLayerMachine, clients: ClientSet) {
        self.id = id
        peer = information.peer
        role = information.role
        self.information = information
        self.linkLayer = linkLayer
        parametersDue = information.connectedAt + HostMachine.parametersPause
        self.clients = clients
        recombination = RecombinationMachine(limit: Self.maximumPayload)
        gatt = GATTClientMachine(ownMTU: Self.maximumPayload)
    }

    /// When something of it is due.
    var deadline: MonotonicTime? {
        let request = requestedParameters == nil || isEnding ? nil : parametersDue
        let procedure = isEnding ? nil : linkLayer.deadline(information)
        return [gatt.deadline, procedure, request].compactMap { $0 }.min()
    }
}
