// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import FuzzSeeds
import Gateway
import Readings

/// Values of sensors: a decoder returns a finite number or nothing, and the same result each time.
struct DecoderTarget: FuzzTarget {
    static let name = "decoders"

    static var seeds: [[UInt8]] {
        let values: [(String, [UInt8])] = [
            ("2a19", [100]), ("2a37", [0x16, 72, 0x10, 0, 0, 4, 0x20, 3]), ("2a37", [0x0F, 72, 1, 9, 0]),
            ("2a37", [0xFF, 1]), ("2a6f", [0x10, 0x27]), ("2a6f", [0xFF, 0xFF]), ("2a6d", [0x10, 0x27, 0x0F, 0]),
            ("2a6e", [0x34, 0xF2]), ("2a6e", [0, 0x80]), ("2a1c", [0x06, 0x6C, 1, 0, 0xFF, 0xE8, 7, 1, 2, 3, 4, 5, 2]),
            ("2a1c", [0x01, 0xF2, 3, 0, 0xFF]), ("2a1c", [0, 0xFE, 0xFF, 0x7F, 0]), ("2a1c", [0, 1, 0, 0x80, 3]),
            ("2a00", [1, 2, 3]),
        ]
        return values.compactMap { name, value in
            FuzzFormats.characteristics.firstIndex(of: name).map { [UInt8(truncatingIfNeeded: $0)] + value }
        }
    }

    mutating func run(_ octets: [UInt8]) {
        guard let choice = octets.first else { return }
        let characteristic = FuzzFormats.characteristics[Int(choice) % FuzzFormats.characteristics.count]
        let value = Array(octets.dropFirst())
        let fields = Decoders.decode(characteristic: characteristic, value: value)
        let again = Decoders.decode(characteristic: characteristic, value: value)
        promise(fields == again, "\(value) is \(String(describing: fields)), then \(String(describing: again))")
        promise(characteristic != "2a00" || fields == nil, "a name is decoded")
        for field in fields ?? [] { check(field.value, octets: value.count) }
        let quantities = (fields ?? []).map(\.quantity)
        promise(Set(quantities).count == quantities.count, "a quantity comes twice: \(quantities)")
    }

    private func check(_ value: Field.Value, octets: Int) {
        switch value {
        // JSON's readers hold such integers exactly. Hours of 24 bits, in seconds, need 36 bits.
        case .int(let number): promise(number.magnitude <= 1 << 53, "\(number) is too large")
        case .decimal(let decimal):
            promise((0...18).contains(decimal.places), "\(decimal.places) places")
            promise(decimal.mantissa.magnitude < 1 << 56, "\(decimal.mantissa) is too large")
        case .string(let text): promise(text.utf8.count <= 512, "a text of \(text.utf8.count) octets")
        case .array(let values):
            promise(values.count <= octets, "\(values.count) values of \(octets) octets")
            for value in values { check(value, octets: octets) }
        }
    }
}
