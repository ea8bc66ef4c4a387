// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import Testing

@testable import VirtualRadio

/// One command in a state made by other commands, and the answer.
struct CommandRow: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var isExtended = false
    var before: [(HCIOpcode, [UInt8])] = []
    let opcode: HCIOpcode
    var parameters: [UInt8] = []
    /// The return parameters, or the status of a Command Status.
    let answer: [UInt8]

    init(
        _ name: String, isExtended: Bool = false, after before: [(HCIOpcode, [UInt8])] = [], _ opcode: HCIOpcode,
        _ parameters: [UInt8] = [], _ answer: [UInt8]
    ) {
        testDescription = name
        self.isExtended = isExtended
        self.before = before
        self.opcode = opcode
        self.parameters = parameters
        self.answer = answer
    }
}

private let random: [UInt8] = [1, 2, 3, 4, 5, 0xC6]
private let peer: [UInt8] = [1, 9, 9, 9, 9, 9, 0xC9]
private let scanOn: (HCIOpcode, [UInt8]) = (.leSetScanEnable, [1, 0])
private let initiateByList: (HCIOpcode, [UInt8]) = (.leCreateConnection, create(policy: 1))
private let randomAddress: (HCIOpcode, [UInt8]) = (.leSetRandomAddress, random)

private func create(
    policy: UInt8 = 0, own: UInt8 = 0, interval: UInt16 = 24, latency: UInt16 = 0, timeout: UInt16 = 200,
    window: UInt16 = 0x30
) -> [UInt8] {
    u16(0x60) + u16(window) + [policy] + peer + [own] + u16(interval) + u16(interval) + u16(latency) + u16(timeout)
        + u16(0) + u16(0)
}

private func advertise(
    type: UInt8 = 0, own: UInt8 = 0, filter: UInt8 = 0, interval: UInt16 = 0x40
) -> [UInt8] {
    u16(interval) + u16(interval) + [type, own] + peer + [7, filter]
}

private func extendedSet(_ handle: UInt8 = 0, properties: UInt16 = 0x13, own: UInt8 = 0) -> [UInt8] {
    [handle] + u16(properties) + [0x40, 0, 0, 0x40, 0, 0, 7, own] + peer + [0, 0x7F, 1, 0, 1, 3, 0]
}

let commandRows: [CommandRow] = [
    CommandRow("Reset", .reset, [], [0]),
    CommandRow("Reset takes no parameters", .reset, [0], [0x12]),
    CommandRow("a command nobody knows", HCIOpcode(rawValue: 0xFC01), [1, 2, 3], [0x01]),
    CommandRow("privacy is not offered", .leReadResolvingListSize, [], [0x01]),
    CommandRow("Read BD_ADDR", .readBDADDR, [], [0, 0xAA, 0, 0, 0, 0, 0x02]),
    CommandRow(
        "Read Local Version says 5.4", .readLocalVersionInformation, [], [0, 0x0D, 1, 0, 0x0D, 0xFF, 0xFF, 1, 0]),
    CommandRow("Read Buffer Size leaves it to LE", .readBufferSize, [], [0, 0, 0, 0, 0, 0, 0, 0]),
    CommandRow("LE Read Buffer Size", .leReadBufferSize, [], [0, 251, 0, 16]),
    CommandRow(
        "LE features without extended advertising", .leReadLocalSupportedFeatures, [], [0, 0x2B, 1, 0, 0, 0, 0, 0, 0]),
    CommandRow(
        "LE features with extended advertising", isExtended: true, .leReadLocalSupportedFeatures, [],
        [0, 0x2B, 0x51, 0, 0, 0, 0, 0, 0]),
    CommandRow("LE-only features", .readLocalSupportedFeatures, [], [0, 0, 0, 0, 0, 0x60, 0, 0, 0]),
    CommandRow("all states", .leReadSupportedStates, [], [0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 3, 0, 0]),
    CommandRow("the size of the Filter Accept List", .leReadFilterAcceptListSize, [], [0, 16]),
    CommandRow("maximum data length", .leReadMaximumDataLength, [], [0, 251, 0, 0x48, 8, 251, 0, 0x48, 8]),
    CommandRow("suggested data length at first", .leReadSuggestedDefaultDataLength, [], [0, 27, 0, 0x48, 1]),
    CommandRow(
        "suggested data length as written", after: [(.leWriteSuggestedDefaultDataLength, u16(251) + u16(2120))],
        .leReadSuggestedDefaultDataLength, [], [0, 251, 0, 0x48, 8]),
    CommandRow("a suggested data length out of range", .leWriteSuggestedDefaultDataLength, u16(26) + u16(2120), [0x12]),
    CommandRow("RSSI of no connection", .readRSSI, u16(0x40), [0x02, 0x40, 0, 0]),
    CommandRow("disconnecting nothing", .disconnect, u16(0x40) + [0x13], [0x02]),
    CommandRow("features of nobody", .leReadRemoteFeatures, u16(0x40), [0x02]),
    CommandRow("PHY of nothing", .leReadPHY, u16(0x40), [0x02, 0x40, 0, 0, 0]),
    CommandRow("PHY for nothing", .leSetPHY, u16(0x40) + [0, 2, 2, 0, 0], [0x02]),
    CommandRow("data length of nothing", .leSetDataLength, u16(0x40) + u16(251) + u16(2120), [0x02, 0x40, 0]),

    CommandRow("scan parameters", .leSetScanParameters, [1] + u16(0x10) + u16(0x10) + [0, 0], [0]),
    CommandRow(
        "a scan window beyond its interval", .leSetScanParameters, [1] + u16(0x10) + u16(0x11) + [0, 0], [0x12]),
    CommandRow("a scan interval below 2.5 ms", .leSetScanParameters, [1] + u16(3) + u16(3) + [0, 0], [0x12]),
    CommandRow(
        "scan parameters during a scan", after: [scanOn], .leSetScanParameters,
        [1] + u16(0x10) + u16(0x10) + [0, 0], [0x0C]),
    CommandRow(
        "scanning from a random address that is not set",
        after: [(.leSetScanParameters, [1] + u16(0x10) + u16(0x10) + [1, 0])], .leSetScanEnable, [1, 0], [0x12]),
    CommandRow("stopping no scan", .leSetScanEnable, [0, 0], [0]),
    CommandRow("the random address during a scan", after: [scanOn], .leSetRandomAddress, random, [0x0C]),
    CommandRow("a scan enabled with 2", .leSetScanEnable, [2, 0], [0x12]),

    CommandRow("Create Connection", .leCreateConnection, create(), [0]),
    CommandRow("Create Connection twice", after: [initiateByList], .leCreateConnection, create(), [0x0C]),
    CommandRow("an interval below 7.5 ms", .leCreateConnection, create(interval: 5), [0x12]),
    CommandRow("a latency over 499", .leCreateConnection, create(latency: 500, timeout: 3200), [0x12]),
    CommandRow("a time-out shorter than the latency lets pass", .leCreateConnection, create(latency: 100), [0x12]),
    CommandRow("connecting from a random address that is not set", .leCreateConnection, create(own: 1), [0x12]),
    CommandRow("connecting from a random address", after: [randomAddress], .leCreateConnection, create(own: 1), [0]),
    CommandRow("private addresses are not offered", .leCreateConnection, create(own: 2), [0x11]),
    CommandRow("cancelling nothing", .leCreateConnectionCancel, [], [0x0C]),
    CommandRow("cancelling", after: [initiateByList], .leCreateConnectionCancel, [], [0]),
    CommandRow(
        "the list while it is initiated from", after: [initiateByList], .leAddDeviceToFilterAcceptList, peer, [0x0C]),
    CommandRow(
        "clearing the list while it is initiated from", after: [initiateByList], .leClearFilterAcceptList, [], [0x0C]),
    CommandRow(
        "the list during a direct connect", after: [(.leCreateConnection, create())],
        .leRemoveDeviceFromFilterAcceptList, peer, [0]),
    CommandRow(
        "the list while scanning with it",
        after: [(.leSetScanParameters, [1] + u16(0x10) + u16(0x10) + [0, 1]), scanOn],
        .leAddDeviceToFilterAcceptList, peer, [0x0C]),
    CommandRow("the list during a scan of everything", after: [scanOn], .leAddDeviceToFilterAcceptList, peer, [0]),
    CommandRow(
        "the list while advertising with it",
        after: [(.leSetAdvertisingParameters, advertise(filter: 2)), (.leSetAdvertisingEnable, [1])],
        .leAddDeviceToFilterAcceptList, peer, [0x0C]),
    CommandRow(
        "the seventeenth device",
        after: (0..<16).map { (.leAddDeviceToFilterAcceptList, [1, UInt8($0), 0, 0, 0, 0, 0xC0]) },
        .leAddDeviceToFilterAcceptList, peer, [0x07]),
    CommandRow(
        "a device that is in the full list already",
        after: (0..<16).map { (.leAddDeviceToFilterAcceptList, [1, UInt8($0), 0, 0, 0, 0, 0xC0]) },
        .leAddDeviceToFilterAcceptList, [1, 15, 0, 0, 0, 0, 0xC0], [0]),
    CommandRow("an address type that does not exist", .leAddDeviceToFilterAcceptList, [4, 0, 0, 0, 0, 0, 0], [0x12]),

    CommandRow("advertising parameters", .leSetAdvertisingParameters, advertise(), [0]),
    CommandRow("an advertising interval below 20 ms", .leSetAdvertisingParameters, advertise(interval: 0x1F), [0x12]),
    CommandRow("an advertising type that does not exist", .leSetAdvertisingParameters, advertise(type: 5), [0x12]),
    CommandRow(
        "advertising parameters while advertising", after: [(.leSetAdvertisingEnable, [1])],
        .leSetAdvertisingParameters, advertise(), [0x0C]),
    CommandRow(
        "advertising from a random address that is not set",
        after: [(.leSetAdvertisingParameters, advertise(own: 1))], .leSetAdvertisingEnable, [1], [0x12]),
    CommandRow(
        "32 octets of advertising data", .leSetAdvertisingData, [32] + [UInt8](repeating: 0, count: 31), [0x12]),
    CommandRow("advertising data without its padding", .leSetAdvertisingData, [3, 2, 1, 6], [0x12]),
    CommandRow(
        "advertising data", .leSetAdvertisingData, [3, 2, 1, 6] + [UInt8](repeating: 0, count: 28), [0]),

    CommandRow("extended commands where there are none", .leSetExtendedScanEnable, [0, 0, 0, 0, 0, 0], [0x01]),
    CommandRow(
        "legacy after extended", isExtended: true, after: [(.leSetExtendedScanEnable, [0, 0, 0, 0, 0, 0])],
        .leSetScanEnable, [0, 0], [0x0C]),
    CommandRow(
        "extended after legacy", isExtended: true, after: [(.leSetScanEnable, [0, 0])], .leSetExtendedScanEnable,
        [0, 0, 0, 0, 0, 0], [0x0C]),
    CommandRow(
        "extended after legacy and Reset", isExtended: true, after: [(.leSetScanEnable, [0, 0]), (.reset, [])],
        .leSetExtendedScanEnable, [0, 0, 0, 0, 0, 0], [0]),
    CommandRow(
        "scanning on Coded", isExtended: true, .leSetExtendedScanParameters, [0, 0, 4, 1, 16, 0, 16, 0], [0x11]),
    CommandRow("an extended set", isExtended: true, .leSetExtendedAdvertisingParameters, extendedSet(), [0, 0]),
    CommandRow(
        "legacy properties that do not exist", isExtended: true, .leSetExtendedAdvertisingParameters,
        extendedSet(properties: 0x11), [0x12, 0]),
    CommandRow(
        "connectable and scannable in extended PDUs", isExtended: true, .leSetExtendedAdvertisingParameters,
        extendedSet(properties: 3), [0x12, 0]),
    CommandRow(
        "a fifth set", isExtended: true,
        after: (0..<4).map { (.leSetExtendedAdvertisingParameters, extendedSet($0)) },
        .leSetExtendedAdvertisingParameters, extendedSet(4), [0x07, 0]),
    CommandRow(
        "data for no set", isExtended: true, .leSetExtendedAdvertisingData, [0, 3, 0, 3, 2, 1, 6], [0x42]),
    CommandRow(
        "an extended set without its random address", isExtended: true,
        after: [(.leSetExtendedAdvertisingParameters, extendedSet(own: 1))], .leSetExtendedAdvertisingEnable,
        [1, 1, 0, 0, 0, 0], [0x12]),
    CommandRow(
        "removing a set that advertises", isExtended: true,
        after: [
            (.leSetExtendedAdvertisingParameters, extendedSet()),
            (.leSetExtendedAdvertisingEnable, [1, 1, 0, 0, 0, 0]),
        ], .leRemoveAdvertisingSet, [0], [0x0C]),
    CommandRow("maximum advertising data", isExtended: true, .leReadMaximumAdvertisingDataLength, [], [0, 0x72, 6]),
    CommandRow("number of sets", isExtended: true, .leReadNumberOfSupportedAdvertisingSets, [], [0, 4]),
]

@Suite struct CommandTests {
    @Test(arguments: commandRows)
    func isAnsweredAsTheSpecificationSays(row: CommandRow) {
        let air = VirtualAir(seed: 1)
        let host = ScriptedHost(air, settings: ControllerSettings(extendedAdvertising: row.isExtended))
        for (opcode, parameters) in row.before { #expect(host.command(opcode, parameters).first == 0) }
        #expect(host.command(row.opcode, row.parameters) == row.answer)
    }

    @Test(arguments: [false, true], [UInt8(0), 8])
    func theSupportedCommandsAreTrue(isExtended: Bool, resolvingListSize: UInt8) throws {
        let air = VirtualAir(seed: 1)
        let host = ScriptedHost(
            air,
            settings: ControllerSettings(extendedAdvertising: isExtended, resolvingListSize: resolvingListSize))
        let bitmap = host.command(.readLocalSupportedCommands)
        #expect(bitmap.count == 65)
        let positions = VirtualController.commands.mapValues { [$0.octet, $0.bit] }
        #expect(Set(positions.values).count == positions.count, "each has a bit of its own")
        for (opcode, position) in positions {
            let isSaid = bitmap[1 + position[0]] >> position[1] & 1 == 1
            let answer = host.command(opcode)
            #expect(isSaid == (answer != [HCIStatus.unknownCommand.rawValue]), "\(opcode)")
        }
        let missing = (isExtended ? 0 : 12) + (resolvingListSize > 0 ? 0 : 9)
        #expect(bitmap[1...].reduce(0) { $0 + $1.nonzeroBitCount } == positions.count - missing)
    }

    @Test func eventsAreMaskedUntilTheHostWantsThem() throws {
        let air = VirtualAir(seed: 1)
        let host = ScriptedHost(air)
        _ = air.addSensor(sensor())
        host.command(.reset)
        host.command(.leSetScanEnable, [1, 0])
        host.run(.seconds(3))
        #expect(!host.packets.contains { $0[1] == 0x3E }, "LE Meta events are masked after Reset")
        host.command(.setEventMask, u64(0x3FFF_FFFF_FFFF_FFFF))
        _ = try host.event(.advertisingReport)
        host.command(.leSetEventMask, u64(0x1D))
        host.run(.seconds(1))
        let count = host.packets.count
        host.run(.seconds(3))
        #expect(host.packets.count == count, "advertising reports are masked")
    }

    @Test func connectionCompleteComesInTheFormTheHostUnmasked() throws {
        let air = VirtualAir(seed: 1)
        let host = ScriptedHost(air)
        host.setUp(leEventMask: 0x1F)
        host.command(.leCreateConnection, create())
        host.command(.leCreateConnectionCancel)
        #expect(try host.event(.connectionComplete).prefix(3) == [0x02, 0, 0])
        host.setUp(leEventMask: 0x3FF)
        host.command(.leCreateConnection, create())
        host.command(.leCreateConnectionCancel)
        #expect(try host.event(.enhancedConnectionComplete).count == 30)
    }

    @Test func commandsBeyondTheCreditsAreViolations() {
        let air = VirtualAir(seed: 1)
        let one = ScriptedHost(air)
        let reset: [UInt8] = [1, 0x03, 0x0C, 0]
        one.send(reset + reset)
        #expect(air.violations(of: one.id).count == 1)
        #expect(one.packets == [[4, 0x0E, 4, 0, 0x03, 0x0C, 0], [4, 0x0E, 4, 1, 0x03, 0x0C, 0]])
        let three = ScriptedHost(air, settings: ControllerSettings(commandCredits: 3))
        three.send(reset + reset + reset)
        #expect(air.violations(of: three.id).isEmpty)
        #expect(three.packets.map { $0[3] } == [1, 2, 3])
    }
}
