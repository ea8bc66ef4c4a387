// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import Logging
import SMP

/// The lines of the log about links. Each line has the number of its link. The layers above log the same number, which
/// joins their lines. The number of links bounds the state.
struct LinkLog {
    private var peers: [LinkID: DeviceAddress] = [:]
    private let logger: Logger

    init(_ logger: Logger) { self.logger = logger }

    mutating func up(_ link: LinkID, _ peer: DeviceAddress) {
        peers[link] = peer
        logger.debug("link up", metadata: ["link": "\(link.rawValue)", "peer": "\(peer)"])
    }

    mutating func learned(_ identity: DeviceAddress, behind former: DeviceAddress) {
        for (link, peer) in peers where peer == former { peers[link] = identity }
        logger.debug("identity learned", metadata: ["peer": "\(identity)", "peer.former": "\(former)"])
    }

    mutating func down(_ link: LinkID, _ status: HCIStatus) {
        let reason = LinkEndReason(rawValue: status.rawValue)
        var metadata: Logger.Metadata = [
            "link": "\(link.rawValue)", "reason": "\(reason)", "ended.by": "\(reason.party.rawValue)",
        ]
        if let peer = peers.removeValue(forKey: link) { metadata["peer"] = "\(peer)" }
        logger.info("link down", metadata: metadata)
    }

    /// A peer wanted to pair, and may not.
    func refused(_ refusal: PairingRefusal, on link: LinkID, _ peer: DeviceAddress) {
        logger.info(
            "a device may not pair",
            metadata: [
                "link": "\(link.rawValue)", "peer": "\(peer)", "cause": "\(refusal.text)", "do": "\(refusal.remedy)",
            ])
    }

    func failed(_ failure: PairingFailure, on link: LinkID, _ peer: DeviceAddress) {
        var metadata: Logger.Metadata = ["link": "\(link.rawValue)", "peer": "\(peer)", "cause": "\(failure)"]
        if failure == .refusedByPeer(.pairingNotSupported) { metadata["do"] = "put the device into its pairing mode" }
        logger.info("pairing failed", metadata: metadata)
    }
}
