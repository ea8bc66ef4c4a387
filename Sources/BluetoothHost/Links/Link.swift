// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GATT
import HCI
import L2CAP

/// Everything about one link; it ends with the link.
struct Link: Sendable {
    let id: LinkID
    /// The addresses of both sides on the air when the link began.
    var addresses: OnAirAddresses
    var information: LinkInformation
    var linkLayer: LinkLayerMachine
    var parameters: LinkParameters
    /// The clients that keep the link.
    var clients: ClientSet
    var recombination: RecombinationMachine
    var gatt: GATTClientMachine
    var discovery = LinkDiscovery()
    var subscriptions = LinkSubscriptions()
    var owed = OwedConfirmation()
    var l2cap: L2CAPMachine
    var known: LinkIdentity
    var server: GATTServerMachine
    var served = ServedPeer()
    var ending = LinkEnding()
    /// The kinds of the PDUs in the link's queue, the first PDU first.
    var queued: [QueuedPDU] = []

    /// Longest L2CAP payload that any of our channels takes: ATT, whose MTU is the largest; frames of credit based
    /// channels are shorter.
    static let maximumPayload = 517

    var encryption: EncryptionMachine
    var pairing = LinkPairing()
    var hold = LinkHold()

    init(
        id: LinkID, information: LinkInformation, addresses: OnAirAddresses, linkLayer: LinkLayerMachine,
        clients: ClientSet, mtu: Int = maximumPayload
    ) {
        self.id = id
        self.addresses = addresses
        self.information = information
        self.linkLayer = linkLayer
        parameters = LinkParameters(due: information.connectedAt + HostMachine.parametersPause)
        self.clients = clients
        encryption = EncryptionMachine(isCentral: information.role == .central)
        known = LinkIdentity(of: information.peer)
        recombination = RecombinationMachine(limit: Self.maximumPayload)
        l2cap = L2CAPMachine(role: information.role)
        gatt = GATTClientMachine(ownMTU: mtu)
        server = GATTServerMachine(ownMTU: mtu)
    }

    /// By its identity address, as soon as that is known.
    var peer: DeviceAddress { information.peer }
    /// Our role on this link.
    var role: LinkRole { information.role }
    /// The peer's, where that is known.
    var identity: DeviceAddress? { known.address }
    var isBonded: Bool { known.isBonded }
    /// Disconnect was sent: nobody is to use the link any more.
    var isEnding: Bool { ending.isUnderway }

    /// A device has connected to us and shows no purpose that is worth a place: the link is unencrypted, no pairing is under way, no
    /// client uses the link, and the last request is `age` old. A device with a subscription, like a phone during the set-up of a
    /// network, has ten times as long. Unencrypted links of twenty times this age are idle in any case.
    func isIdleStranger(for age: Duration, at now: MonotonicTime) -> Bool {
        guard role == .peripheral, clients.isEmpty, !isEnding, !encryption.isEncrypted, !encryption.isChanging,
            !pairing.isBusy
        else { return false }
        let began = information.connectedAt
        let patience = server.subscriptions.isEmpty ? age : age * 10
        return now - (served.lastRequest ?? began) >= patience || now - began >= age * 20
    }

    /// The name under which a bond with the peer is kept, if there is one.
    var bondAddress: DeviceAddress { identity ?? peer }

    /// The part of a link that each received packet needs.
    struct Receipt: Sendable {
        let link: LinkID
        let peer: DeviceAddress
        let clients: ClientSet
        /// The link is encrypted with the key of a bond.
        let usesBond: Bool
        let result: RecombinationMachine.Result
    }

    /// Takes the payload of an ACL packet.
    mutating func received(_ fragment: RawSpan, isFirst: Bool) -> Receipt {
        Receipt(
            link: id, peer: peer, clients: clients, usesBond: encryption.usesBond,
            result: recombination.received(fragment, isFirst: isFirst))
    }

    /// When something of it is due. Mutating, so that the link is looked at where it is and not copied for it.
    var deadline: MonotonicTime? {
        mutating get {
            var earliest = MonotonicTime.earlier(gatt.deadline, server.deadline)
            earliest = .earlier(earliest, l2cap.deadline)
            earliest = .earlier(earliest, encryption.deadline)
            earliest = .earlier(earliest, ending.due)
            guard !isEnding else { return earliest }
            earliest = .earlier(earliest, linkLayer.deadline(information))
            if parameters.requested != nil { earliest = .earlier(earliest, parameters.due) }
            return .earlier(earliest, pairing.deadline)
        }
    }
}

/// Whose a PDU is that waits for the controller.
enum QueuedPDU: Sendable {
    case own
    case writeCommand(ClientID)
    /// A notification.
    case update(ClientID)
}
