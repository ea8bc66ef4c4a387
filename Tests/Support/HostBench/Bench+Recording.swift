// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost

/// The testers' frames become seeds for the fuzzer, if seeds are wanted.
extension Bench {
    func record(_ peer: RawPeer) {
        peer.onFrame = { [weak self] payload, channel in
            guard let self else { return }
            recorder?.frame(payload, on: channel, moment)
        }
        peer.onFragment = { [weak self] octets, isFirst in self?.recorder?.fragment(octets, isFirst: isFirst) }
    }

    var moment: SeedRecorder.Moment {
        SeedRecorder.Moment(now: now, security: links.last.flatMap { host.security(of: $0) } ?? .none)
    }
}
