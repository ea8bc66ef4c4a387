// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import SMP

/// The controller's resolving list. The host need not listen for peers that the controller resolves.
extension HostMachine {
    /// Takes over changes of the bonds and of our own privacy.
    ///
    /// The host makes our private addresses for advertising, so that all advertisers share an address. If we scan and
    /// initiate with private addresses, the controller has our key as well. A bonded peer directs its advertisements to
    /// a private address made for us, and only a controller that resolves this address hears them.
    mutating func wantResolving() {
        let localKey = addresses.privacy.scope == .everything ? addresses.privacy.distributedKey ?? .zero : .zero
        guard resolving.revision != bonds.keyRevision || resolving.localKey != localKey else { return }
        let before = resolving.resolved
        resolving.want(bonds.resolvable, localKey: localKey, revision: bonds.keyRevision)
        if resolving.resolved != before { renewWishes() }
    }

    /// Changes the list by one step if a change is due. Only while the controller neither advertises, scans nor
    /// initiates.
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

    /// A report shows a peer of the list that the controller does not resolve.
    mutating func resolvingFailed(_ identity: DeviceAddress) {
        resolving.failed(identity)
        renewWishes()
        wishes.recordNewTarget()
    }

    /// Renews the wishes for peers under their present addresses, after a change between host and controller as the
    /// resolver.
    private mutating func renewWishes() {
        for peer in wishes.peers.filter(bonds.mayBePrivate).sorted(by: { $0.compact < $1.compact }) {
            unwant(peer)
            want(peer)
        }
    }
}
