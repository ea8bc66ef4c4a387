// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import GATT
import Testing

/// Reads and writes of several values, and a server's possible errors in them.
struct ClientProcedureTests {
    typealias Script = GATTClientMachineTests.Script
    typealias Value = ATTPDU.AttributeValue

    static func done(_ response: GATTResponse) -> GATTClientMachine.Effect { GATTClientMachineTests.done(1, response) }
    static func failed(_ error: GATTError) -> GATTClientMachine.Effect { GATTClientMachineTests.failed(1, error) }
    static func error(_ request: ATTOpcode, _ code: ATTErrorCode) -> ATTPDU {
        GATTClientMachineTests.error(request, code)
    }

    static let long = SampleUUID.long
    static let type = BluetoothUUID(UInt16(0x2A19))
    static let range = ATTPDU.HandleRange(start: 3, end: 20)
    static let twentyTwo = [UInt8](repeating: 7, count: 22)

    static let reads = [
        Script(
            testDescription: "multiple values come in one",
            steps: [
                (.request(1, .readMultiple(handles: [3, 5])), [.send(.readMultipleRequest(handles: [3, 5]))]),
                (.response(.readMultipleResponse([1, 2, 3])), [done(.value([1, 2, 3]))]),
            ]),
        Script(
            testDescription: "handles that are too few or too many for a PDU are not sent",
            steps: [
                (.request(1, .readMultiple(handles: [3])), [failed(.refused(.invalidPDU))]),
                (
                    .request(1, .readMultipleVariable(handles: [UInt16](repeating: 3, count: 12))),
                    [failed(.refused(.invalidPDU))]
                ),
            ]),
        Script(
            testDescription: "values of variable length come with their handles",
            steps: [
                (
                    .request(1, .readMultipleVariable(handles: [3, 5])),
                    [.send(.readMultipleVariableRequest(handles: [3, 5]))]
                ),
                (
                    .response(.readMultipleVariableResponse([[1], []])),
                    [done(.values([Value(handle: 3, value: [1]), Value(handle: 5, value: [])]))]
                ),
            ]),
        Script(
            testDescription: "values that a full answer cut or left out are read singly",
            steps: [
                (
                    .request(1, .readMultipleVariable(handles: [3, 5, 6])),
                    [.send(.readMultipleVariableRequest(handles: [3, 5, 6]))]
                ),
                // 1 + (2 + 1) + (2 + 17) = 23 octets, and the third has no room.
                (
                    .response(.readMultipleVariableResponse([[1], [UInt8](repeating: 2, count: 17)])),
                    [.send(.readRequest(handle: 5))]
                ),
                (.response(.readResponse(twentyTwo)), [.send(.readBlobRequest(handle: 5, offset: 22))]),
                (.response(.readBlobResponse([9])), [.send(.readRequest(handle: 6))]),
                (
                    .response(.readResponse([6])),
                    [
                        done(
                            .values([
                                Value(handle: 3, value: [1]), Value(handle: 5, value: twentyTwo + [9]),
                                Value(handle: 6, value: [6]),
                            ]))
                    ]
                ),
            ]),
        Script(
            testDescription: "fewer or more values than were asked for make no sense",
            steps: [
                (
                    .request(1, .readMultipleVariable(handles: [3, 5])),
                    [.send(.readMultipleVariableRequest(handles: [3, 5]))]
                ),
                (.response(.readMultipleVariableResponse([[1]])), [failed(.malformed)]),
                (
                    .request(1, .readMultipleVariable(handles: [3, 5])),
                    [.send(.readMultipleVariableRequest(handles: [3, 5]))]
                ),
                (.response(.readMultipleVariableResponse([[1], [2], [3]])), [failed(.malformed)]),
            ]),
        Script(
            testDescription: "a value that is cut though there is room for more of it makes no sense",
            steps: [
                (
                    .request(1, .readMultipleVariable(handles: [3, 5])),
                    [.send(.readMultipleVariableRequest(handles: [3, 5]))]
                ),
                (.response(.readMultipleVariableResponse([[1], [2]], isCut: true)), [failed(.malformed)]),
            ]),
        Script(
            testDescription: "all values of a type are read to the end of the range",
            steps: [
                (
                    .request(1, .readAll(type, in: range)),
                    [.send(.readByTypeRequest(start: 3, end: 20, type: type))]
                ),
                (
                    .response(.readByTypeResponse([Value(handle: 4, value: [1]), Value(handle: 7, value: [2])])),
                    [.send(.readByTypeRequest(start: 8, end: 20, type: type))]
                ),
                (
                    .response(error(.readByTypeRequest, .attributeNotFound)),
                    [done(.values([Value(handle: 4, value: [1]), Value(handle: 7, value: [2])]))]
                ),
            ]),
        Script(
            testDescription: "values outside the range, or before the last ones, make no sense",
            steps: [
                (
                    .request(1, .readAll(type, in: range)),
                    [.send(.readByTypeRequest(start: 3, end: 20, type: type))]
                ),
                (.response(.readByTypeResponse([Value(handle: 21, value: [1])])), [failed(.malformed)]),
                (
                    .request(1, .readAll(type, in: range)),
                    [.send(.readByTypeRequest(start: 3, end: 20, type: type))]
                ),
                (
                    .response(.readByTypeResponse([Value(handle: 4, value: [1]), Value(handle: 4, value: [2])])),
                    [failed(.malformed)]
                ),
                (
                    .request(1, .readAll(type, in: ATTPDU.HandleRange(start: 9, end: 3))),
                    [failed(.refused(.invalidHandle))]
                ),
            ]),
        Script(
            testDescription: "a service is found by its 128-bit UUID",
            steps: [
                (
                    .request(1, .discoverServices([long])),
                    [
                        .send(
                            .findByTypeValueRequest(start: 1, end: 0xFFFF, type: 0x2800, value: long.attributeOctets))
                    ]
                ),
                (
                    .response(.findByTypeValueResponse([.init(start: 16, end: 0xFFFF)])),
                    [done(.services([RemoteService(uuid: long, handles: .init(start: 16, end: 0xFFFF))]))]
                ),
            ]),
        Script(
            testDescription: "descriptors with long and short UUIDs are found together",
            steps: [
                (.request(1, .discoverDescriptors(range)), [.send(.findInformationRequest(start: 3, end: 20))]),
                (
                    .response(.findInformationResponse([.init(handle: 3, type: type)])),
                    [.send(.findInformationRequest(start: 4, end: 20))]
                ),
                (
                    .response(.findInformationResponse([.init(handle: 20, type: long)])),
                    [done(.descriptors([.init(handle: 3, type: type), .init(handle: 20, type: long)]))]
                ),
            ]),
    ]

    static let first = Value(handle: 4, value: [1, 2])
    static let second = Value(handle: 8, value: [UInt8](repeating: 3, count: 20))

    static let writes = [
        Script(
            testDescription: "reliable writes are prepared, compared and executed together",
            steps: [
                (
                    .request(1, .reliableWrite([first, second])),
                    [.send(.prepareWriteRequest(handle: 4, offset: 0, value: [1, 2]))]
                ),
                (
                    .response(.prepareWriteResponse(handle: 4, offset: 0, value: [1, 2])),
                    [.send(.prepareWriteRequest(handle: 8, offset: 0, value: [UInt8](repeating: 3, count: 18)))]
                ),
                (
                    .response(.prepareWriteResponse(handle: 8, offset: 0, value: [UInt8](repeating: 3, count: 18))),
                    [.send(.prepareWriteRequest(handle: 8, offset: 18, value: [3, 3]))]
                ),
                (
                    .response(.prepareWriteResponse(handle: 8, offset: 18, value: [3, 3])),
                    [.send(.executeWriteRequest(commit: true))]
                ),
                (.response(.executeWriteResponse), [done(.written)]),
            ]),
        Script(
            testDescription: "reliable writes are cancelled when a handle or a value comes back wrong",
            steps: [
                (
                    .request(1, .reliableWrite([first])),
                    [.send(.prepareWriteRequest(handle: 4, offset: 0, value: [1, 2]))]
                ),
                (
                    .response(.prepareWriteResponse(handle: 5, offset: 0, value: [1, 2])),
                    [.send(.executeWriteRequest(commit: false))]
                ),
                (.response(.executeWriteResponse), [failed(.malformed)]),
            ]),
        Script(
            testDescription: "a refusal half-way cancels what was prepared",
            steps: [
                (
                    .request(1, .reliableWrite([first, second])),
                    [.send(.prepareWriteRequest(handle: 4, offset: 0, value: [1, 2]))]
                ),
                (
                    .response(.prepareWriteResponse(handle: 4, offset: 0, value: [1, 2])),
                    [.send(.prepareWriteRequest(handle: 8, offset: 0, value: [UInt8](repeating: 3, count: 18)))]
                ),
                (
                    .response(error(.prepareWriteRequest, .prepareQueueFull)),
                    [.send(.executeWriteRequest(commit: false))]
                ),
                (.response(.executeWriteResponse), [failed(.refused(.prepareQueueFull))]),
            ]),
        Script(
            testDescription: "an answer that cannot be read cancels what may have been prepared",
            steps: [
                (
                    .request(1, .reliableWrite([first])),
                    [.send(.prepareWriteRequest(handle: 4, offset: 0, value: [1, 2]))]
                ),
                (.octets([0x17, 0x04]), [.send(.executeWriteRequest(commit: false))]),
                (.octets([0x01]), [failed(.malformed)]),
            ]),
        Script(
            testDescription: "nothing to write is written",
            steps: [(.request(1, .reliableWrite([])), [done(.written)])]),
        Script(
            testDescription: "nothing is sent after a time-out",
            steps: [
                (.request(1, .read(handle: 3)), [.send(.readRequest(handle: 3))]),
                (.seconds(30), [failed(.timedOut), .closeBearer]),
                (.request(1, .read(handle: 3)), [failed(.timedOut)]),
                (.response(.readResponse([1])), []),
            ]),
    ]

    @Test(arguments: [(20, true), (21, false)])
    func `a value that fits into one request is written with one`(count: Int, isWhole: Bool) {
        var machine = GATTClientMachine(ownMTU: 23)
        _ = machine.start(without: [.mtuExchange], at: .zero)
        let value = [UInt8](repeating: 9, count: count)
        let pdu: ATTPDU =
            isWhole
            ? .writeRequest(handle: 4, value: value)
            : .prepareWriteRequest(handle: 4, offset: 0, value: Array(value.prefix(18)))
        let effects = machine.request(.write(handle: 4, value: value), id: GATTRequestID(rawValue: 1), at: .zero)
        #expect(effects == [.send(pdu)])
    }

    @Test(arguments: reads + writes) func script(_ script: Script) {
        GATTClientMachineTests().script(script)
    }
}
