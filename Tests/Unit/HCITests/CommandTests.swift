// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import Testing

struct CommandTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let command: any HCICommand
        let octets: String
        var testDescription: String { "\(type(of: command))" }
    }

    static let peer = DeviceAddress(kind: .random, value: 0xC0_11_22_33_44_55)

    static let rows = [
        Row(command: Reset(), octets: "01 030c 00"),
        Row(command: Disconnect(handle: 0x0040), octets: "01 0604 03 4000 13"),
        Row(command: SetEventMask.leHost, octets: "01 010c 08 9088000200800020"),
        Row(command: LESetEventMask(mask: 0x1F), octets: "01 0120 08 1f00000000000000"),
        Row(command: LESetRandomAddress(address: peer), octets: "01 0520 06 5544332211c0"),
        Row(
            command: LESetScanParameters(active: true, timing: .continuous, ownAddress: .public),
            octets: "01 0b20 07 01 6000 6000 00 00"),
        Row(command: LESetScanEnable(enable: true), octets: "01 0c20 02 01 00"),
        Row(
            command: LESetExtendedScanParameters(active: false, timing: .shared, ownAddress: .random),
            octets: "01 4120 08 01 00 01 00 6000 3000"),
        Row(command: LESetExtendedScanEnable(enable: false), octets: "01 4220 06 00 00 0000 0000"),
        Row(
            command: LECreateConnection(
                target: .peer(peer), timing: .continuous, ownAddress: .public, parameters: .standard),
            octets: "01 0d20 19 6000 6000 00 01 5544332211c0 00 1800 2800 0000 f401 0000 0000"),
        Row(
            command: LECreateConnection(
                target: .filterAcceptList, timing: .continuous, ownAddress: .random, parameters: .standard),
            octets: "01 0d20 19 6000 6000 01 00 000000000000 01 1800 2800 0000 f401 0000 0000"),
        Row(
            command: LEExtendedCreateConnection(
                target: .peer(peer), timing: .shared, ownAddress: .public, parameters: .standard),
            octets: "01 4320 1a 00 00 01 5544332211c0 01 6000 3000 1800 2800 0000 f401 0000 0000"),
        Row(command: LECreateConnectionCancel(), octets: "01 0e20 00"),
        Row(command: LEAddDeviceToFilterAcceptList(address: peer), octets: "01 1120 07 01 5544332211c0"),
        Row(command: LERemoveDeviceFromFilterAcceptList(address: peer), octets: "01 1220 07 01 5544332211c0"),
        Row(command: LEClearFilterAcceptList(), octets: "01 1020 00"),
        Row(command: ReadRSSI(handle: 0x0123), octets: "01 0514 02 2301"),
        Row(
            command: LEConnectionUpdate(handle: 1, parameters: .standard),
            octets: "01 1320 0e 0100 1800 2800 0000 f401 0000 0000"),
        Row(
            command: LERemoteConnectionParameterRequestNegativeReply(handle: 1), octets: "01 2120 03 0100 3b"),
        Row(command: LELongTermKeyRequestNegativeReply(handle: 1), octets: "01 1b20 02 0100"),
        Row(command: LEWriteSuggestedDefaultDataLength(), octets: "01 2420 04 fb00 4808"),
        Row(
            command: LEAddDeviceToResolvingList(
                identity: peer, peerKey: (1...16).map { UInt8($0) }, localKey: (17...32).map { UInt8($0) }),
            octets: "01 2720 27 01 5544332211c0 0102030405060708090a0b0c0d0e0f10 1112131415161718191a1b1c1d1e1f20"),
        Row(
            command: LESetScanParameters(
                active: true, timing: .continuous, ownAddress: OwnAddressType(.random, isMade: true)),
            octets: "01 0b20 07 01 6000 6000 03 00"),
        Row(
            command: LECreateConnection(
                target: .peer(peer), timing: .continuous, ownAddress: OwnAddressType(.public, isMade: true),
                parameters: .standard),
            octets: "01 0d20 19 6000 6000 00 01 5544332211c0 02 1800 2800 0000 f401 0000 0000"),
        Row(command: LERemoveDeviceFromResolvingList(identity: peer), octets: "01 2820 07 01 5544332211c0"),
        Row(command: LEClearResolvingList(), octets: "01 2920 00"),
        Row(command: LEReadResolvingListSize(), octets: "01 2a20 00"),
        Row(command: LESetAddressResolutionEnable(enable: true), octets: "01 2d20 01 01"),
        Row(command: LESetAddressResolutionEnable(enable: false), octets: "01 2d20 01 00"),
        Row(command: LESetPrivacyMode(identity: peer, mode: .device), octets: "01 4e20 08 01 5544332211c0 01"),
        Row(command: LESetPrivacyMode(identity: peer, mode: .network), octets: "01 4e20 08 01 5544332211c0 00"),
    ]

    @Test(arguments: rows) func `a command is written as the specification has it`(row: Row) {
        #expect(row.command.packet == [UInt8](hexadecimal: row.octets))
    }

    @Test func `return parameters are read and a status that is no success is kept`() throws {
        let answer = try LEReadBufferSize.decodeReturn([0, 0xFB, 0, 16])
        guard case .success(let size) = answer else { Issue.record("no success"); return }
        #expect(size.aclLength == 251 && size.aclCount == 16)
        guard case .failure(let status) = try ReadBDADDR.decodeReturn([0x0C]) else { Issue.record("success"); return }
        #expect(status == .commandDisallowed)
    }

    @Test func `the resolving list is there when all of its commands are`() throws {
        guard case .success(let answer) = try LEReadResolvingListSize.decodeReturn([0, 7]) else {
            Issue.record("no success")
            return
        }
        #expect(answer.size == 7)
        var octets = [UInt8](repeating: 0, count: 64)
        (octets[34], octets[35], octets[39]) = (0b111_1000, 0b10, 0b100)
        #expect(SupportedCommands(octets: octets).resolvingList)
        for (octet, bit) in [(34, 3), (34, 4), (34, 5), (34, 6), (35, 1), (39, 2)] as [(Int, UInt8)] {
            var some = octets
            some[octet] &= ~(1 << bit)
            #expect(!SupportedCommands(octets: some).resolvingList)
        }
        #expect(!SupportedCommands(octets: []).resolvingList)
    }

    @Test func `return parameters cut anywhere are errors and never traps`() {
        for count in 0..<65 {
            let octets = [UInt8](repeating: 0, count: count)[...]
            if count < 65 { #expect(throws: DecodeError.self) { try ReadLocalSupportedCommands.decodeReturn(octets) } }
            if count < 4 { #expect(throws: DecodeError.self) { try LEReadBufferSize.decodeReturn(octets) } }
            if count < 2 { #expect(throws: DecodeError.self) { try LEReadResolvingListSize.decodeReturn(octets) } }
            if count < 7 { #expect(throws: DecodeError.self) { try ReadBDADDR.decodeReturn(octets) } }
            if count < 9 { #expect(throws: DecodeError.self) { try LEReadSupportedStates.decodeReturn(octets) } }
        }
    }
}
