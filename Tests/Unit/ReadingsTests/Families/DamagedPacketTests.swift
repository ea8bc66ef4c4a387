// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings
import Testing

/// Packets with fewer or more octets than the sensor sent.
struct DamagedPacketTests {
    /// Families whose packets may be shorter than a vector: their layouts end with optional values, or consist of objects.
    /// All other families refuse a packet that is cut at any place.
    static let ofManyLengths: Set<String> = []
    /// Families that ignore octets behind their values. All other families refuse a packet with an octet more.
    static let withAnythingBehind: Set<String> = []

    static let vectors = FamilyVector.all.filter { !($0.fields ?? []).isEmpty }

    /// The packet, with one of its parts changed.
    private static func changed(
        _ vector: FamilyVector, _ change: ([UInt8]) -> [[UInt8]]
    ) -> [(FamilyVector, from: Int, to: Int)] {
        var found: [(FamilyVector, from: Int, to: Int)] = []
        func add(_ data: [UInt8], _ put: (inout FamilyVector, [UInt8]) -> Void) {
            guard !data.isEmpty else { return }
            for octets in change(data) {
                var one = vector
                put(&one, octets)
                found.append((one, data.count, octets.count))
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

    @Test(arguments: vectors)
    func `a packet that is cut short is refused, or says no more than its octets do`(_ vector: FamilyVector) throws {
        let whole = try #require(vector.result()).fields
        for (cut, _, count) in Self.changed(vector, { data in (0..<data.count).map { Array(data.prefix($0)) } }) {
            guard let fields = cut.result()?.fields, !fields.isEmpty else { continue }
            #expect(Self.ofManyLengths.contains(vector.family), "XCUT \(vector.family) \(count) octets: \(fields)")
            #expect(
                fields.allSatisfy { whole.contains($0) }, "YCUT \(vector.family) \(count) octets: \(fields) of \(whole)"
            )
        }
    }

    @Test(arguments: vectors)
    func `a packet with an octet more is refused, or says the same`(_ vector: FamilyVector) throws {
        let whole = try #require(vector.result()).fields
        for (long, _, _) in Self.changed(vector, { data in [0x00, 0x64, 0xFF].map { data + [$0] } }) {
            guard let fields = long.result()?.fields, !fields.isEmpty else { continue }
            #expect(Self.withAnythingBehind.contains(vector.family), "XLONG \(vector.family): \(fields)")
            #expect(whole.allSatisfy { fields.contains($0) }, "YLONG \(vector.family): \(fields) of \(whole)")
        }
    }
}
