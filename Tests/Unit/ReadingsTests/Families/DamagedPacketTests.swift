// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings
import Testing

/// Packets with fewer or more octets than the sensor sent.
struct DamagedPacketTests {
    /// Families whose packets may be shorter than a vector: their layouts end with optional octets, consist of objects, or have
    /// values in several parts of an advertisement. All other families refuse a packet that is cut at any place.
    static let ofManyLengths: Set<String> = [
        "b-parasite", "bluemaestro", "bthome", "bthome-v1", "eddystone", "ela", "govee", "grundfos", "ibeacon",
        "inkbird",
        "mi-band", "mibeacon", "oral-b", "otodata", "qingping", "ruuvi", "sensirion", "switchbot", "teltonika",
        "thermobeacon", "thermopro",
    ]
    /// Families that ignore octets behind their values. All other families refuse a packet with an octet more.
    static let withAnythingBehind: Set<String> = [
        "bluemaestro", "bthome", "eddystone", "ela", "ibeacon", "inkbird", "mi-band", "mibeacon", "oral-b", "otodata",
        "ruuvi", "sensirion", "switchbot", "teltonika", "thermobeacon", "thermopro", "tilt", "victron",
    ]

    static let vectors = FamilyVector.all.filter { !($0.fields ?? []).isEmpty }

    /// The packet, with one of its parts changed.
    private static func changed(_ vector: FamilyVector, _ change: ([UInt8]) -> [[UInt8]]) -> [FamilyVector] {
        var found: [FamilyVector] = []
        func add(_ data: [UInt8], _ put: (inout FamilyVector, [UInt8]) -> Void) {
            guard !data.isEmpty else { return }
            for octets in change(data) {
                var one = vector
                put(&one, octets)
                found.append(one)
            }
        }
        add(vector.advertisement.manufacturerData) { $0.advertisement.manufacturerData = $1 }
        for (uuid, data) in vector.advertisement.serviceData {
            add(data) { $0.advertisement.serviceData[uuid] = $1 }
        }
        for (uuid, data) in vector.advertisement.longServiceData {
            add(data) { $0.advertisement.longServiceData[uuid] = $1 }
        }
        return found
    }

    private static func cut(_ vector: FamilyVector) -> [FamilyVector] {
        changed(vector) { data in (0..<data.count).map { Array(data.prefix($0)) } }
    }

    private static func longer(_ vector: FamilyVector) -> [FamilyVector] {
        changed(vector) { data in [0x00, 0x64, 0xFF].map { data + [$0] } }
    }

    /// Whether a value of the damaged packet is one of the whole packet. The last of several objects may be the only one, and
    /// a text may be cut.
    private static func isSame(_ field: Field, _ other: Field) -> Bool {
        guard field.quantity == other.quantity, field.index == other.index || field.index == 0 || other.index == 0
        else {
            return false
        }
        if case .string(let text) = field.value, case .string(let whole) = other.value {
            return whole.hasPrefix(text) || text.hasPrefix(whole)
        }
        return field.value.number == other.value.number
    }

    /// A SwitchBot has a second set of values, in the service data of older firmware, and an older Curtain has another
    /// battery: a shorter packet tells of these. A ThermoPro probe with two places sends the beginning of the packet of one with
    /// four, in other units.
    private static let ofOneLength = vectors.filter {
        $0.family != "switchbot" && ($0.family != "thermopro" || $0.advertisement.manufacturerData.count != 23)
    }

    @Test(arguments: ofOneLength)
    func `a packet that is cut short is refused, or says no more than its octets do`(_ vector: FamilyVector) throws {
        let whole = try #require(vector.result()).fields
        for cut in Self.cut(vector) {
            for field in cut.result()?.fields ?? [] {
                #expect(whole.contains { Self.isSame(field, $0) }, "\(field) of \(cut.advertisement)")
            }
        }
    }

    @Test(arguments: vectors)
    func `a packet with an octet more is refused, or says the same`(_ vector: FamilyVector) throws {
        let whole = try #require(vector.result()).fields
        for long in Self.longer(vector) {
            for field in long.result()?.fields ?? [] {
                // The octet may be a value of its own.
                guard whole.contains(where: { $0.key == field.key }) else { continue }
                #expect(whole.contains { Self.isSame(field, $0) }, "\(field) of \(long.advertisement)")
            }
        }
    }

    @Test func `families refuse packets of another length, except those that are listed`() {
        func families(_ change: (FamilyVector) -> [FamilyVector]) -> Set<String> {
            Set(Self.vectors.filter { change($0).contains { !($0.result()?.fields ?? []).isEmpty } }.map(\.family))
        }
        #expect(families(Self.cut) == Self.ofManyLengths)
        #expect(families(Self.longer) == Self.withAnythingBehind)
    }
}
