// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore

@testable import GATT

/// Servers whose answers break off.
extension OddServerTests {
    /// Answers with whole items and a part of another item.
    static let brokenOff = [
        Row(
            "all services", .discoverServices(nil),
            [
                .octets([0x11, 6, 1, 0, 5, 0, 0x0D, 0x18, 6, 0, 9]),
                .pdu(.readByGroupTypeResponse([group(6, 9, [0x1A, 0x18])])),
            ],
            .success(.services([service(heart, 1, 5), service(environment, 6, 9)])),
            [GATTOddity(.server, .cutAnswer, at: 1)]),
        Row(
            "services by UUID", .discoverServices([heart]), [.octets([0x07, 1, 0, 5, 0, 6])],
            .success(.services([service(heart, 1, 5)])), [GATTOddity(.server, .cutAnswer, at: 1)]),
        Row(
            "included services", .discoverIncludedServices(range),
            [.octets([0x09, 8, 0x21, 0, 1, 0, 5, 0, 0x1A, 0x18, 0x22])],
            .success(.services([service(environment, 1, 5)])), [GATTOddity(.server, .cutAnswer, at: 0x21)]),
        Row(
            "characteristics", .discoverCharacteristics(range, nil),
            [
                .octets([0x09, 7, 0x21, 0, 0x12, 0x22, 0, 0x6E, 0x2A, 0x24, 0, 0x12]),
                .pdu(.readByTypeResponse([declaration(0x24, value: 0x25, 0x6F)])),
            ],
            .success(
                .characteristics([found(temperature, value: 0x22, end: 0x23), found(humidity, value: 0x25, end: 0x2F)])),
            [GATTOddity(.server, .cutAnswer, at: 0x21)]),
        Row(
            "descriptors", .discoverDescriptors(range), [.octets([0x05, 1, 0x23, 0, 0x02, 0x29, 0x24])],
            .success(.descriptors([.init(handle: 0x23, type: GATTClientMachineTests.cccd)])),
            [GATTOddity(.server, .cutAnswer, at: 0x23)]),
    ]
}
