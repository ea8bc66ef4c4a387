// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import Testing

struct AdvertisingCommandTests {
    static let peer = CommandTests.peer
    static let zeros = String(repeating: "00", count: 28)

    private static func parameters(
        _ kind: AdvertisingKind, legacy: Bool = true, _ phy: LEPHY = .le1M
    ) -> AdvertisingParameters {
        AdvertisingParameters(
            kind: kind, usesLegacyPDUs: legacy, intervals: .fast, ownAddress: .random, secondaryPHY: phy, setID: 2)
    }

    static let rows = [
        CommandTests.Row(
            command: LESetAdvertisingParameters(parameters: parameters(.connectable)),
            octets: "01 0620 0f 2000 3000 00 01 00 000000000000 07 00"),
        CommandTests.Row(
            command: LESetAdvertisingParameters(parameters: parameters(.directed(peer, isHighDuty: true))),
            octets: "01 0620 0f 2000 3000 01 01 01 5544332211c0 07 00"),
        CommandTests.Row(
            command: LESetAdvertisingParameters(parameters: parameters(.directed(peer, isHighDuty: false))),
            octets: "01 0620 0f 2000 3000 04 01 01 5544332211c0 07 00"),
        CommandTests.Row(
            command: LESetAdvertisingParameters(parameters: parameters(.scannable)),
            octets: "01 0620 0f 2000 3000 02 01 00 000000000000 07 00"),
        CommandTests.Row(command: LESetAdvertisingData(data: [2, 1, 6]), octets: "01 0820 20 03 020106" + zeros),
        CommandTests.Row(command: LESetScanResponseData(data: [2, 1, 6]), octets: "01 0920 20 03 020106" + zeros),
        CommandTests.Row(command: LESetAdvertisingEnable(enable: true), octets: "01 0a20 01 01"),
        CommandTests.Row(
            command: LESetAdvertisingSetRandomAddress(set: 3, address: peer), octets: "01 3520 07 03 5544332211c0"),
        CommandTests.Row(
            command: LESetExtendedAdvertisingParameters(set: 1, parameters: parameters(.connectable)),
            octets: "01 3620 19 01 1300 200000 300000 07 01 00 000000000000 00 7f 01 00 01 02 00"),
        CommandTests.Row(
            command: LESetExtendedAdvertisingParameters(set: 1, parameters: parameters(.nonConnectable, legacy: false)),
            octets: "01 3620 19 01 0000 200000 300000 07 01 00 000000000000 00 7f 01 00 01 02 00"),
        CommandTests.Row(
            command: LESetExtendedAdvertisingParameters(
                set: 1, parameters: parameters(.connectable, legacy: false, .leCoded)),
            octets: "01 3620 19 01 0100 200000 300000 07 01 00 000000000000 00 7f 03 00 03 02 00"),
        CommandTests.Row(
            command: LESetExtendedAdvertisingParameters(
                set: 1, parameters: parameters(.directed(peer, isHighDuty: true))),
            octets: "01 3620 19 01 1d00 200000 300000 07 01 01 5544332211c0 00 7f 01 00 01 02 00"),
        CommandTests.Row(
            command: LESetExtendedAdvertisingData(set: 1, operation: .first, data: [1, 0xFF]),
            octets: "01 3720 06 01 01 01 02 01ff"),
        CommandTests.Row(
            command: LESetExtendedScanResponseData(set: 1, data: []), octets: "01 3820 04 01 03 01 00"),
        CommandTests.Row(
            command: LESetExtendedAdvertisingEnable(enable: true, set: 1, duration: 128),
            octets: "01 3920 06 01 01 01 8000 00"),
        CommandTests.Row(command: LERemoveAdvertisingSet(set: 1), octets: "01 3c20 01 01"),
        CommandTests.Row(command: LEClearAdvertisingSets(), octets: "01 3d20 00"),
        CommandTests.Row(command: LESetDataLength(handle: 0x40), octets: "01 2220 06 4000 fb00 4808"),
        CommandTests.Row(command: LEReadPHY(handle: 0x40), octets: "01 3020 02 4000"),
        CommandTests.Row(command: LESetDefaultPHY(phys: [.le1M, .le2M]), octets: "01 3120 03 00 03 03"),
        CommandTests.Row(command: LESetPHY(handle: 0x40, phys: .le2M), octets: "01 3220 07 4000 00 02 02 0000"),
        CommandTests.Row(
            command: LESetExtendedScanParameters(
                active: true, timing: .shared, coded: .continuous, ownAddress: .public),
            octets: "01 4120 0d 00 00 05 01 6000 3000 01 6000 6000"),
        CommandTests.Row(
            command: LEExtendedCreateConnection(
                target: .filterAcceptList, timing: .shared, coded: .continuous, uses2M: true, ownAddress: .public,
                parameters: .standard),
            octets: "01 4320 3a 01 00 00 000000000000 07 6000 3000 1800 2800 0000 f401 0000 0000"
                + "6000 3000 1800 2800 0000 f401 0000 0000 6000 6000 1800 2800 0000 f401 0000 0000"),
    ]

    @Test(arguments: rows) func `a command is written as the specification has it`(row: CommandTests.Row) {
        #expect(row.command.packet == [UInt8](hexadecimal: row.octets))
    }

    @Test func `data that is too long for a command is cut, and never spoils it`() {
        let long = [UInt8](repeating: 7, count: 300)
        #expect(LESetAdvertisingData(data: long).packet.count == 4 + 32)
        #expect(LESetExtendedAdvertisingData(set: 0, data: long).packet.count == 4 + 255)
    }

    @Test func `intervals outside the range are no intervals`() {
        #expect(AdvertisingIntervals(minimum: 31, maximum: 40) == nil)
        #expect(AdvertisingIntervals(minimum: 40, maximum: 39) == nil)
        #expect(AdvertisingIntervals(minimum: 40, maximum: 0x4001) == nil)
        #expect(AdvertisingIntervals.fast.atLeast(0xA0) == AdvertisingIntervals(minimum: 0xA0, maximum: 0xA0))
    }

    @Test func `each combination of the states has the bit of the table`() {
        let directed = AdvertisingKind.directed(Self.peer, isHighDuty: true)
        let rows: [(AdvertisingKind, LEStates.Activity, UInt64)] = [
            (.nonConnectable, .passiveScanning, 8), (.scannable, .activeScanning, 13), (.connectable, .initiating, 32),
            (.connectable, .central, 35), (.connectable, .peripheral, 38), (directed, .initiating, 33),
            (.directed(Self.peer, isHighDuty: false), .peripheral, 40), (.nonConnectable, .central, 18),
        ]
        for (kind, activity, bit) in rows {
            #expect(LEStates.advertising(kind, and: activity).rawValue == 1 << bit)
        }
    }

    @Test func `what the controller says of its advertisers is read, and cut short is an error`() throws {
        guard case .success(let length) = try LEReadMaximumAdvertisingDataLength.decodeReturn([0, 0x72, 0x06]),
            case .success(let sets) = try LEReadNumberOfSupportedAdvertisingSets.decodeReturn([0, 4]),
            case .success(let phy) = try LEReadPHY.decodeReturn([0, 0x40, 0, 2, 1])
        else {
            Issue.record("no success")
            return
        }
        #expect(length.length == 1650 && sets.count == 4 && phy.handle == 0x40 && phy.transmit == 2 && phy.receive == 1)
        #expect(throws: DecodeError.self) { try LEReadMaximumAdvertisingDataLength.decodeReturn([0, 1]) }
        #expect(throws: DecodeError.self) { try LEReadNumberOfSupportedAdvertisingSets.decodeReturn([0]) }
        #expect(throws: DecodeError.self) { try LEReadPHY.decodeReturn([0, 0x40, 0, 2]) }
    }

    @Test func `every status has a name of its own`() {
        let named = (0...0x48 as ClosedRange<UInt8>).map { "\(HCIStatus(rawValue: $0))" }
        #expect(Set(named).count == 0x49)
        #expect("\(HCIStatus.advertisingTimeout)" == "advertising timeout (0x3C)")
        #expect("\(HCIStatus(rawValue: 0xEE))" == "status 0xEE")
    }
}
