// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SMP
import Testing

@testable import HostBench

/// The sample data of Core 5.4, Vol 3, Part H, 2.2.3, 2.2.4 and D: the tester has to be right before its judgement counts.
struct SMFunctionTests {
    private let u = hex("20b003d2f297be2c5e2c83a7e9f9a5b9eff49111acf4fddbcc0301480e359de6")
    private let v = hex("55188b3d32f6bb9a900afcfbeed4e72a59cb9ac2f19d7cfb6b4fdd49f47fc5fd")
    private let x = hex("d5cb8454d177733effffb2ec712baeab")
    private let y = hex("a6e8e7cc25a75f6e216583f7ff3dc4cf")
    private let a1 = DeviceAddress(kind: .public, value: 0x5612_3737_BFCE)
    private let a2 = DeviceAddress(kind: .public, value: 0xA713_702D_CFC1)

    @Test func `the tester's confirm values of legacy pairing are the specification's`() {
        let confirm = SMFunctions.c1(
            .zero, hex("5783D52156AD6F0E6388274EC6702EE0"), request: hex("01010000100707"),
            response: hex("02030000080005"), initiator: DeviceAddress(kind: .random, value: 0xA1A2_A3A4_A5A6),
            responder: DeviceAddress(kind: .public, value: 0xB1B2_B3B4_B5B6))
        #expect(confirm == hex("1e1e3fef878988ead2a74dc5bef13b86"))
        let key = SMFunctions.s1(
            .zero, responder: hex("000F0E0D0C0B0A091122334455667788"),
            initiator: hex("010203040506070899AABBCCDDEEFF00"))
        #expect(key.octets == hex("9a1fe1f0e8b0f49b5b4216ae796da062"))
    }

    @Test func `the tester's values of Secure Connections are the specification's`() {
        #expect(SMFunctions.f4(u, v, x, 0) == hex("f2c916f107a9bd1cf1eda1bea974872d"))
        let secret = hex("ec0234a357c8ad05341010a60a397d9b99796b13b4f866f1868d34f373bfa698")
        let keys = SMFunctions.f5(secret, x, y, initiator: a1, responder: a2)
        #expect(keys.macKey.octets == hex("2965f176a1084a02fd3f6a20ce636e20"))
        #expect(keys.longTermKey.octets == hex("6986791169d7cd23980522b594750a38"))
        let check = SMFunctions.f6(
            keys.macKey, x, y, hex("12a3343bb453bb5408da42d20c2d0fc8"), hex("010102"), a1, a2)
        #expect(check == hex("e3c473989cd0e8c5d26c0b09da958f61"))
        #expect(SMFunctions.g2(u, v, x, y) == 938_554)
    }

    @Test func `a shortened key keeps its least significant octets`() {
        let key = SMFunctions.secret(hex("123456789ABCDEF0123456789ABCDEF0"))
        #expect(SMFunctions.shortened(key, to: 7).octets == hex("0000000000000000003456789ABCDEF0"))
        #expect(SMFunctions.shortened(key, to: 16) == key)
    }
}
