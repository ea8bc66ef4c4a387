// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import GATT

/// Behaviour of other stacks' servers that the Core Specification does not demand.
extension GATTClientMachineTests {
    static let otherStacks = [
        Script(
            testDescription: "a short UUID that a server has declared in 128 bits is found",
            steps: [
                (
                    .request(1, .discoverServices([heartRate, SampleUUID.long])),
                    [.send(.findByTypeValueRequest(start: 1, end: 0xFFFF, type: 0x2800, value: [0x0D, 0x18]))]
                ),
                (
                    .response(error(.findByTypeValueRequest, .attributeNotFound)),
                    [
                        .send(
                            .findByTypeValueRequest(
                                start: 1, end: 0xFFFF, type: 0x2800,
                                value: [
                                    0xFB, 0x34, 0x9B, 0x5F, 0x80, 0, 0, 0x80, 0, 0x10, 0, 0, 0x0D, 0x18, 0, 0,
                                ]))
                    ]
                ),
                (
                    .response(.findByTypeValueResponse([.init(start: 20, end: 30)])),
                    [
                        .send(
                            .findByTypeValueRequest(start: 31, end: 0xFFFF, type: 0x2800, value: heartRate.longOctets))
                    ]
                ),
                (
                    .response(error(.findByTypeValueRequest, .attributeNotFound)),
                    [
                        .send(
                            .findByTypeValueRequest(
                                start: 1, end: 0xFFFF, type: 0x2800, value: SampleUUID.long.attributeOctets))
                    ]
                ),
                (
                    .response(error(.findByTypeValueRequest, .attributeNotFound)),
                    [done(1, .services([RemoteService(uuid: heartRate, handles: .init(start: 20, end: 30))]))]
                ),
            ]),
        Script(
            testDescription: "a value whose type a server has declared in 128 bits is read",
            steps: [
                (
                    .request(1, .readByType(measurement)),
                    [.send(.readByTypeRequest(start: 1, end: 0xFFFF, type: measurement))]
                ),
                (
                    .response(error(.readByTypeRequest, .attributeNotFound)),
                    [
                        .send(
                            .unknown(
                                opcode: .readByTypeRequest,
                                parameters: [1, 0, 0xFF, 0xFF] + [
                                    0xFB, 0x34, 0x9B, 0x5F, 0x80, 0, 0, 0x80, 0, 0x10, 0, 0, 0x37, 0x2A, 0, 0,
                                ]))
                    ]
                ),
                (.response(.readByTypeResponse([.init(handle: 9, value: [7])])), [done(1, .value([7]))]),
                (
                    .request(2, .readByType(measurement)),
                    [.send(.readByTypeRequest(start: 1, end: 0xFFFF, type: measurement))]
                ),
                (
                    .response(error(.readByTypeRequest, .attributeNotFound)),
                    [.send(.readByTypeRequest(start: 1, end: 0xFFFF, longType: measurement))]
                ),
                (
                    .response(error(.readByTypeRequest, .attributeNotFound)),
                    [failed(2, .refused(.attributeNotFound))]
                ),
            ]),
        Script(
            testDescription: "of a response that is too long, what the MTU allows is taken",
            steps: [
                (.request(1, .read(handle: 4)), [.send(.readRequest(handle: 4))]),
                (
                    .response(.readResponse([UInt8](repeating: 1, count: 23))),
                    [.send(.readBlobRequest(handle: 4, offset: 22))]
                ),
                (
                    .response(.readBlobResponse([UInt8](repeating: 2, count: 40))),
                    [.send(.readBlobRequest(handle: 4, offset: 44))]
                ),
                (
                    .response(.readBlobResponse([3])),
                    [
                        done(
                            1,
                            .value([UInt8](repeating: 1, count: 22) + [UInt8](repeating: 2, count: 22) + [3]))
                    ]
                ),
            ]),
    ]
}
