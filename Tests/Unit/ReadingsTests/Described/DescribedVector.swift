// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SensorCipher
import Testing

@testable import Readings

/// A packet of a sensor in a file of Sources/Readings/Sensors, and the file's values for the packet.
struct DescribedVector: Sendable, CustomTestStringConvertible {
    var family: String
    var address: UInt64
    /// AD structures, a record (the value that the family's Swift makes of an advertisement), or the value of a
    /// characteristic.
    var octets: String
    var isRecord: Bool
    /// Nil where the family must not take the packet.
    var values: [String: Double]?
    var texts: [String: String]
    /// 32 hexadecimal digits, for an encrypted packet.
    var key: String?
    var tolerance: Double

    var testDescription: String { "\(family): \(octets)" }

    init(
        _ family: String, _ address: UInt64, _ octets: String, _ values: [String: Double]?,
        texts: [String: String] = [:], key: String? = nil, isRecord: Bool = false, tolerance: Double
    ) {
        (self.key, self.isRecord) = (key, isRecord)
        (self.family, self.address, self.octets, self.values) = (family, address, octets, values)
        (self.texts, self.tolerance) = (texts, tolerance)
    }

    var advertisements: [Advertisement] {
        Advertisement.all(in: ([UInt8](hexadecimal: octets) ?? [])[...], address: address)
    }

    /// The fields of the packet, of the record, or of the value.
    var fields: [Field]? {
        guard isRecord else { return result()?.fields }
        let definition = (SensorFamilies.described + Decoders.described).first { $0.key == family }
        return try? definition?.decode([UInt8](hexadecimal: octets) ?? [])
    }

    /// The advertisement as the family takes it, and its fields.
    func result() -> (advertisement: Advertisement, fields: [Field], number: PacketNumber?)? {
        for advertisement in advertisements {
            guard let found = SensorFamilies.recognise(advertisement) else { continue }
            guard found.decoder.family == family, let packet = packet(found) else { return nil }
            return (try? found.decoder.decode(packet.value)).map { (advertisement, $0, packet.number) }
        }
        return nil
    }

    private func packet(_ found: SensorFamilies.Recognised) -> AdvertisedPacket? {
        guard case .sealed(let sealed) = found.packet else { return found.packet.plain }
        return key.flatMap { [UInt8](hexadecimal: $0) }.flatMap { PacketCipher.open(sealed, key: $0) }
            .flatMap { found.opened($0)?.packet }
    }

    /// For the tests of all families.
    static let familyVectors: [FamilyVector] = all.enumerated().compactMap { index, row in
        // The families of records have vectors of whole advertisements besides.
        guard !row.isRecord else { return nil }
        let found = row.result()
        guard let advertisement = found?.advertisement ?? row.advertisements.first else { return nil }
        var vector = FamilyVector("vector \(index)", row.family, row.values == nil ? nil : found?.fields ?? [])
        (vector.advertisement, vector.number, vector.key) = (advertisement, found?.number, row.key)
        return vector
    }
}

@Suite("Sensors in description files")
struct DescribedTests {
    @Test(arguments: DescribedVector.all)
    func `a packet says what its file says`(_ vector: DescribedVector) {
        let fields = vector.fields
        guard let values = vector.values else { return #expect(fields == nil) }
        let given = Dictionary((fields ?? []).map { ($0.key, $0.value.number ?? .nan) }) { first, _ in first }
        #expect(Set(given.keys) == Set(values.keys).union(vector.texts.keys))
        for (key, text) in vector.texts {
            #expect(fields?.contains { $0.key == key && $0.value == .string(text) } == true, "\(key)")
        }
        for (key, value) in values { #expect(abs((given[key] ?? .nan) - value) <= vector.tolerance, "\(key)") }
    }

    @Test func `a state whose end the sensor never tells is over after its time`() throws {
        let family = try #require(SensorFamilies.family("holyiot"))
        let octets = try #require([UInt8](hexadecimal: "4164c6b545f6f18e0606040100"))
        let advertisement = Advertisement(address: 0xC6B5_45F6_F18E, serviceData: [0x5242: octets])
        let packet = try #require(family.recognise(advertisement)?.plain)
        #expect(family.impulse(.vibration, of: try #require(packet.model)) == 60)
        #expect(family.isImpulse(packet.value, try family.decode(packet.value)))
    }
}
