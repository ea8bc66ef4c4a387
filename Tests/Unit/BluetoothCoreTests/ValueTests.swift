// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Testing

struct ValueTests {
    @Test(arguments: [
        ("180D", "180D"), ("0x2a6e", "2A6E"), ("0000180d-0000-1000-8000-00805f9b34fb", "180D"),
        ("12345678", "12345678"), ("5E4D0001-1C7B-4B5E-9B0A-3F6B2C9D7A10", "5E4D0001-1C7B-4B5E-9B0A-3F6B2C9D7A10"),
        ("5e4d00011c7b4b5e9b0a3f6b2c9d7a10", "5E4D0001-1C7B-4B5E-9B0A-3F6B2C9D7A10"),
    ])
    func `a UUID is read in any of its forms and printed in its shortest`(text: String, printed: String) throws {
        let uuid = try #require(BluetoothUUID(text))
        #expect(uuid.description == printed)
        #expect(BluetoothUUID(littleEndian: uuid.attributeOctets) == uuid)
    }

    @Test(arguments: ["", "18", "180", "180D0", "18-0D", "xyzw", "5E4D0001-1C7B-4B5E-9B0A3F6B2C9D7A10", "18 0D"])
    func `what is no UUID is refused`(text: String) {
        #expect(BluetoothUUID(text) == nil)
    }

    @Test func `octets of a wrong length are no UUID`() {
        for count in [0, 1, 3, 5, 15, 17] {
            #expect(BluetoothUUID(littleEndian: [UInt8](repeating: 1, count: count)) == nil)
        }
    }

    @Test(
        arguments: [
            (0, false), (1, true), (0xFFFF_FFFF_FFFE, true), (0xFFFF_FFFF_FFFF, false), (0x8000_0000_0000, true),
        ] as [(UInt64, Bool)])
    func `all zeros and all ones are no address of a device`(_ value: UInt64, _ isDevice: Bool) {
        for kind in [DeviceAddress.Kind.public, .random] {
            #expect(DeviceAddress(kind: kind, value: value).isDevice == isDevice)
        }
    }

    @Test func `an address is read and printed`() throws {
        let address = try #require(DeviceAddress("C4:7C:8D:00:11:22", kind: .random))
        #expect(address.description == "C4:7C:8D:00:11:22")
        #expect(address.compact == "c47c8d001122")
        #expect(address.isStaticRandom && address.isIdentity)
        #expect(address != DeviceAddress(kind: .public, value: address.value))
        #expect(DeviceAddress("C4:7C:8D:00:11", kind: .public) == nil)
        #expect(DeviceAddress(kind: .random, value: 0x7C8D_0011_2233).isResolvablePrivate)
        #expect(DeviceAddress(kind: .random, value: 0x3C8D_0011_2233).isNonResolvablePrivate)
    }

    @Test(arguments: [
        ("020106", [1]), ("0201060302" + "0d18", [1, 2]), ("00000201060000020a04", [1, 10]), ("05ff0102", []),
        ("ff", []), ("", []), ("0109", [9]), ("020106ff", [1]),
    ])
    func `advertising data is walked as far as it makes sense`(hexadecimal: String, types: [Int]) throws {
        let octets = try #require([UInt8](hexadecimal: hexadecimal))
        #expect(AdvertisingData(octets).map { Int($0.type.rawValue) } == types)
    }

    @Test(arguments: [
        ("020D18", [0x02], 2), ("030D180F18", [0x03], 2), ("0478563412", [0x04], 4), ("057856341201000000", [0x05], 4),
        ("06109A7D2C6B3F0A9B5E4B7B1C01004D5E", [0x06], 16), ("07109A7D2C6B3F0A9B5E4B7B1C01004D5E", [0x07], 16),
        ("140D18", [0x14], 2), ("1F78563412", [0x1F], 4), ("15109A7D2C6B3F0A9B5E4B7B1C01004D5E", [0x15], 16),
        ("160D1801", [0x16], 2), ("207856341201", [0x20], 4), ("21109A7D2C6B3F0A9B5E4B7B1C01004D5E01", [0x21], 16),
    ])
    func `each list of services and each service data has UUIDs of its width`(
        hexadecimal: String, types: [UInt8], width: Int
    ) throws {
        let octets = try #require([UInt8](hexadecimal: hexadecimal))
        let structure = try #require(Array(AdvertisingData([UInt8(octets.count)] + octets)).first)
        #expect([structure.type.rawValue] == types)
        let widths = [
            structure.type.serviceUUIDWidth, structure.type.solicitedUUIDWidth, structure.type.serviceDataUUIDWidth,
        ]
        let place = [0x14, 0x15, 0x1F].contains(types[0]) ? 1 : [0x16, 0x20, 0x21].contains(types[0]) ? 2 : 0
        #expect(widths == (0..<3).map { $0 == place ? width : nil })
        let expected = [2: "180D", 4: "12345678", 16: "5E4D0001-1C7B-4B5E-9B0A-3F6B2C7D9A10"][width]
        #expect(structure.uuids(width: width).first?.description == expected)
        // A truncated UUID is no UUID.
        #expect(structure.uuids(width: width).count == structure.value.count / width)
    }

    @Test func `every field of a reader names itself when the octets end`() {
        var reader = ByteReader([1, 2, 3])
        #expect(throws: DecodeError.truncated(field: "handle")) { try reader.u32("handle") }
        #expect(throws: DecodeError.trailing(octets: 3)) { try reader.finish() }
    }

    @Test func `durations saturate instead of overflowing`() {
        #expect((MonotonicTime.zero + .seconds(Int64.max)).nanoseconds == .max)
        #expect(Duration.seconds(-20_000_000_000).wholeNanoseconds == .min)
        #expect(Duration.milliseconds(1500).wholeMilliseconds == 1500)
    }

    @Test func `parameters that cannot work are refused`() throws {
        let interval = try #require(ConnectionInterval(units: 3200))
        let latency = try #require(PeripheralLatency(events: 499))
        let timeout = try #require(SupervisionTimeout(units: 10))
        #expect(
            ConnectionParameters(
                minimumInterval: interval, maximumInterval: interval, latency: latency, timeout: timeout)
                == nil)
        #expect(ConnectionInterval(units: 5) == nil)
        #expect(PeripheralLatency(events: 500) == nil)
        #expect(SupervisionTimeout(units: 3201) == nil)
    }
}
