// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Synchronization

/// The decoders of the user's files. They go before built-in decoders.
package struct UserDecoders: Sendable {
    package let all: [SensorDefinition]
    /// The folder of the files; nil for decoders that a program brings.
    package let folder: String?
    let byCharacteristic: [String: SensorDefinition]
    let byFamily: [String: SensorFamily]
    let index: FamilyIndex

    package init(_ decoders: [SensorDefinition] = [], folder: String? = nil) {
        self.all = decoders
        self.folder = folder
        var (characteristics, families): ([String: SensorDefinition], [String: SensorFamily]) = ([:], [:])
        var all: [SensorFamily] = []
        for decoder in decoders {
            guard decoder.characteristic == nil else {
                characteristics[decoder.key] = decoder
                continue
            }
            let family = SensorFamily(decoder)
            families[decoder.key] = family
            all.append(family)
        }
        (byCharacteristic, byFamily, index) = (characteristics, families, FamilyIndex(all))
    }

    private static let installed = Mutex(UserDecoders())

    /// The decoders of this process.
    package static var current: UserDecoders { installed.withLock { $0 } }

    /// To be called after the configuration was read. Earlier results of look-ups stay valid.
    package static func install(_ decoders: UserDecoders) { installed.withLock { $0 = decoders } }
}
