// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import TestMaterials
import Testing

@testable import Readings

/// One field of a packet is impossible: a flag in an octet of the battery, a broken probe, a damaged octet. The field is left
/// out, and all others count.
struct ImpossibleFieldTests {
    /// A value of a described family, and its form.
    struct Sample: Sendable, CustomTestStringConvertible {
        var definition: SensorDefinition
        var form: SensorForm
        /// Without the form's number.
        var octets: [UInt8]

        var testDescription: String { "\(definition.key): \(octets.hexadecimal)" }
    }

    static let samples: [Sample] = DescribedVector.all.compactMap { vector in
        guard vector.values != nil, let definition = SensorFamilies.described.first(where: { $0.key == vector.family })
        else { return nil }
        if vector.isRecord {
            let octets = [UInt8](hexadecimal: vector.octets) ?? []
            return definition.forms.first { $0.fits(octets) }.map {
                Sample(definition: definition, form: $0, octets: octets)
            }
        }
        for advertisement in vector.advertisements {
            guard case .plain(let packet)? = definition.recognise(advertisement) else { continue }
            guard definition.forms.count > 1 else {
                return Sample(definition: definition, form: definition.forms[0], octets: packet.value)
            }
            let form = definition.forms[Int(packet.value.first ?? 0)]
            return Sample(definition: definition, form: form, octets: Array(packet.value.dropFirst()))
        }
        return nil
    }

    /// Families that nothing but possible values tells from chance: one impossible field refuses the packet.
    static let strict: Set<String> = ["govee", "mi-scale", "victron"]

    @Test(arguments: samples)
    func `an impossible field is left out, and the others stay`(_ sample: Sample) throws {
        let form = sample.form
        guard form.tolerance != 0 else { return #expect(Self.strict.contains(sample.definition.key)) }
        let whole = try form.fields(of: sample.octets).filter(\.isPossible)
        for place in form.fields.indices {
            guard let octets = Self.impossible(place, sample), form.fits(octets) else { continue }
            let affected = Self.affected(by: place, in: form, of: octets.count)
            let others = whole.filter { !affected.contains($0.quantity) }
            let left = (try? form.fields(of: octets).filter(\.isPossible)) ?? []
            #expect(others.allSatisfy { left.contains($0) }, "field \(place) of \(octets.hexadecimal): \(left)")
            #expect(left.count < whole.count || others.count == whole.count, "field \(place) of \(octets.hexadecimal)")
        }
    }

    /// The test above finds something to change in these families.
    @Test func `most families have fields that can be impossible`() {
        let found = Set(
            Self.samples.filter { sample in
                sample.form.tolerance != 0
                    && sample.form.fields.indices.contains { place in
                        Self.impossible(place, sample).map { sample.form.fits($0) } ?? false
                    }
            }.map(\.definition.key))
        let expected: Set<String> = [
            "acconeer", "amphiro", "april-brother", "blusensor", "blustream", "chef-iq", "grundfos", "mikrotik", "moat",
            "mokobeacon", "oral-b", "switchbot", "xoss",
        ]
        #expect(expected.subtracting(found).isEmpty, "\(expected.subtracting(found).sorted())")
        #expect(found.count >= 40, "\(found.sorted())")
    }

    /// The octets with an impossible number in one field; nil for a field without impossible numbers.
    private static func impossible(_ place: Int, _ sample: Sample) -> [UInt8]? {
        let field = sample.form.fields[place]
        guard case .octets(let number) = field.origin, let range = number.range(of: sample.octets.count),
            field.quantity != nil || field.allowed != nil
        else { return nil }
        let mask = number.mask ?? (number.octets == 8 ? .max : UInt64(1) << UInt64(8 * number.octets) - 1)
        let bits = UInt64(number.bits)
        let all = bits == 64 ? UInt64.max : UInt64(1) << bits - 1
        for candidate in [all, all - 1, all >> 1, all >> 1 + 1, 101, 228, 10, 0] as [UInt64] {
            var octets = sample.octets
            var raw: UInt64 = 0
            let places = number.isBigEndian ? Array(range) : range.reversed()
            for place in places { raw = raw << 8 | UInt64(octets[place]) }
            raw = raw & ~mask | (candidate << UInt64(mask.trailingZeroBitCount)) & mask
            for place in places.reversed() {
                octets[place] = UInt8(truncatingIfNeeded: raw)
                raw >>= 8
            }
            switch try? field.read(octets, numbers(before: place, sample.form, octets)) {
            case .impossible?: return octets
            case .known(let found?, _)? where !found.isPossible: return octets
            default: continue
            }
        }
        return nil
    }

    private static func numbers(before place: Int, _ form: SensorForm, _ octets: [UInt8]) -> [Field.Decimal?] {
        form.fields[..<place].reduce(into: []) { numbers, field in
            if case .known(_, let number)? = try? field.read(octets, numbers) {
                numbers.append(number)
            } else {
                numbers.append(nil)
            }
        }
    }

    /// The quantities that change with the octets of a field: those in the same octets, and those computed from it.
    private static func affected(by place: Int, in form: SensorForm, of count: Int) -> Set<Quantity> {
        guard case .octets(let changed) = form.fields[place].origin, let range = changed.range(of: count) else {
            return []
        }
        var places: Set<Int> = [place]
        for (index, field) in form.fields.enumerated() {
            let depends = field.steps.contains { step in
                if case .operation(_, .field(let other)) = step { places.contains(other) } else { false }
            }
            let origin: Bool
            switch field.origin {
            case .octets(let number): origin = number.range(of: count)?.overlaps(range) ?? false
            case .field(let other): origin = places.contains(other)
            case .text, .constant: origin = false
            }
            let isNumbered = field.indexField.map { places.contains($0) } ?? false
            let isConditional = field.conditions.contains { condition in
                if case .number(let number) = condition.subject {
                    number.range(of: count)?.overlaps(range) ?? false
                } else {
                    false
                }
            }
            if depends || origin || isNumbered || isConditional { places.insert(index) }
        }
        return Set(places.compactMap { form.fields[$0].quantity })
    }
}
