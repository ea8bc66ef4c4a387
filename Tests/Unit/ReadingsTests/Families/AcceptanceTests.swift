// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings
import TestMaterials
import Testing

/// How many foreign packets a family decodes. The packets of its vectors keep the parts that a stranger may share by chance (name,
/// services, address, company, length), and all other octets are random.
struct AcceptanceTests {
    /// The maximum of accepted packets in a million random ones. A family that authenticates, or repeats the address, accepts none.
    static let bounds: [String: Double] = [
        // Their company or UUID is their own, and nothing in the packet is a check: flags and ranges are.
        "aranet": 8_000, "bthome": 60_000, "bthome-v1": 3_000, "bluemaestro": 2_000, "eddystone": 20_000,
        "hhccjcy10": 2_000, "mibeacon": 300, "oral-b": 3_600, "sensirion": 500, "switchbot": 45_000,
        // 32 bits of a head and a name; CRC-16; a UUID of 128 bits and a number with an even result.
        "inkbird": 100, "sensorpush": 40_000, "thermopro": 1_000,
        // A head of 16 or 24 bits behind a name or a service.
        "govee": 1_000, "ruuvi": 3_000,
        // A date.
        "mi-scale": 20,
        "atc": 0, "b-parasite": 0, "ibeacon": 0, "mopeka": 100, "qingping": 0, "rapt": 20, "thermobeacon": 0, "tilt": 0,
        "victron": 0,
        // The address.
        "feasycom": 0, "holyiot": 0, "jaalee": 0, "mi-band": 0, "senssun": 0, "tpms": 0, "xiaogui": 0,
        // Heads of two octets; a head and a kind; six ranges.
        "beewi": 20, "inode": 500, "michelin": 150, "radioland": 10,
        // Their names or their companies say it, and the packet has reserved octets or ranges. Two octets of ELA and of Teltonika are a
        // temperature, and nothing besides.
        "polar": 110_000, "hobo": 100, "xoss": 100, "skale": 1_000, "oras": 10, "otodata": 10, "seelevel": 10,
        "kegtron": 20_000,
        "amphiro": 10, "blusensor": 100, "blustream": 1_300, "chef-iq": 100, "grundfos": 100, "hormann": 10,
        "mikrotik": 100, "moat": 100, "nodon": 50, "relsib": 60,
        // Eight zeros; the address.
        "acconeer": 0, "april-brother": 0, "beaconx-pro": 0, "jinou": 0, "laica": 0,
        "amazfit-scale": 100, "ela": 300_000, "eufy": 20, "mocreo": 10, "mokobeacon": 10, "smartdry": 200,
        "teltonika": 150_000,
    ]

    @Test func `every family states its bound`() {
        #expect(Set(Self.bounds.keys) == Set(SensorFamilies.all.map { $0.family }))
    }

    @Test(arguments: SensorFamilies.all.map { $0.family })
    func `random octets of the right length are taken no more often than is stated`(_ name: String) throws {
        let bound = try #require(Self.bounds[name])
        let templates = FamilyVector.all.filter { $0.family == name && $0.fields != nil }
        let count = 20_000 / templates.count + 1
        var (tried, taken) = (0, 0)
        // Fixed octets, so that a bound holds in every run or in none.
        var generator = SeededGenerator(seed: 0x5EED)
        for template in templates {
            let keepsCompany = template.keepsCompany
            for _ in 0..<count {
                var one = template
                let data = template.advertisement.manufacturerData
                if !data.isEmpty {
                    let kept = keepsCompany ? Array(data.prefix(2)) : []
                    one.advertisement.manufacturerData = kept + generator.octets(data.count - kept.count)
                }
                for (uuid, data) in template.advertisement.serviceData {
                    one.advertisement.serviceData[uuid] = generator.octets(data.count)
                }
                tried += 1
                if let found = SensorFamilies.recognise(one.advertisement), found.decoder.family == name,
                    let packet = found.packet.plain, let fields = try? found.decoder.decode(packet.value),
                    !fields.isEmpty
                {
                    taken += 1
                }
            }
        }
        let rate = Double(taken) / Double(tried) * 1_000_000
        #expect(rate <= bound, "\(name): \(rate) of a million")
    }

    /// Unwritten memory. The identifier of an Eddystone may be zeros.
    @Test(arguments: FamilyVector.all.filter { $0.fields != nil && $0.family != "eddystone" })
    func `zeros are no packet`(_ vector: FamilyVector) {
        var blank = vector
        let data = vector.advertisement.manufacturerData
        let kept = vector.keepsCompany ? 2 : 0
        guard data.isEmpty || data.count >= kept + 6,
            vector.advertisement.serviceData.values.allSatisfy({ $0.count >= 6 })
        else { return }
        blank.advertisement.manufacturerData =
            Array(data.prefix(kept)) + [UInt8](repeating: 0, count: max(data.count - kept, 0))
        blank.advertisement.serviceData = vector.advertisement.serviceData.mapValues {
            .init(repeating: 0, count: $0.count)
        }
        blank.advertisement.longServiceData = vector.advertisement.longServiceData.mapValues {
            .init(repeating: 0, count: $0.count)
        }
        let found = SensorFamilies.recognise(blank.advertisement)
        #expect(found?.packet.plain == nil, "\(found?.decoder.family ?? ""): \(found?.packet.plain?.fields ?? [])")
    }
}

extension FamilyVector {
    /// Whether the first two octets are a company's, which a stranger's packet has as well.
    fileprivate var keepsCompany: Bool {
        let data = advertisement.manufacturerData
        guard data.count >= 2, let type = SensorFamilies.all.first(where: { $0.family == family }) else { return false }
        return type.carriers.contains(.manufacturer(UInt16(data[0]) | UInt16(data[1]) << 8))
    }
}

extension SeededGenerator {
    mutating func octets(_ count: Int) -> [UInt8] {
        var octets = [UInt8](repeating: 0, count: max(count, 0))
        for index in octets.indices { octets[index] = UInt8(truncatingIfNeeded: next() >> 24) }
        return octets
    }
}
