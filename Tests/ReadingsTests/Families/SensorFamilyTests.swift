// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings
import SensorCipher
import Testing

struct SensorFamilyTests {
    @Test("an advertisement becomes its fields", arguments: FamilyVector.all)
    func decodes(_ vector: FamilyVector) {
        let result = vector.result()
        #expect(result?.fields == vector.fields)
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

    @Test(arguments: [(TankMedium.propane, Int64(341)), (.water, 711), (.air, 165)])
    func `the level of a tank depends on what is in it`(_ medium: TankMedium, _ millimetres: Int64) throws {
        let family = try #require(SensorFamilies.family("mopeka"))
        let packet = try #require(FamilyVector.mopeka.first { $0.name == "a level" }?.result()?.packet)
        let value = family.value(packet.value, ofTankWith: medium)
        #expect(try family.decode(value).last == .decimal(.liquidLevel, millimetres, places: 3))
        #expect(throws: DecodeError.self) { try family.decode(packet.value + [9]) }
        // Of no other family, the value changes.
        let ruuvi = try #require(SensorFamilies.family("ruuvi"))
        #expect(ruuvi.value([1, 2], ofTankWith: medium) == [1, 2])
    }

    /// The confusion matrix of all families' packets against all decoders is the identity.
    @Test(arguments: FamilyVector.all.filter { $0.fields != nil })
    func `no other family takes a packet for its own`(_ vector: FamilyVector) {
        let takers = SensorFamilies.all.filter { $0.recognise(vector.advertisement) != nil }
        #expect(takers.map { $0.family } == [vector.family])
    }

    @Test(arguments: FamilyVector.all.filter { $0.fields != nil })
    func `a packet that is cut short is refused, and never traps`(_ vector: FamilyVector) {
        var shorter = vector
        while shorter.advertisement.manufacturerData.count > 2 {
            shorter.advertisement.manufacturerData.removeLast()
            _ = shorter.result()
        }
        for (uuid, data) in vector.advertisement.serviceData {
            for count in 0..<data.count {
                shorter.advertisement.serviceData[uuid] = Array(data.prefix(count))
                _ = shorter.result()
            }
        }
    }

    @Test("octets of any kind never trap", arguments: SensorFamilies.all.map { $0.family })
    func anything(_ name: String) throws {
        let family = try #require(SensorFamilies.family(name))
        var generator = SystemRandomNumberGenerator()
        for vector in FamilyVector.all where vector.family == name && vector.fields != nil {
            guard let value = vector.result()?.packet.value else { continue }
            for _ in 0..<2_000 {
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
