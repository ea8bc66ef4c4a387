// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import GATT
import Testing

@testable import HostBench

/// A 128-bit UUID in the order of the air, and as a value.
let longUUIDOctets = "0F 0E 0D 0C 0B 0A 09 08 07 06 05 04 03 02 01 00"
let longUUID = BluetoothUUID(high: 0x0001_0203_0405_0607, low: 0x0809_0A0B_0C0D_0E0F)

func short(_ uuid: UInt16) -> BluetoothUUID { BluetoothUUID(uuid) }

func range(_ start: UInt16, _ end: UInt16) -> ATTPDU.HandleRange { ATTPDU.HandleRange(start: start, end: end) }

/// Our host as GATT client: configuration and discovery.
struct ClientDiscoveryTests {
    @Test func `GATT/CL/GAC/BV-01-C exchange MTU`() throws {
        try conformance("GATT/CL/GAC/BV-01-C") { bench in
            try bench.connect(mtu: 64)
            // The tester's maximum fits into one request, and one more octet does not.
            try bench.ask(.write(handle: 3, value: counting(61)))
            try bench.expects(att: [0x12, 3, 0] + counting(61))
            try bench.send(att: "13")
            try bench.told(.written)
            try bench.ask(.write(handle: 3, value: counting(62)))
            try bench.expects(att: [0x16, 3, 0, 0, 0] + counting(59))
            try bench.send(att: [0x17, 3, 0, 0, 0] + counting(59))
            try bench.expects(att: [0x16, 3, 0, 59, 0] + counting(3, from: 59))
            try bench.send(att: [0x17, 3, 0, 59, 0] + counting(3, from: 59))
            try bench.answers("18 01", with: "19")
            try bench.told(.written)

            // An MTU below the minimum counts as the minimum.
            let second = try Bench()
            try second.connect(mtu: 16)
            try second.ask(.write(handle: 3, value: counting(20)))
            try second.expects(att: [0x12, 3, 0] + counting(20))
            try second.send(att: "13")
            try second.told(.written)
        }
    }

    @Test func `GATT/CL/GAD/BV-01-C discover all primary services`() throws {
        try conformance("GATT/CL/GAD/BV-01-C") { bench in
            try bench.connect()
            try bench.ask(.discoverServices(nil))
            try bench.answers("10 01 00 FF FF 00 28", with: "11 06 01 00 05 00 00 18 06 00 0F 00 0D 18")
            try bench.answers("10 10 00 FF FF 00 28", with: "11 14 10 00 1F 00 \(longUUIDOctets)")
            try bench.answers("10 20 00 FF FF 00 28", with: "01 10 20 00 0A")
            try bench.told(
                .services([
                    RemoteService(uuid: short(0x1800), handles: range(1, 5)),
                    RemoteService(uuid: short(0x180D), handles: range(6, 15)),
                    RemoteService(uuid: longUUID, handles: range(16, 31)),
                ]))
        }
    }

    @Test func `GATT/CL/GAD/BV-02-C discover primary services by UUID`() throws {
        try conformance("GATT/CL/GAD/BV-02-C") { bench in
            try bench.connect()
            try bench.ask(.discoverServices([short(0x180D)]))
            try bench.answers("06 01 00 FF FF 00 28 0D 18", with: "07 06 00 0F 00 20 00 2F 00")
            try bench.answers("06 30 00 FF FF 00 28 0D 18", with: "01 06 30 00 0A")
            try bench.told(
                .services([
                    RemoteService(uuid: short(0x180D), handles: range(6, 15)),
                    RemoteService(uuid: short(0x180D), handles: range(32, 47)),
                ]))
            // The last service of a database ends the search at once.
            try bench.ask(.discoverServices([longUUID]))
            try bench.answers("06 01 00 FF FF 00 28 \(longUUIDOctets)", with: "07 30 00 FF FF")
            try bench.told(.services([RemoteService(uuid: longUUID, handles: range(48, 0xFFFF))]))
            try bench.ask(.discoverServices([short(0x180F)]))
            try bench.answers("06 01 00 FF FF 00 28 0F 18", with: "01 06 01 00 0A")
            // The declaration may use 128 bits.
            try bench.answers(
                "06 01 00 FF FF 00 28 FB 34 9B 5F 80 00 00 80 00 10 00 00 0F 18 00 00", with: "01 06 01 00 0A")
            try bench.told(.services([]))
        }
    }

    @Test func `GATT/CL/GAD/BV-03-C find included services`() throws {
        try conformance("GATT/CL/GAD/BV-03-C") { bench in
            try bench.connect()
            try bench.ask(.discoverIncludedServices(range(0x10, 0x1F)))
            try bench.answers("08 10 00 1F 00 02 28", with: "09 08 11 00 01 00 05 00 0A 18")
            try bench.answers("08 12 00 1F 00 02 28", with: "09 06 12 00 20 00 2F 00")
            try bench.answers("0A 20 00", with: "0B \(longUUIDOctets)")
            try bench.answers("08 13 00 1F 00 02 28", with: "01 08 13 00 0A")
            try bench.told(
                .services([
                    RemoteService(uuid: short(0x180A), handles: range(1, 5)),
                    RemoteService(uuid: longUUID, handles: range(0x20, 0x2F)),
                ]))
        }
    }

    @Test func `GATT/CL/GAD/BV-04-C discover all characteristics of a service`() throws {
        try conformance("GATT/CL/GAD/BV-04-C") { bench in
            try bench.connect()
            try bench.ask(.discoverCharacteristics(range(1, 15), nil))
            try discoverCharacteristics(bench)
            try bench.told(
                .characteristics([
                    RemoteCharacteristic(uuid: short(0x2A00), properties: 0x02, valueHandle: 3, endHandle: 3),
                    RemoteCharacteristic(uuid: short(0x2A37), properties: 0x10, valueHandle: 5, endHandle: 6),
                    RemoteCharacteristic(uuid: longUUID, properties: 0x0A, valueHandle: 8, endHandle: 15),
                ]))
        }
    }

    @Test func `GATT/CL/GAD/BV-05-C discover characteristics by UUID`() throws {
        try conformance("GATT/CL/GAD/BV-05-C") { bench in
            try bench.connect()
            try bench.ask(.discoverCharacteristics(range(1, 15), [short(0x2A37)]))
            try discoverCharacteristics(bench)
            try bench.told(
                .characteristics([
                    RemoteCharacteristic(uuid: short(0x2A37), properties: 0x10, valueHandle: 5, endHandle: 6)
                ]))
            let second = try Bench()
            try second.connect()
            try second.ask(.discoverCharacteristics(range(1, 15), [longUUID]))
            try discoverCharacteristics(second)
            try second.told(
                .characteristics([
                    RemoteCharacteristic(uuid: longUUID, properties: 0x0A, valueHandle: 8, endHandle: 15)
                ]))
        }
    }

    /// The tester's side: two characteristics with short UUIDs and one with a long UUID.
    private func discoverCharacteristics(_ bench: Bench) throws {
        try bench.answers("08 01 00 0F 00 03 28", with: "09 07 02 00 02 03 00 00 2A 04 00 10 05 00 37 2A")
        try bench.answers("08 05 00 0F 00 03 28", with: "09 15 07 00 0A 08 00 \(longUUIDOctets)")
        try bench.answers("08 08 00 0F 00 03 28", with: "01 08 08 00 0A")
    }

    @Test func `GATT/CL/GAD/BV-06-C discover all descriptors`() throws {
        try conformance("GATT/CL/GAD/BV-06-C") { bench in
            try bench.connect()
            try bench.ask(.discoverDescriptors(range(4, 9)))
            try bench.answers("04 04 00 09 00", with: "05 01 04 00 02 29 05 00 01 29")
            try bench.answers("04 06 00 09 00", with: "05 02 06 00 \(longUUIDOctets)")
            try bench.answers("04 07 00 09 00", with: "01 04 07 00 0A")
            try bench.told(
                .descriptors([
                    .init(handle: 4, type: short(0x2902)), .init(handle: 5, type: short(0x2901)),
                    .init(handle: 6, type: longUUID),
                ]))
        }
    }
}
