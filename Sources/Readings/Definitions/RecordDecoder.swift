// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A family whose packets Swift finds. A file of `Sources/Readings/Sensors` describes the family's records.
///
/// Swift makes a record of an advertisement. The record is the packet's value in most families. The file has the family's
/// name, its forms with `record = true`, and vectors of records.
protocol RecordDecoder: AdvertisementDecoder {
    static var records: RecordTable { get }
}

extension RecordDecoder {
    static var family: String { records.definition.key }
    static var name: String { records.definition.name }
    static var quantities: [Quantity] { records.definition.quantities }
    static var needs: FamilyNeeds { records.needs() }

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] { try records.fields(of: value) }
}

/// The forms of a family's records. The first octet of a record finds its forms, however many there are.
struct RecordTable: Sendable {
    let definition: SensorDefinition
    private let forms: [[SensorForm]]

    init(_ definition: SensorDefinition) {
        self.definition = definition
        forms = (UInt8.min ... .max).map { octet in definition.forms.filter { $0.canBegin(with: octet) } }
    }

    /// The parameters are needs beyond the file.
    func needs(key: FamilyNeeds.Key = .none, needsActiveScan: Bool = false) -> FamilyNeeds {
        FamilyNeeds(
            key: key, needsActiveScan: needsActiveScan, products: definition.products, hint: definition.hint)
    }

    /// The first fitting form; nil if the record is not of the family's kind.
    func form(of record: [UInt8]) -> SensorForm? {
        record.first.flatMap { octet in forms[Int(octet)].first { $0.fits(record) } }
    }

    /// Whether a record may begin with this octet, and have `count` octets.
    func hasForm(beginning octet: UInt8, count: Int? = nil) -> Bool {
        forms[Int(octet)].contains { form in count.map { form.length.contains($0) } ?? true }
    }

    func model(of record: [UInt8]) -> String? { form(of: record)?.model(of: record) }

    func fields(of record: [UInt8]) throws(DecodeError) -> [Field] {
        guard let form = form(of: record) else { throw .invalid(field: "length or prefix") }
        return try form.fields(of: record)
    }
}

extension SensorForm {
    /// False if the first octet alone excludes the form.
    fileprivate func canBegin(with octet: UInt8) -> Bool {
        guard prefix.first.map({ octet & $0.mask == $0.value }) ?? true else { return false }
        return conditions.allSatisfy { condition in
            guard case .number(let number) = condition.subject, number.offset == 0 else { return true }
            if number.octets == 1 { return condition.holds(in: [octet]) }
            guard number == OctetNumber(offset: 0, octets: number.octets), !condition.isNegated,
                !condition.values.isEmpty
            else { return true }
            return condition.values.contains { UInt8(truncatingIfNeeded: $0) == octet }
        }
    }
}
