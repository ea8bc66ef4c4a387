// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings
import Testing

/// The number of families that an advertisement is shown to.
struct FamilyIndexTests {
    /// Twice as many families as there are, each with a company, a UUID, a name or a service of its own.
    private static let others: [SensorFamily] = (0..<(2 * SensorFamilies.all.count)).map { number in
        let code = UInt16(0xA000 + number)
        var form: SensorForm
        switch number % 5 {
        case 0: form = SensorForm(.serviceData(code), length: 1...20, fields: [])
        case 1: form = SensorForm(.manufacturer(code), length: 1...20, fields: [])
        case 2:
            form = SensorForm(.anyManufacturer, length: 2...20, fields: [])
            form.service = BluetoothUUID(code)
        case 3:
            form = SensorForm(.anyManufacturer, length: 2...20, fields: [])
            form.localName = "Another \(number).*"
        default:
            form = SensorForm(.anyManufacturer, length: 2...20, fields: [])
            form.prefix = [.init(mask: 0xFF, value: UInt8(code & 0xFF)), .init(mask: 0xFF, value: 0xA7)]
        }
        form.fields = [FormField(.count, offset: 0, octets: 1)]
        return SensorFamily(SensorDefinition(key: "another-\(number)", name: "Another", forms: [form]))
    }

    private static let advertisements =
        CorpusRow.all.flatMap(\.advertisements) + FamilyVector.all.map(\.advertisement)

    @Test func `an advertisement is shown to as many families when there are three times as many`() {
        let (one, three) = (FamilyIndex(SensorFamilies.all), FamilyIndex(SensorFamilies.all + Self.others))
        var greatest = 0
        for advertisement in Self.advertisements {
            let asked = one.asked(about: advertisement).map(\.family)
            #expect(three.asked(about: advertisement).map(\.family) == asked)
            greatest = max(greatest, asked.count)
        }
        #expect(greatest <= 9, "\(greatest) of \(SensorFamilies.all.count)")
    }

    @Test func `each other family is found at its own place`() throws {
        let index = FamilyIndex(Self.others)
        for number in Self.others.indices {
            let code = UInt16(0xA000 + number)
            let data: [UInt8] = [UInt8(code & 0xFF), UInt8(code >> 8), 7]
            let advertisement =
                switch number % 5 {
                case 0: Advertisement(serviceData: [code: [7]])
                case 1: Advertisement(manufacturerData: data)
                case 2: Advertisement(services: [BluetoothUUID(code)], manufacturerData: [1, 2, 3])
                case 3: Advertisement(name: "Another \(number).1", manufacturerData: [1, 2, 3])
                default: Advertisement(manufacturerData: [data[0], 0xA7, 7])
                }
            let found = index.first(about: advertisement) { $0.recognise(advertisement) == nil ? nil : $0.family }
            #expect(found == "another-\(number)")
        }
    }

    @Test func `a family that takes a packet is among the families that are asked`() {
        let index = FamilyIndex(SensorFamilies.all)
        for advertisement in Self.advertisements {
            let takers = SensorFamilies.all.filter { $0.recognise(advertisement) != nil }.map(\.family)
            #expect(Set(takers).isSubset(of: index.asked(about: advertisement).map(\.family)))
        }
    }
}
