// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import Testing

@testable import VirtualRadio

@Suite struct SecurityTests {
    private static let key = (1...16).map { UInt8($0) }
    private static let otherKey = [UInt8](repeating: 7, count: 16)
    private static let rand: UInt64 = 0x1122_3344_5566_7788
    private static let ediv: UInt16 = 0x99AA

    private static let frame: [UInt8] = [3, 0, 4, 0, 1, 2, 3]

    private func enable(_ pair: Pair, key: [UInt8] = key) -> [UInt8] {
        pair.central.command(.leEnableEncryption, u16(pair.centralHandle) + u64(Self.rand) + u16(Self.ediv) + key)
    }

    private func expectRequest(_ pair: Pair) throws {
        #expect(
            try pair.peripheral.event(.longTermKeyRequest)
                == u16(pair.peripheralHandle) + u64(Self.rand) + u16(Self.ediv))
    }

    private func encrypt(_ pair: Pair) throws {
        #expect(enable(pair) == [0])
        try expectRequest(pair)
        let answer = pair.peripheral.command(.leLongTermKeyRequestReply, u16(pair.peripheralHandle) + Self.key)
        #expect(answer == [0] + u16(pair.peripheralHandle))
        #expect(try pair.central.event(.encryptionChange) == [0] + u16(pair.centralHandle) + [1])
        #expect(try pair.peripheral.event(.encryptionChange) == [0] + u16(pair.peripheralHandle) + [1])
    }

    @Test func `with the same key on both sides the link is encrypted, and stays so`() throws {
        let pair = try Pair()
        pair.central.sendACL(pair.centralHandle, Self.frame)
        _ = try pair.peripheral.wait { $0[0] == 2 ? $0 : nil }
        try encrypt(pair)
        for _ in 0..<5 {
            pair.central.sendACL(pair.centralHandle, Self.frame)
            pair.peripheral.sendACL(pair.peripheralHandle, Self.frame)
            _ = try pair.peripheral.wait { $0[0] == 2 ? $0 : nil }
            _ = try pair.central.wait { $0[0] == 2 ? $0 : nil }
        }
        #expect(pair.air.dataTally(of: pair.central.id) == DataTally(plain: 1, encrypted: 5))
        #expect(pair.air.dataTally(of: pair.peripheral.id) == DataTally(plain: 0, encrypted: 5))
    }

    @Test func `no data crosses while encryption starts, and none is lost`() throws {
        let pair = try Pair()
        #expect(enable(pair) == [0])
        try expectRequest(pair)
        pair.central.sendACL(pair.centralHandle, Self.frame)
        pair.peripheral.sendACL(pair.peripheralHandle, Self.frame)
        pair.central.run(.seconds(5))
        #expect(pair.air.dataTally(of: pair.central.id) == DataTally())
        #expect(pair.air.dataTally(of: pair.peripheral.id) == DataTally())
        pair.peripheral.command(.leLongTermKeyRequestReply, u16(pair.peripheralHandle) + Self.key)
        _ = try pair.peripheral.wait { $0[0] == 2 ? $0 : nil }
        _ = try pair.central.wait { $0[0] == 2 ? $0 : nil }
        #expect(pair.air.dataTally(of: pair.central.id) == DataTally(plain: 0, encrypted: 1))
    }

    @Test func `without a key on the other side the Central is told so, and the link stays plain`() throws {
        let pair = try Pair()
        #expect(enable(pair) == [0])
        try expectRequest(pair)
        let answer = pair.peripheral.command(.leLongTermKeyRequestNegativeReply, u16(pair.peripheralHandle))
        #expect(answer == [0] + u16(pair.peripheralHandle))
        #expect(try pair.central.event(.encryptionChange) == [0x06] + u16(pair.centralHandle) + [0])
        pair.central.sendACL(pair.centralHandle, Self.frame)
        _ = try pair.peripheral.wait { $0[0] == 2 ? $0 : nil }
        #expect(pair.air.dataTally(of: pair.central.id) == DataTally(plain: 1, encrypted: 0))
    }

    @Test func `with different keys both sides lose the link`() throws {
        let pair = try Pair()
        #expect(enable(pair, key: Self.otherKey) == [0])
        try expectRequest(pair)
        pair.peripheral.command(.leLongTermKeyRequestReply, u16(pair.peripheralHandle) + Self.key)
        #expect(try pair.central.event(.disconnectionComplete) == [0] + u16(pair.centralHandle) + [0x3D])
        #expect(try pair.peripheral.event(.disconnectionComplete) == [0] + u16(pair.peripheralHandle) + [0x3D])
    }

    @Test func `a key that never comes ends the link after 40 seconds`() throws {
        let pair = try Pair()
        #expect(enable(pair) == [0])
        try expectRequest(pair)
        let before = pair.air.now
        #expect(try pair.central.event(.disconnectionComplete) == [0] + u16(pair.centralHandle) + [0x22])
        #expect(pair.air.now - before == .seconds(40))
    }

    @Test func `the key of an encrypted link is changed by key refresh`() throws {
        let pair = try Pair()
        try encrypt(pair)
        #expect(enable(pair, key: Self.otherKey) == [0])
        try expectRequest(pair)
        pair.peripheral.command(.leLongTermKeyRequestReply, u16(pair.peripheralHandle) + Self.otherKey)
        #expect(try pair.central.event(.encryptionKeyRefreshComplete) == [0] + u16(pair.centralHandle))
        #expect(try pair.peripheral.event(.encryptionKeyRefreshComplete) == [0] + u16(pair.peripheralHandle))
    }

    @Test func `a refused key refresh ends the link`() throws {
        let pair = try Pair()
        try encrypt(pair)
        #expect(enable(pair) == [0])
        try expectRequest(pair)
        pair.peripheral.command(.leLongTermKeyRequestNegativeReply, u16(pair.peripheralHandle))
        #expect(try pair.central.event(.disconnectionComplete) == [0] + u16(pair.centralHandle) + [0x06])
    }

    @Test func `with the event masked the controller refuses by itself`() throws {
        let pair = try Pair()
        pair.peripheral.command(.leSetEventMask, u64(0x000F_FFFF & ~(1 << 4)))
        #expect(enable(pair) == [0])
        #expect(try pair.central.event(.encryptionChange) == [0x06] + u16(pair.centralHandle) + [0])
    }

    @Test func `a peer without the feature cannot be encrypted with`() throws {
        let air = VirtualAir(seed: 1)
        let host = ScriptedHost(air)
        host.setUp()
        let configuration = sensor()
        _ = air.addSensor(configuration)
        let handle = try host.connect(to: configuration.address)
        #expect(host.command(.leEnableEncryption, u16(handle) + u64(0) + u16(0) + Self.key) == [0])
        #expect(try host.event(.encryptionChange) == [0x1A] + u16(handle) + [0])
    }

    @Test func `commands out of place are refused`() throws {
        let pair = try Pair()
        let parameters = u64(0) + u16(0) + Self.key
        #expect(pair.peripheral.command(.leEnableEncryption, u16(pair.peripheralHandle) + parameters) == [0x0C])
        #expect(pair.central.command(.leEnableEncryption, u16(0x0EEE) + parameters) == [0x02])
        #expect(
            pair.peripheral.command(.leLongTermKeyRequestReply, u16(pair.peripheralHandle) + Self.key)
                == [0x0C] + u16(pair.peripheralHandle))
        #expect(
            pair.peripheral.command(.leLongTermKeyRequestNegativeReply, u16(pair.peripheralHandle))
                == [0x0C] + u16(pair.peripheralHandle))
        #expect(enable(pair) == [0])
        #expect(enable(pair) == [0x0C], "one at a time")
    }
}
