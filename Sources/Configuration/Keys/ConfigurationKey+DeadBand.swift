// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector
import Readings

extension ConfigurationKey {
    /// A width, or a table of widths by field.
    static func deadBand(_ name: String, _ path: any Path<DeadBand?>, _ help: String) -> Self {
        Self(name: name, type: "number, or table of field = number", help: help, path: path, fallback: { _ in nil }) {
            (value, root) throws(InvalidValue) in
            if case .table(let entries) = value {
                var widths: [Quantity: Double] = [:]
                for (field, width) in entries.sorted(by: { $0.key < $1.key }) {
                    guard let quantity = Quantity(key: field), Decoders.numbers.contains(quantity) else {
                        throw InvalidValue(DeadBand.complaint(about: field, known: Decoders.numbers), at: field)
                    }
                    widths[quantity] = try self.width(width)
                }
                root[keyPath: path] = .fields(widths)
            } else {
                root[keyPath: path] = .all(try width(value))
            }
        }
    }

    private static func width(_ value: ConfigurationValue) throws(InvalidValue) -> Double {
        let width: Double
        switch value {
        case .integer(let number): width = Double(number)
        case .real(let number): width = number
        default: throw wrong(value, wanted: "a number, or a table like { temperature = 0.2 }")
        }
        guard width.isFinite, width >= 0 else { throw InvalidValue("is \(width); a width is 0 or more") }
        return width
    }
}

extension DeadBand {
    /// At most this many names are listed in a complaint.
    private static let maximumListed = 16

    /// Why `field`, which is not in `known`, is refused; names the nearest known field.
    static func complaint(about field: String, known: Set<Quantity>) -> String {
        let keys = known.map(\.key).sorted()
        let hint =
            (NearestName.of(field, among: keys) ?? FamiliarWords.quantity(for: field, among: keys)).map {
                " – did you mean \(quoted($0))?"
            }
            ?? (keys.isEmpty
                ? " – no decoder knows its values"
                : keys.count > maximumListed
                    ? " – docs/decoders.md lists them all" : " – there are \(keys.joined(separator: ", "))")
        return "names \(quoted(field)), which is no number of a value\(hint)"
    }
}

extension SensorRule {
    /// A field of the dead band that no characteristic of the sensor gives, and the complaint about it.
    var deadBandComplaint: (field: String, text: String)? {
        guard case .fields(let widths) = pacing.deadBand else { return nil }
        let known = numbers
        let unknown = Set(widths.keys).subtracting(known).map(\.key).min()
        return unknown.map { ($0, DeadBand.complaint(about: $0, known: known)) }
    }

    /// The quantities whose numbers the sensor's values may have.
    var numbers: Set<Quantity> {
        guard !namesNothing else { return family.map { Set(Decoders.numbers(of: $0)) } ?? Decoders.numbers }
        let names = (subscribe + read).map { $0.characteristic.description.lowercased() }
        return Set(names.flatMap(Decoders.numbers(of:)))
    }
}
