// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GATT
import HCI
import L2CAP

/// Everything about one link; it ends with the link.
struct Link: Sendable {
    let id: LinkID
    let peer: DeviceAddress
    /// Who wanted the link and has not let go of it.
    var clients: ClientSet
    var recombination: RecombinationMachine
    var gatt: GATTClientMachine
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

    var encryption: EncryptionMachine
    var hold = LinkHold()
    /// Why we end the link, where that is not a client's wish.
    var endReason: HCIStatus?

    /// Longest L2CAP payload of our fixed channels: ATT, whose MTU is the largest.
    static let maximumPayload = 517

    init(id: LinkID, peer: DeviceAddress, clients: ClientSet, isCentral: Bool = true) {
        self.id = id
        self.peer = peer
        self.clients = clients
        encryption = EncryptionMachine(isCentral: isCentral)
        recombination = RecombinationMachine(limit: Self.maximumPayload)
        gatt = GATTClientMachine(ownMTU: Self.maximumPayload)
    }
}
