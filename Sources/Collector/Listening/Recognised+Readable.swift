// SPDX-License-Identifier: Apache-2.0

import Readings
import SensorCipher

extension SensorFamilies.Recognised {
    /// The packet, if it is readable without a sensor's key: a plain packet, or a packet that contains its key.
    package var readable: AdvertisedPacket? {
        switch packet {
        case .plain(let plain): plain
        case .sealed(let sealed):
            decoder.needs.key == .none
                ? PacketCipher.open(sealed, key: []).flatMap { decoder.unsealed(sealed, plaintext: $0) } : nil
        }
    }
}
