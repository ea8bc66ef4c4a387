// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore

@testable import GATT

/// Servers that are odd about the descriptor that switches values on.
extension OddServerTests {
    private static func refusedSearch(_ further: GATTOddity...) -> [GATTOddity] {
        [GATTOddity(.descriptor, .refused(.invalidHandle), at: 0x23)] + further
    }

    static let configurations = [
        Row(
            "a descriptor that an odd search does not show is found by its type",
            .configure(valueHandle: 0x22, endHandle: 0x26, .notification),
            [
                .pdu(.findInformationResponse([.init(handle: 1, type: BluetoothUUID(0x2901 as UInt16))])),
                .pdu(.readByTypeResponse([Value(handle: 0x24, value: [0, 0])])), .pdu(.writeResponse),
            ],
            .success(.written),
            [GATTOddity(.descriptor, .handleOutOfRange, at: 1), GATTOddity(.descriptor, .endless, at: 0x23)]),
        Row(
            "a descriptor that is found by its type",
            .configure(valueHandle: 0x22, endHandle: 0x26, .notification),
            [
                .error(.invalidHandle), .pdu(.readByTypeResponse([Value(handle: 0x24, value: [0, 0])])),
                .pdu(.writeResponse),
            ],
            .success(.written), refusedSearch()),
        Row(
            "a descriptor that is found behind the value",
            .configure(valueHandle: 0x22, endHandle: 0x26, .notification),
            [
                .error(.invalidHandle), .error(.requestNotSupported), .pdu(.readResponse([0, 0])),
                .pdu(.writeResponse),
            ],
            .success(.written), refusedSearch()),
        Row(
            "another descriptor behind the value", .configure(valueHandle: 0x22, endHandle: 0x26, .notification),
            [.error(.invalidHandle), .error(.requestNotSupported), .pdu(.readResponse(Array("Status".utf8)))],
            .success(.unconfigured), refusedSearch(GATTOddity(.descriptor, .noConfiguration, at: 0x22))),
        Row(
            "a descriptor behind the value that is not for reading",
            .configure(valueHandle: 0x22, endHandle: 0x26, .notification),
            [.error(.invalidHandle), .error(.requestNotSupported), .error(.readNotPermitted)],
            .success(.unconfigured), refusedSearch(GATTOddity(.descriptor, .noConfiguration, at: 0x22))),
        Row(
            "a descriptor that is tried behind the value, and refused",
            .configure(valueHandle: 0x22, endHandle: 0x26, .notification),
            [.error(.invalidHandle), .error(.requestNotSupported), .error(.invalidHandle), .error(.writeNotPermitted)],
            .success(.unconfigured), refusedSearch(GATTOddity(.descriptor, .noConfiguration, at: 0x22))),
        Row(
            "a server that searched for the type and found none is believed",
            .configure(valueHandle: 0x22, endHandle: 0x26, .notification),
            [.error(.invalidHandle), .error(.attributeNotFound)],
            .success(.unconfigured), refusedSearch(GATTOddity(.descriptor, .noConfiguration, at: 0x22))),
        Row(
            "a search by type that wants encryption", .configure(valueHandle: 0x22, endHandle: 0x26, .notification),
            [.error(.invalidHandle), .error(.insufficientEncryption)],
            .failure(.refused(.insufficientEncryption)), refusedSearch()),
        Row(
            "a descriptor behind the value that wants authentication",
            .configure(valueHandle: 0x22, endHandle: 0x26, .notification),
            [.error(.invalidHandle), .error(.unlikelyError), .error(.insufficientAuthentication)],
            .failure(.refused(.insufficientAuthentication)), refusedSearch()),
    ]
}
