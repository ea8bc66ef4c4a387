// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// The cost of the search for an advertisement's family: with the present families, and with three times as many.
enum RecognitionCost {
    /// The least nanoseconds an advertisement of all rounds. Both searches take turns, so that they meet the same load.
    static func measure(_ advertisements: [Advertisement], rounds: Int) -> (one: Double, three: Double) {
        let (one, three) = (FamilyIndex(SensorFamilies.all), FamilyIndex(SensorFamilies.all + others))
        var least = (one: Double.infinity, three: Double.infinity)
        for _ in 0..<rounds {
            least.one = min(least.one, time(one, advertisements))
            least.three = min(least.three, time(three, advertisements))
        }
        return least
    }

    private static func time(_ index: FamilyIndex, _ advertisements: [Advertisement]) -> Double {
        var found = 0
        let time = ContinuousClock().measure {
            for advertisement in advertisements {
                if index.first(about: advertisement, { $0.recognise(advertisement) }) != nil { found += 1 }
            }
        }
        precondition(found > 0 && found <= advertisements.count)
        let parts = time.components
        return (Double(parts.seconds) * 1e9 + Double(parts.attoseconds) / 1e9) / Double(advertisements.count)
    }

    /// Twice as many as the present families; each sends in its own way.
    private static var others: [SensorFamily] {
        (0..<(2 * SensorFamilies.all.count)).map { number in
            let code = UInt16(0xA000 + number)
            var form: SensorForm
            switch number % 4 {
            case 0: form = SensorForm(.serviceData(code), length: 1...20, fields: [])
            case 1: form = SensorForm(.manufacturer(code), length: 1...20, fields: [])
            case 2:
                form = SensorForm(.anyManufacturer, length: 2...20, fields: [])
                form.service = BluetoothUUID(code)
            default:
                form = SensorForm(.anyManufacturer, length: 2...20, fields: [])
                form.localName = "Another \(number).*"
            }
            form.fields = [FormField(.count, offset: 0, octets: 1)]
            return SensorFamily(SensorDefinition(key: "another-\(number)", name: "Another", forms: [form]))
        }
    }
}
