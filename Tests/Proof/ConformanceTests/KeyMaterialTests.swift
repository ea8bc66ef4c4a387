// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import GATT
import Testing

@testable import HostBench

/// The key material of encrypted advertising data, in the GAP service of our server.
struct KeyMaterialTests {
    private static let handle: UInt16 = 0x000B
    private static let configuration: UInt16 = 0x000C
    private static let octets = [UInt8](0x40..<0x58)

    /// Core 5.4, Vol 3, Part C, 12.6: reads may need authentication and authorization.
    private static func bench() throws -> ServerBench {
        let access = AttributeAccess(level: .authenticated, needsAuthorization: true)
        let bench = try ServerBench(
            HostServices(deviceName: Array("Martlet".utf8), keyMaterial: octets, keyMaterialAccess: access))
        try bench.asks("08 0A 00 0A 00 03 28", answer: "09 07 0A 00 22 0B 00 88 2B")
        return bench
    }

    @Test func `GAP/GAT/BV-09-C key material for an authenticated and authorized client`() throws {
        try ConformanceRecord.run("GAP/GAT/BV-09-C", file: #fileID) {
            let bench = try Self.bench()
            try bench.storeBond(isAuthenticated: true, isAuthorized: true)
            try bench.encrypt()
            // The rest of a value that a response of the smallest bearer cannot hold.
            try bench.expects(read: Self.handle, Array(Self.octets.prefix(22)))
            try bench.asks("0C 0B 00 16 00", answer: "0D 56 57")
            try bench.asks("12 0B 00 00", answer: "01 12 0B 00 03")
            try bench.finish()
        }
    }

    @Test func `GAP/GAT/BV-10-C key material and a client without authentication`() throws {
        try ConformanceRecord.run("GAP/GAT/BV-10-C", file: #fileID) {
            let bench = try Self.bench()
            try bench.asks("0A 0B 00", answer: "01 0A 0B 00 05")
            try bench.bond()
            try bench.asks("0A 0B 00", answer: "01 0A 0B 00 05")
            try bench.finish()
        }
    }

    @Test func `GAP/GAT/BV-11-C key material and a client without authorization`() throws {
        try ConformanceRecord.run("GAP/GAT/BV-11-C", file: #fileID) {
            let bench = try Self.bench()
            try bench.storeBond(isAuthenticated: true)
            try bench.encrypt()
            try bench.asks("0A 0B 00", answer: "01 0A 0B 00 08")
            try bench.finish()
        }
    }

    @Test func `GAP/GAT/BV-15-C new key material is indicated`() throws {
        try ConformanceRecord.run("GAP/GAT/BV-15-C", file: #fileID) {
            let bench = try Self.bench()
            try bench.asks("12 0C 00 02 00", answer: "01 12 0C 00 05")
            try bench.storeBond(isAuthenticated: true, isAuthorized: true)
            try bench.encrypt()
            try bench.expects(write: Self.configuration, [2, 0])
            let new = [UInt8](0xA0..<0xB8)
            bench.bench.host.setKeyMaterial(new, for: Bench.client, at: bench.bench.now)
            // An indication of the smallest bearer holds 20 octets; the client reads the rest.
            try bench.expects(att: [0x1D] + little(Self.handle) + new.prefix(20))
            try bench.send(att: "1E")
            try bench.asks("0C 0B 00 14 00", answer: "0D B4 B5 B6 B7")
            try bench.finish()
        }
    }
}
