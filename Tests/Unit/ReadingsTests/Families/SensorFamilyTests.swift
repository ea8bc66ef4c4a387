// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings
import SensorCipher
import TestMaterials
import Testing

struct SensorFamilyTests {
    @Test("an advertisement becomes its fields", arguments: FamilyVector.all)
    func decodes(_ vector: FamilyVector) {
        let result = vector.result()
        #expect(result?.fields.map(\.stated) == vector.fields?.map(\.stated))
        if vector.fields != nil { #expect(result?.packet.number == vector.number) }
        if let packet = result?.packet { #expect(packet.value.count <= 512) }
    }

    @Test func `each family has vectors that are right and one that is wrong, and gives the quantities that it names`()
    {
        for family in SensorFamilies.all {
            let vectors = FamilyVector.all.filter { $0.family == family.family }
            #expect(vectors.contains { $0.fields == nil }, "\(family.name)")
            let quantities = Set(vectors.flatMap { $0.fields ?? [] }.map(\.quantity))
            #expect(quantities.isSubset(of: family.quantities), "\(family.name)")
            #expect(Set(family.quantities).subtracting(quantities).isEmpty, "\(family.name)")
            #expect(family.family.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "-") })
        }
    }

    @Test func `Ruuvi Air's two packets of a sample are told apart, and SwitchBot numbers what changes`() {
        func packet(_ name: String, _ vectors: [FamilyVector]) -> AdvertisedPacket? {
            vectors.first { $0.name == name }?.result()?.packet
        }
        #expect(packet("format 6", FamilyVector.ruuvi)?.edition == .short)
        #expect(packet("format E1", FamilyVector.ruuvi)?.edition == .long)
        #expect(packet("format C5", FamilyVector.ruuvi)?.edition == .only)
        #expect(packet("Meter", FamilyVector.switchBot)?.numbersChanges == true)
    }

    @Test(arguments: [
        ("govee", "H5121", 60), ("govee", "H5124", 60), ("govee", "H5127", nil), ("govee", "H5123", nil),
        ("mibeacon", "motion", 60), ("mibeacon", "motion, and how bright", nil), ("bthome", "H5121", nil),
    ])
    func `a state whose end a model never tells is an impulse each time`(
        _ family: String, _ vector: String, _ seconds: Int?
    ) throws {
        let family = try #require(SensorFamilies.family(family))
        guard let packet = FamilyVector.all.first(where: { $0.family == family.family && $0.name == vector })?.result()
        else { return #expect(family.impulse(.motion, of: vector) == nil) }
        #expect(family.isImpulse(packet.packet.value, packet.fields) == (seconds != nil))
        let quantity: Quantity = vector == "H5124" ? .vibration : .motion
        #expect(family.impulse(quantity, of: packet.packet.model ?? "") == seconds)
    }

    /// Rows: the flags and the model of a Qingping packet, and whether it is about an event.
    @Test(arguments: [
        ("8804", true), ("c804", true), ("c812", true), ("8812", false), ("0816", false), ("bf03", false),
        ("4816", true),
    ])
    func `a packet of Qingping's contact sensor is an event, and so is each packet that says so`(
        _ head: String, _ isEvent: Bool
    ) throws {
        let vector = FamilyVector(
            "", "qingping", address: 0x582D_3440_3A4D, service: (0xFDCD, head + "4d3a40342d580401010f01ef"),
            [])
        let packet = try #require(vector.result()?.packet)
        #expect(packet.isEvent == isEvent)
    }

    /// Rows: the digits of the number in format 6 and in format 5, and the number.
    @Test(
        arguments: [
            ("06170C5668C79E007000C90501D9FFxx004C884F", "00", 0),
            ("06170C5668C79E007000C90501D9FFxx004C884F", "FE", 254),
            // One octet of ones is a number, and several octets of ones are none.
            ("06170C5668C79E007000C90501D9FFxx004C884F", "FF", 255),
            ("0512FC5394C37C0004FFFC040CAC3642xxCBB8334C884F", "FFFE", 65_534),
            ("0512FC5394C37C0004FFFC040CAC3642xxCBB8334C884F", "00FF", 255),
            ("0512FC5394C37C0004FFFC040CAC3642xxCBB8334C884F", "FFFF", nil),
        ] as [(String, String, UInt32?)])
    func `Ruuvi's number is none where it is all ones in more octets than one`(
        _ form: String, _ digits: String, _ number: UInt32?
    ) throws {
        let octets = form.replacing("xx", with: digits)
        let vector = FamilyVector("", "ruuvi", address: 0xCBB8_334C_884F, manufacturer: "9904" + octets, [])
        let packet = try #require(vector.result()?.packet)
        #expect(packet.number == number.map { PacketNumber($0, bits: digits.utf8.count * 4) })
    }

    @Test("a packet has no two values under one name", arguments: FamilyVector.all.filter { $0.fields != nil })
    func names(_ vector: FamilyVector) throws {
        let keys = try #require(vector.fields).map(\.key)
        #expect(Set(keys).count == keys.count, "\(keys)")
    }

    @Test func `two measurements of one sensor never share a name`() {
        func keys(_ names: [String]) -> [Set<String>] {
            FamilyVector.all.filter { names.contains($0.name) }.map { Set(($0.fields ?? []).map(\.key)) }
        }
        let scale = keys(["S400, encrypted", "S400's last packet"])
        #expect(scale.count == 2 && scale[0].intersection(scale[1]) == ["user_index"])
        let probes = keys(["TP960R", "TP962R's second probe"])
        #expect(probes.count == 2 && probes[0].isDisjoint(with: probes[1]))
        let water = keys(["wet below", "splashed from above"])
        #expect(water.count == 2 && water[0].isDisjoint(with: water[1]))
    }

    @Test func `one impossible field is left out, and the others count`() throws {
        // For each family: a value with a good temperature, and an impossible octet in another field.
        let rows: [(family: String, value: String, key: String)] = [
            ("atc", "0d00e03ee40b2c2e", "battery"), ("atc", "0f2f09ffff3d0b4b7c05", "humidity"),
            ("bthome", "4002ca0901e4", "battery"), ("bthome", "4003ffff02ca09", "humidity"),
            ("bthome", "4002ca0921ff", "motion"), ("bluemaestro", "0de4025 80ad100fc0100", "battery"),
            ("hhccjcy10", "0e006e0134a4a8005b", "battery"), ("mibeacon", "aa0104100295000a1001e4", "battery"),
            ("qingping", "0816a72514342d580104d800ffff020164", "humidity"),
            ("aranet", "00210503010005000143049f018b2735e4023c000000 55", "battery"),
            ("rapt", "505402000 1bfc0000092d34483400000100000fff07f00", "battery"),
            ("inkbird", "03 492407110098 d800 1302 e4 01900400000000", "battery"),
        ]
        for row in rows {
            let value = try #require([UInt8](hexadecimal: row.value.filter { $0 != " " }), "\(row)")
            let family = try #require(SensorFamilies.family(row.family))
            let keys = try? family.decode(value).map(\.key)
            #expect(keys?.contains("temperature") == true && keys?.contains(row.key) == false, "\(row): \(keys ?? [])")
        }
    }

    @Test(arguments: [(TankMedium.propane, Int64(341)), (.water, 711), (.air, 165), (.gasoline, 583), (.diesel, 583)])
    func `the level of a tank depends on what is in it`(_ medium: TankMedium, _ millimetres: Int64) throws {
        let family = try #require(SensorFamilies.family("mopeka"))
        let packet = try #require(FamilyVector.mopeka.first { $0.name == "a level" }?.result()?.packet)
        let filled = family.packet(packet, ofTankWith: medium)
        #expect(filled.fields?.last == .decimal(.liquidLevel, millimetres, places: 3))
        #expect(try family.decode(filled.value).last == filled.fields?.last)
        #expect(throws: DecodeError.self) { try family.decode(packet.value + [9]) }
        // The entry's setting has priority over the model's purpose.
        let above = try #require(FamilyVector.mopeka.first { $0.name == "TD40, from above" }?.result()?.packet)
        #expect(
            try family.decode(family.packet(above, ofTankWith: .propane).value).last?.value
                != .decimal(
                    .init(mantissa: 729, places: 3)))
        // Another family's values do not change.
        let ruuvi = try #require(SensorFamilies.family("ruuvi"))
        #expect(ruuvi.packet(AdvertisedPacket([1, 2]), ofTankWith: medium).value == [1, 2])
    }

    /// The confusion matrix of all families' packets against all decoders is the identity.
    @Test(arguments: FamilyVector.all.filter { $0.fields != nil })
    func `no other family takes a packet for its own`(_ vector: FamilyVector) {
        let takers = SensorFamilies.all.filter { $0.recognise(vector.advertisement) != nil }
        #expect(takers.map { $0.family } == [vector.family])
    }

    @Test("octets of any kind never trap", arguments: SensorFamilies.all.map { $0.family })
    func anything(_ name: String) throws {
        let family = try #require(SensorFamilies.family(name))
        var generator = SystemRandomNumberGenerator()
        for vector in FamilyVector.all where vector.family == name && vector.fields != nil {
            guard let value = vector.result()?.packet.value else { continue }
            for _ in 0..<Repetitions.rounds(2_000) {
                var changed = value
                for _ in 0..<Int.random(in: 1...4, using: &generator) where !changed.isEmpty {
                    let octet = [0, 0xFF, 0x80, 0x7F, UInt8.random(in: 0...255, using: &generator)].randomElement()
                    changed[Int.random(in: 0..<changed.count, using: &generator)] = octet ?? 0
                }
                if Bool.random(using: &generator) {
                    changed.removeLast(Int.random(in: 0...changed.count, using: &generator))
                }
                _ = try? family.decode(changed)
            }
        }
    }
}

extension Field {
    /// The name and the value, whatever the count of decimal places.
    fileprivate var stated: String { key + " " + (value.number.map { "\($0)" } ?? "\(value)") }
}
