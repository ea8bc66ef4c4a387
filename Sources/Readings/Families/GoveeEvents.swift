// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Govee's event sensors. Their packets are encrypted with a key inside the packet, and protected by a checksum.
enum GoveeEvents {
    static let company: UInt16 = 0xEF88

    private enum Model: UInt8 {
        case h5123 = 2
        case h5121 = 3
        case h5122 = 8
        case h5124 = 9
        case h5125 = 10
        case h5126 = 11
        case h5130 = 13

        var buttons: UInt8 {
            switch self {
            case .h5122: 1
            case .h5125: 6
            case .h5126: 2
            default: 0
            }
        }
    }

    /// Two octets, the time, a block, and its checksum. The cipher takes all data with the last octet first.
    static func sealed(_ advertisement: Advertisement) -> SealedPacket? {
        guard let data = advertisement.manufacturerData(of: company).map(Array.init), data.count == 24 else {
            return nil
        }
        let (time, block) = (Array(data[2..<6]), Array(data[6..<22]))
        guard checksum(block) == UInt16(data[22]) << 8 | UInt16(data[23]) else { return nil }
        let key = [UInt8](repeating: 0, count: 12) + time.reversed()
        return SealedPacket(.ecb(key: key), ciphertext: block.reversed(), header: time)
    }

    /// The model as on the sensor's label.
    static func model(of value: ArraySlice<UInt8>) -> String? {
        value.dropFirst(4 + 2).first.flatMap(Model.init).map { "\($0)".uppercased() }
    }

    /// The time, and the decrypted block.
    static func decode(_ value: ArraySlice<UInt8>) throws(DecodeError) -> [Field] {
        let block = Array(value.dropFirst(4))
        guard block.count == 16 else { throw .invalid(field: "length") }
        guard let model = Model(rawValue: block[2]) else { throw .invalid(field: "model") }
        let state = block[5]
        let battery = Field.int(.battery, Int64(block[4]))
        switch model {
        case .h5123:
            guard state == 1 || state == 2 else { throw .invalid(field: "state") }
            return [.binary(.window, state == 2), battery]
        // These models report only the beginning.
        case .h5121: return (state == 1 ? [.binary(.motion, true)] : []) + [battery]
        case .h5124: return (state == 1 ? [.binary(.vibration, true)] : []) + [battery]
        case .h5130:
            // The state lasts while the sensor is pressed. The model also has a button.
            let pressed = state & 0x10 != 0 ? [Field(.button, .string("press"), index: 1)] : []
            return pressed + (state == 0x10 ? [] : [.binary(.occupancy, state & 0x01 != 0)]) + [battery]
        case .h5122, .h5125, .h5126:
            guard state < model.buttons else { throw .invalid(field: "button") }
            return [Field(.button, .string("press"), index: state + 1), battery]
        }
    }

    /// CRC-16, polynomial 0x1021, from 0x1D0F on.
    private static func checksum(_ octets: [UInt8]) -> UInt16 {
        octets.reduce(0x1D0F) { sum, octet in
            (0..<8).reduce(sum ^ UInt16(octet) << 8) { sum, _ in sum & 0x8000 == 0 ? sum << 1 : sum << 1 ^ 0x1021 }
        }
    }
}
