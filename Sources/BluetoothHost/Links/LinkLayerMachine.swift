// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GATT
import HCI

/// Makes a new link as good as both controllers can: asks for the peer's features, then for longer packets and LE 2M, one
/// procedure at a time and each once. After a failure the link stays as it is: a link with short packets is a link.
package struct LinkLayerMachine: Sendable {
    package enum Effect: Hashable, Sendable {
        case readRemoteFeatures
        case setDataLength
        case setPHY

        var ownProcedure: OwnProcedure {
            switch self {
            case .readRemoteFeatures: .featureExchange
            case .setDataLength: .dataLength
            case .setPHY: .phy
            }
        }
    }

    /// How long a Peripheral leaves it to the Central to begin: two sides that begin at once only hinder each other.
    package static let patience: Duration = .seconds(3)
    /// Payload octets of a packet at most.
    package static let shortest: UInt16 = 27
    /// Payload octets of the longest packet.
    package static let longest: UInt16 = 251

    private let role: LinkRole
    private let own: LEFeatures
    /// The effects that our controller has commands for.
    private var possible: Set<Effect>
    private let startsAt: MonotonicTime
    private var peer: LEFeatures?
    private var outstanding: Effect?
    /// The procedures that this link may try, as of its beginning.
    private let offered: Set<Effect>
    /// The controller asks for longer packets by itself.
    private let asksForLength: Bool
    /// Procedures that were begun on this link.
    package var begun: Set<OwnProcedure> {
        Set(offered.subtracting(possible).map(\.ownProcedure)).union(asksForLength ? [.dataLength] : [])
    }

    /// `possible`: what may be tried on this link. `asksForLength`: the controller begins by itself to ask for longer
    /// packets.
    package init(
        role: LinkRole, features: LEFeatures, possible: Set<Effect>, asksForLength: Bool = false, at now: MonotonicTime
    ) {
        self.asksForLength = asksForLength
        lengthAsked.byController = asksForLength ? now : nil
        self.role = role
        own = features
        startsAt = role == .central ? now : now + Self.patience
        // A Peripheral may only ask where its controller has the Peripheral-initiated Features Exchange, and leaves the
        // PHY to the Central.
        var possible = possible
        if role == .peripheral {
            possible.remove(.setPHY)
            if !features.contains(.peripheralInitiatedFeaturesExchange) { possible.remove(.readRemoteFeatures) }
        }
        (self.possible, offered) = (possible, possible)
    }

    /// When longer packets were asked for, as long as no sign of the peer's answer has come. A controller is done with the
    /// command at once, and says nothing more where the lengths stay.
    private var lengthAsked: (byController: MonotonicTime?, byCommand: MonotonicTime?) = (nil, nil)
    /// A hang-up over the request comes sooner. A link layer that never answers shows after 40 s. Core 5.4, Vol 6, Part B, 5.2.
    static let lengthPatience: Duration = .seconds(2)

    /// The controller or the peer has a procedure under way.
    package var isBusy: Bool { outstanding != nil }

    /// Procedures that the peer has not answered, in the order in which it has to answer them.
    package func outstanding(atEnd now: MonotonicTime, for reason: HCIStatus) -> [Set<OwnProcedure>] {
        let isLengthOpen = [lengthAsked.byController, lengthAsked.byCommand].compactMap { $0 }.contains {
            reason == .llResponseTimeout || now - $0 < Self.lengthPatience
        }
        return (isLengthOpen ? [[.dataLength]] : []) + (outstanding.map { [[$0.ownProcedure]] } ?? [])
    }

    /// When ``next(_:at:)`` should be asked again though nothing happened.
    package func deadline(_ information: LinkInformation) -> MonotonicTime? {
        outstanding == nil && wanted(information) != nil ? startsAt : nil
    }

    package mutating func next(_ information: LinkInformation, at now: MonotonicTime) -> Effect? {
        guard outstanding == nil, startsAt <= now, let effect = wanted(information) else { return nil }
        possible.remove(effect)
        outstanding = effect
        if effect == .setDataLength { lengthAsked.byCommand = now }
        return effect
    }

    private func wanted(_ information: LinkInformation) -> Effect? {
        guard let peer else { return possible.contains(.readRemoteFeatures) ? .readRemoteFeatures : nil }
        let common = own.intersection(peer)
        if possible.contains(.setDataLength), common.contains(.dataPacketLengthExtension),
            information.transmitOctets < Self.longest
        {
            return .setDataLength
        }
        if possible.contains(.setPHY), common.contains(.le2M), information.transmitPHY == .le1M { return .setPHY }
        return nil
    }

    /// Takes the status of the command. Set Data Length is done with it: no event comes when nothing changes.
    package mutating func answered(_ effect: Effect, _ status: HCIStatus) {
        guard outstanding == effect, status != .success || effect == .setDataLength else { return }
        outstanding = nil
        // A refused command says nothing about the controller's own request.
        if effect == .setDataLength, status != .success { lengthAsked.byCommand = nil }
    }

    /// Takes LE Data Length Change.
    package mutating func lengthChanged() { lengthAsked = (nil, nil) }

    /// Takes LE Read Remote Features Complete; nil when it failed.
    package mutating func learned(_ features: LEFeatures?) {
        if outstanding == .readRemoteFeatures { outstanding = nil }
        peer = features ?? peer
        // The peer has refused longer packets in the link layer, without an event.
        if let features, !features.contains(.dataPacketLengthExtension) { lengthAsked = (nil, nil) }
    }

    /// Takes LE PHY Update Complete.
    package mutating func phyUpdated() {
        // One procedure at a time: the one before is over, too.
        lengthAsked = (nil, nil)
        if outstanding == .setPHY { outstanding = nil }
    }
}
