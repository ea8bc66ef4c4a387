// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector
import Readings

extension ConfigurationKey {
    private static var form: String { "{ temperature = -0.5 }" }

    /// A table of offsets by quantity.
    static func offsets(_ name: String, _ path: any Path<[Quantity: Field.Decimal]>, _ help: String) -> Self {
        Self(name: name, type: "table of quantity = number", help: help, path: path, fallback: { _ in nil }) {
            (value, root) throws(InvalidValue) in
            guard case .table(let entries) = value else { throw wrong(value, wanted: "a table like \(form)") }
            var offsets: [Quantity: Field.Decimal] = [:]
            for (field, number) in entries.sorted(by: { $0.key < $1.key }) {
                guard let quantity = Quantity(key: field), Decoders.numbers.contains(quantity) else {
                    throw InvalidValue(DeadBand.complaint(about: field, known: Decoders.numbers), at: field)
                }
                guard quantity.details.kind == .measurement else {
                    throw InvalidValue("names \(quoted(field)), which is not measured: it has no offset", at: field)
                }
                offsets[quantity] = try offset(number)
            }
            root[keyPath: path] = offsets
        }
    }

    /// With four decimal places.
    private static func offset(_ value: ConfigurationValue) throws(InvalidValue) -> Field.Decimal {
        let number: Double
        switch value {
        case .integer(let whole): number = Double(whole)
        case .real(let real): number = real
        default: throw wrong(value, wanted: "a number, in a table like \(form)")
        }
        guard number.isFinite, abs(number) <= 1_000_000 else {
            throw InvalidValue("is \(number); an offset is from -1000000 to 1000000")
        }
        return Field.Decimal(mantissa: Int64((number * 10_000).rounded()), places: 4)
    }
}
