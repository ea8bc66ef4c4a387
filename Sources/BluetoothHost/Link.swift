// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GATT
import HCI
import L2CAP

/// Everything about one link; it ends with the link.
struct Link: Sendable {
    let id: LinkID
    /// By its identity address, as soon as that is known.
    var peer: DeviceAddress
    /// What both sides were on the air with when the link was made.
    var addresses: OnAirAddresses
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
    var l2cap: L2CAPMachine
    /// Peer and host have a bond: what either side keeps for the other outlives the link.
    var isBonded = false
    /// The address that stays with the device, where that is known: what is kept of the peer is kept under it.
    var identity: DeviceAddress?
    var server: GATTServerMachine
    /// What is kept of a bonded client was given to ``server``.
    var isServerRestored = false
    /// The Central was refused with Insufficient Encryption. One that has the key uses it then; one that has lost it asks
    /// again, and has to hear that it must pair.
    var wasToldToEncrypt = false
    /// Disconnect was sent.
    var isEnding = false
    /// When it is sent again: the controller has refused it.
    var endDue: MonotonicTime?
    /// What each PDU in the link's queue is, first one first.
    var queued: [QueuedPDU] = []
    /// A change of the link's parameters is under way, and what was asked for since.
    var isUpdating = false
    var wantedParameters: ConnectionParameters?
    /// Who has not taken care of the peer's last indication yet.
    var unconfirmed: ClientSet = []
    /// The number of that indication.
    private(set) var lastIndication = IndicationNumber(rawValue: 0)
    /// Primary services that were found, on this link or, where that is still to be believed, on an earlier one.
    var services: Set<BluetoothUUID> = []
    /// The peer was asked for all of them, for whoever looks for connected peers by service.
    var isSearched = false
    /// Who is subscribed to the characteristic whose value has this handle.
    var subscribers: [UInt16: ClientSet] = [:]
    /// The last handles of those characteristics, where their configurations are, by value handle.
    var configurations: [UInt16: UInt16] = [:]
    /// Subscriptions that the peer has not answered yet, by value handle.
    var configuring: [GATTRequestID: UInt16] = [:]

    /// Longest L2CAP payload that any of our channels takes: ATT, whose MTU is the largest; frames of credit based
    /// channels are shorter.
    static let maximumPayload = 517

    var encryption: EncryptionMachine
    var pairing = LinkPairing()
    var hold = LinkHold()
    /// Why we end the link, where that is not a client's wish.
    var endReason: HCIStatus?

    init(
        id: LinkID, information: LinkInformation, addresses: OnAirAddresses, linkLayer: LinkLayerMachine,
        clients: ClientSet, mtu: Int = maximumPayload
    ) {
        self.id = id
        peer = information.peer
        self.addresses = addresses
        role = information.role
        self.information = information
        self.linkLayer = linkLayer
        parametersDue = information.connectedAt + HostMachine.parametersPause
        self.clients = clients
        encryption = EncryptionMachine(isCentral: role == .central)
        identity = peer.isIdentity ? peer : nil
        recombination = RecombinationMachine(limit: Self.maximumPayload)
        l2cap = L2CAPMachine(role: role)
        gatt = GATTClientMachine(ownMTU: mtu)
        server = GATTServerMachine(ownMTU: mtu)
    }

    /// The name under which a bond with the peer is kept, if there is one.
    var bondAddress: DeviceAddress { identity ?? peer }

    /// Takes an indication that `clients` have to take care of. A peer has one outstanding at most (Vol 3, Part F,
    /// 3.3.2); of one that does not keep to that, the last one counts, so that it is never told twice to go on.
    mutating func noteIndication(for clients: ClientSet) -> IndicationNumber {
        lastIndication = IndicationNumber(rawValue: lastIndication.rawValue &+ 1)
        unconfirmed = clients
        return lastIndication
    }

    /// What every packet that comes on a link needs of it.
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
            let request = requestedParameters == nil || isEnding ? nil : parametersDue
            let procedure = isEnding ? nil : linkLayer.deadline(information)
            let security = [encryption.deadline, isEnding ? nil : pairing.deadline]
            return ([gatt.deadline, server.deadline, l2cap.deadline, procedure, request, endDue] + security)
                .compactMap { $0 }.min()
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
