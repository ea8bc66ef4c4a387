// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings
import Testing

/// The nearest foreign packets: each differs from a valid packet in the subject of a single check.
struct NearestTests {
    enum Change: Sendable {
        /// Hexadecimal digits.
        case manufacturer(String), service(UInt16, String), value(String)
        case name(String)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var family: String
        /// The nearest vector.
        var vector: String
        var change: Change
        var what: String

        init(_ family: String, _ vector: String, _ change: Change, _ what: String) {
            (self.family, self.vector, self.change, self.what) = (family, vector, change, what)
        }

        var testDescription: String { "\(family), \(vector): \(what)" }
    }

    static let rows: [Row] = [
        Row("atc", "PVVX", .service(0x181A, "b4830238c1a4a9066911b60b58f70d"), "the address of another sensor"),
        Row("bluemaestro", "Tempo Disc THD", .manufacturer("330117640e10000200f201f20083"), "one octet too short"),
        Row("bthome", "object 060000", .value("80060000"), "another version of the format"),
        Row("bthome-v1", "numbered", .service(0x181C, "0100a823025d090303b71802015d"), "a value without octets"),
        Row(
            "govee", "H5055, probe 4 alone", .manufacturer("341255007fff20ffffffffffff20f6ffffffffff0000"),
            "a group of probes that there is not"),
        Row("govee", "H5075", .manufacturer("88ec0086205c6400"), "colder than the sensor can be"),
        Row("govee", "H5075", .name("GVH5"), "a name with fewer digits"),
        Row("govee", "H5075", .name("GVH5a74"), "a name whose digits are none"),
        Row("govee", "H5075", .name("Govee_H6127_x"), "a name of another series"),
        Row("govee", "H5106", .manufacturer("0100010165d13298"), "hotter than the sensor can be"),
        Row("hhccjcy10", "values", .service(0xFD50, "11276e0134a428005b"), "hotter than the sensor can be"),
        Row(
            "ibeacon", "a beacon", .manufacturer("4c000015e2c56db5dffb48d2b060d0f5a71096e000010002c5"),
            "another kind of beacon"),
        Row("mi-scale", "a weight", .service(0x181D, "220000e507040b101301"), "a weight of nothing"),
        Row(
            "mibeacon", "the coldest that there is", .service(0xFE95, "0050aa010104100255f5"), "no object is announced"),
        Row(
            "mibeacon", "the coldest that there is", .service(0xFE95, "4006aa010104100255f5"),
            "a version before the keys"),
        Row(
            "rapt", "version 2", .manufacturer("52410654020001bfc0000092d34483400000100000fff05f00"),
            "another maker's letters"),
        Row(
            "ruuvi", "format E1",
            .manufacturer("9904e1170c5668c79e0065007004bd11ca00c90a0213e0acffffffdecdee01ffffffffffcbb8334c884f01"),
            "another length than the format's"),
        Row("sensorpush", "HTP.xw", .manufacturer("00205586"), "four octets, which another generation has"),
        Row(
            "tilt", "Tilt", .manufacturer("4c000015a495bb20c5b14b44b5121370f02d74de0040041c50"),
            "another kind of beacon"),
        Row(
            "tilt", "Tilt", .manufacturer("4c000215a495bb20c5b14b44b5121370f02d74de0040004050"),
            "a gravity that no liquid has"),
        Row(
            "tilt", "Tilt", .manufacturer("4c000215a495bb65c5b14b44b5121370f02d74de0040041c50"),
            "a color that there is not"),
        Row(
            "victron", "Orion XS", .value("0f89a303008c05f4011e052602800000002020202020202020"),
            "a record of another length"),
        Row(
            "victron", "VE.Bus, charging", .manufacturer("e102100380270ce903dad26f0b8eb39162074d140df410"),
            "fuller than full"),
        Row(
            "victron", "battery monitor", .manufacturer("e102100289a382b040af925d09a4d89aa0128bdef48c6298a9"),
            "a record that is sealed otherwise"),
    ]

    @Test(arguments: rows) func `what is nearly a packet is refused`(_ row: Row) throws {
        let vector = try #require(FamilyVector.all.first { $0.family == row.family && $0.name == row.vector })
        #expect(vector.result() != nil, "the one that is right")
        var near = vector
        switch row.change {
        case .manufacturer(let octets):
            near.advertisement.manufacturerData = try #require([UInt8](hexadecimal: octets))
        case .service(let uuid, let octets):
            let data = try #require([UInt8](hexadecimal: octets))
            near.advertisement.serviceData[uuid] = data
        case .name(let name): near.advertisement.name = name
        case .value(let octets):
            let value = try #require([UInt8](hexadecimal: octets))
            let family = try #require(SensorFamilies.family(row.family))
            #expect(throws: DecodeError.self) { try family.decode(value) }
            return
        }
        #expect(near.result() == nil)
    }

    /// Each octet of each packet in turn, because random octets rarely hit a check.
    @Test(arguments: FamilyVector.all.filter { $0.fields != nil })
    func `a packet of which one octet is another one never traps`(_ vector: FamilyVector) throws {
        let value = try #require(vector.result()).packet.value
        let family = try #require(SensorFamilies.family(vector.family))
        func each(_ octets: [UInt8], _ body: ([UInt8]) -> Void) {
            for index in octets.indices {
                for octet in [0, 0xFF, 0x7F, octets[index] ^ 0x80, octets[index] ^ 0x10, octets[index] &+ 1] as [UInt8]
                {
                    var changed = octets
                    changed[index] = octet
                    body(changed)
                    body(Array(changed.prefix(index + 1)))
                }
            }
        }
        each(value) { _ = try? family.decode($0) }
        var near = vector
        each(vector.advertisement.manufacturerData) {
            near.advertisement.manufacturerData = $0
            _ = near.result()
        }
        for (uuid, data) in vector.advertisement.serviceData {
            near = vector
            each(data) {
                near.advertisement.serviceData[uuid] = $0
                _ = near.result()
            }
        }
    }

    @Test func `data of a company are another's when either octet of its number differs`() {
        let advertisement = Advertisement(manufacturerData: [0x4C, 0x01, 7])
        #expect(advertisement.manufacturerData(of: 0x014C) == [7])
        for other in [0x004C, 0x4C01, 0x014D, 0x0100, 0xFF4C] as [UInt16] {
            #expect(advertisement.manufacturerData(of: other) == nil)
        }
        for short in [[], [0x4C], [0x4C, 0x01]] as [[UInt8]] {
            #expect(
                Advertisement(manufacturerData: short).manufacturerData(of: 0x014C) == (short.count == 2 ? [] : nil))
        }
    }
}
