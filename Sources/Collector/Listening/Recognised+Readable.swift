// SPDX-License-Identifier: Apache-2.0

import Readings
import SensorCipher

extension SensorFamilies.Recognised {
    /// What can be read without a key of the sensor's: a plain packet, or one whose key is in it.
    package var readable: AdvertisedPacket? {
        switch packet {
        case .plain(let plain): plain
        case .sealed(let sealed):
            decoder.needs.key == .none
                ? PacketCipher.open(sealed, key: []).flatMap { decoder.unsealed(sealed, plaintext: $0) } : nil
        }
    }
}
