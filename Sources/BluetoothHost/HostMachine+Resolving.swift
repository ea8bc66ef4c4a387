// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import SMP

/// The controller's resolving list: whom it resolves, the host need not listen for.
extension HostMachine {
    /// Takes over what has changed in the bonds and in our own privacy.
    ///
    /// The private addresses that we advertise from are made here, so that all advertisers share one. Where we scan and
    /// initiate with private addresses, the controller has our key as well: a bonded peer directs its advertisements to
    /// a private address that it has made for us, and only a controller that resolves that hears them.
    mutating func wantResolving() {
        let localKey = addresses.privacy.scope == .everything ? addresses.privacy.distributedKey ?? .zero : .zero
        guard resolving.revision != bonds.keyRevision || resolving.localKey != localKey else { return }
        let before = resolving.resolved
        resolving.want(bonds.resolvable, localKey: localKey, revision: bonds.keyRevision)
        if resolving.resolved != before { renewWishes() }
    }

    /// Changes the list by one step if one is due. Only while the controller neither advertises, scans nor initiates.
    mutating func changeResolvingList(at now: MonotonicTime) {
        switch resolving.next(at: now) {
        case .clear: submit(LEClearResolvingList())
        case .add(let entry):
            submit(
                LEAddDeviceToResolvingList(
                    identity: entry.identity, peerKey: entry.key.littleEndian, localKey: entry.localKey.littleEndian))
        case .setDeviceMode(let identity): submit(LESetPrivacyMode(identity: identity, mode: .device))
        case .remove(let identity): submit(LERemoveDeviceFromResolvingList(identity: identity))
        case .setEnabled(let isOn): submit(LESetAddressResolutionEnable(enable: isOn))
        case nil: break
        }
    }

    mutating func resolvingAnswered(_ status: HCIStatus, at now: MonotonicTime) {
        let before = resolving.resolved
        resolving.answered(status, at: now)
        if resolving.resolved != before { renewWishes() }
    }

    /// A report shows that the controller does not resolve a peer that is in its list.
    mutating func resolvingFailed(_ identity: DeviceAddress) {
        resolving.failed(identity)
        renewWishes()
        wishes.noteNewTarget()
    }

    /// Peers that are wanted are wanted under other addresses, as somebody else resolves them now.
    private mutating func renewWishes() {
        for peer in wishes.peers.filter(bonds.mayBePrivate).sorted(by: { $0.compact < $1.compact }) {
            unwant(peer)
            want(peer)
        }
    }
}
