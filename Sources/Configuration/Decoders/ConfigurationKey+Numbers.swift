// SPDX-License-Identifier: Apache-2.0

import Foundation
import Readings

/// Kinds of keys that only decoder files have.
extension ConfigurationKey {
    /// A number of octets, or the least and the most.
    static func octetCount(_ name: String, _ path: any Path<ClosedRange<Int>?>, _ help: String) -> Self {
        Self(name: name, type: "integer, or list of two", help: help, path: path, fallback: { _ in nil }) {
            (value, root) throws(InvalidValue) in
            let wanted = "wanted is an integer from 1 to \(SensorDefinition.maximumLength), or the least and the most"
            switch value {
            case .integer(let count) where (1...SensorDefinition.maximumLength).contains(count):
                root[keyPath: path] = count...count
            case .integer(let count): throw InvalidValue("is \(count); \(wanted)")
            case .list(let list):
                guard list.count == 2, case .integer(let least) = list[0], case .integer(let most) = list[1],
                    least >= 1, least <= most, most <= SensorDefinition.maximumLength
                else { throw InvalidValue("is no range; \(wanted)") }
                root[keyPath: path] = least...most
            default: throw InvalidValue("is \(value.kind); \(wanted)")
            }
        }
    }

    /// Any value that `parse` can read.
    static func value<Value: Equatable & Sendable>(
        _ name: String, _ path: any Path<Value?>, as type: String,
        parse: @escaping @Sendable (ConfigurationValue) throws(InvalidValue) -> Value, _ help: String
    ) -> Self {
        Self(name: name, type: type, help: help, path: path, fallback: { _ in nil }) {
            (value, root) throws(InvalidValue) in
            root[keyPath: path] = try parse(value)
        }
    }

    static func mask(_ name: String, _ path: any Path<UInt64?>, _ help: String) -> Self {
        Self(name: name, type: "integer", help: help, path: path, fallback: { _ in nil }) {
            (value, root) throws(InvalidValue) in
            root[keyPath: path] = UInt64(bitPattern: Int64(try wholeNumber(value)))
        }
    }

    static func wholeNumber(_ name: String, _ path: any Path<Int64?>, _ help: String) -> Self {
        Self(name: name, type: "integer", help: help, path: path, fallback: { _ in nil }) {
            (value, root) throws(InvalidValue) in
            root[keyPath: path] = Int64(try wholeNumber(value))
        }
    }

    static func integers(_ name: String, _ path: any Path<[Int64]>, _ help: String) -> Self {
        Self(name: name, type: "list of integers", help: help, path: path, fallback: { _ in nil }) {
            (value, root) throws(InvalidValue) in
            guard case .list(let list) = value else { throw wrong(value, wanted: "a list of integers") }
            guard list.count <= 64 else { throw InvalidValue("has more than 64 entries") }
            var numbers: [Int64] = []
            for entry in list { numbers.append(Int64(try wholeNumber(entry))) }
            root[keyPath: path] = numbers
        }
    }

    /// The exact decimal number of the text: 0.1 is a tenth.
    static func decimal(_ name: String, _ path: any Path<Field.Decimal>, _ help: String) -> Self {
        Self(name: name, type: "number", help: help, path: path, fallback: { _ in nil }) {
            (value, root) throws(InvalidValue) in
            switch value {
            case .integer(let number) where number.magnitude <= 1_000_000_000_000:
                root[keyPath: path] = Field.Decimal(mantissa: Int64(number), places: 0)
            case .real(let number):
                guard let decimal = Field.Decimal(exactly: number) else {
                    throw InvalidValue("is \(number); wanted is a number with up to 12 places, below a billion")
                }
                root[keyPath: path] = decimal
            case .integer: throw InvalidValue("is too large")
            default: throw wrong(value, wanted: "a number")
            }
        }
    }

    private static func wholeNumber(_ value: ConfigurationValue) throws(InvalidValue) -> Int {
        guard case .integer(let number) = value else { throw wrong(value, wanted: "an integer") }
        return number
    }
}

extension Field.Decimal {
    /// The decimal number equal to a binary number; nil if this needs more than 12 places.
    init?(exactly number: Double) {
        guard number.isFinite, abs(number) < 1e9 else { return nil }
        var scale = 1.0
        for places in 0...12 {
            let mantissa = (number * scale).rounded()
            if abs(mantissa) < 1e15, mantissa / scale == number {
                self.init(mantissa: Int64(mantissa), places: places)
                return
            }
            scale *= 10
        }
        return nil
    }
}
