// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import GATT
import Testing

struct GATTClientMachineTests {
    typealias Effect = GATTClientMachine.Effect

    enum Step: Sendable {
        case request(UInt64, GATTRequest)
        case response(ATTPDU)
        case octets([UInt8])
        case seconds(Int)
        case fail(GATTError)
    }

    struct Script: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let steps: [(Step, [Effect])]
    }

    static let service = ATTPDU.HandleRange(start: 1, end: 9)
    static let primary = BluetoothUUID(UInt16(0x2800))
    static let characteristic = BluetoothUUID(UInt16(0x2803))
    static let heartRate = BluetoothUUID(UInt16(0x180D))
    static let measurement = BluetoothUUID(UInt16(0x2A37))
    static let cccd = BluetoothUUID(UInt16(0x2902))

    static func done(_ id: UInt64, _ response: GATTResponse) -> Effect {
        .completed(GATTRequestID(rawValue: id), .success(response))
    }
    static func failed(_ id: UInt64, _ error: GATTError) -> Effect {
        .completed(GATTRequestID(rawValue: id), .failure(error))
    }
    static func error(_ request: ATTOpcode, _ code: ATTErrorCode) -> ATTPDU {
        .errorResponse(request: request, handle: 1, error: code)
    }

    static let scripts = [
        Script(
            testDescription: "all services are discovered until attribute not found",
            steps: [
                (
                    .request(1, .discoverServices(nil)),
                    [.send(.readByGroupTypeRequest(start: 1, end: 0xFFFF, type: primary))]
                ),
                (
                    .response(.readByGroupTypeResponse([.init(start: 1, end: 9, value: [0x0D, 0x18])])),
                    [.send(.readByGroupTypeRequest(start: 10, end: 0xFFFF, type: primary))]
                ),
                (
                    .response(error(.readByGroupTypeRequest, .attributeNotFound)),
                    [done(1, .services([RemoteService(uuid: heartRate, handles: service)]))]
                ),
            ]),
        Script(
            testDescription: "services by UUID are asked for one after the other",
            steps: [
                (
                    .request(1, .discoverServices([heartRate, measurement])),
                    [.send(.findByTypeValueRequest(start: 1, end: 0xFFFF, type: 0x2800, value: [0x0D, 0x18]))]
                ),
                (
                    .response(.findByTypeValueResponse([.init(start: 20, end: 0xFFFF)])),
                    [.send(.findByTypeValueRequest(start: 1, end: 0xFFFF, type: 0x2800, value: [0x37, 0x2A]))]
                ),
                (
                    .response(error(.findByTypeValueRequest, .attributeNotFound)),
                    [
                        .send(
                            .findByTypeValueRequest(
                                start: 1, end: 0xFFFF, type: 0x2800, value: measurement.longOctets))
                    ]
                ),
                (
                    .response(error(.findByTypeValueRequest, .attributeNotFound)),
                    [
                        done(
                            1,
                            .services([
                                RemoteService(uuid: heartRate, handles: .init(start: 20, end: 0xFFFF))
                            ]))
                    ]
                ),
            ]),
        Script(
            testDescription: "a server that goes back to where it was does not lead us round for ever",
            steps: [
                (
                    .request(1, .discoverServices(nil)),
                    [.send(.readByGroupTypeRequest(start: 1, end: 0xFFFF, type: primary))]
                ),
                (
                    .response(.readByGroupTypeResponse([.init(start: 5, end: 9, value: [0x0D, 0x18])])),
                    [.send(.readByGroupTypeRequest(start: 10, end: 0xFFFF, type: primary))]
                ),
                // The answer before may have come twice: the client waits for another answer.
                (.response(.readByGroupTypeResponse([.init(start: 5, end: 9, value: [0x0D, 0x18])])), []),
                (.seconds(5), [done(1, .services([RemoteService(uuid: heartRate, handles: .init(start: 5, end: 9))]))]),
            ]),
        Script(
            testDescription: "a characteristic ends where the next one begins",
            steps: [
                (
                    .request(1, .discoverCharacteristics(service, [measurement])),
                    [.send(.readByTypeRequest(start: 1, end: 9, type: characteristic))]
                ),
                (
                    .response(
                        .readByTypeResponse([
                            .init(handle: 2, value: [0x10, 3, 0, 0x37, 0x2A]),
                            .init(handle: 5, value: [0x02, 6, 0, 0x38, 0x2A]),
                        ])),
                    [.send(.readByTypeRequest(start: 6, end: 9, type: characteristic))]
                ),
                (
                    .response(error(.readByTypeRequest, .attributeNotFound)),
                    [
                        done(
                            1,
                            .characteristics([
                                RemoteCharacteristic(
                                    uuid: measurement, properties: 0x10, valueHandle: 3, endHandle: 4)
                            ]))
                    ]
                ),
            ]),
        Script(
            testDescription: "a long value is read in parts",
            steps: [
                (.request(1, .read(handle: 3)), [.send(.readRequest(handle: 3))]),
                (
                    .response(.readResponse([UInt8](repeating: 1, count: 22))),
                    [.send(.readBlobRequest(handle: 3, offset: 22))]
                ),
                (
                    .response(.readBlobResponse([2, 2])),
                    [done(1, .value([UInt8](repeating: 1, count: 22) + [2, 2]))]
                ),
            ]),
        Script(
            testDescription: "a value of just one PDU ends with attribute not long",
            steps: [
                (.request(1, .read(handle: 3)), [.send(.readRequest(handle: 3))]),
                (
                    .response(.readResponse([UInt8](repeating: 1, count: 22))),
                    [.send(.readBlobRequest(handle: 3, offset: 22))]
                ),
                (
                    .response(error(.readBlobRequest, .attributeNotLong)),
                    [done(1, .value([UInt8](repeating: 1, count: 22)))]
                ),
            ]),
        Script(
            testDescription: "a long write is prepared, compared and executed",
            steps: [
                (
                    .request(1, .write(handle: 4, value: [UInt8](repeating: 9, count: 25))),
                    [.send(.prepareWriteRequest(handle: 4, offset: 0, value: [UInt8](repeating: 9, count: 18)))]
                ),
                (
                    .response(.prepareWriteResponse(handle: 4, offset: 0, value: [UInt8](repeating: 9, count: 18))),
                    [.send(.prepareWriteRequest(handle: 4, offset: 18, value: [UInt8](repeating: 9, count: 7)))]
                ),
                (
                    .response(.prepareWriteResponse(handle: 4, offset: 18, value: [UInt8](repeating: 9, count: 7))),
                    [.send(.executeWriteRequest(commit: true))]
                ),
                (.response(.executeWriteResponse), [done(1, .written)]),
            ]),
        Script(
            testDescription: "a long write whose echo differs is cancelled as a whole",
            steps: [
                (
                    .request(1, .write(handle: 4, value: [UInt8](repeating: 9, count: 25))),
                    [.send(.prepareWriteRequest(handle: 4, offset: 0, value: [UInt8](repeating: 9, count: 18)))]
                ),
                (
                    .response(.prepareWriteResponse(handle: 4, offset: 0, value: [1])),
                    [.send(.executeWriteRequest(commit: false))]
                ),
                (.response(.executeWriteResponse), [failed(1, .malformed)]),
            ]),
        Script(
            testDescription: "a subscription finds its descriptor and writes it",
            steps: [
                (
                    .request(1, .configure(valueHandle: 3, endHandle: 5, .notification)),
                    [.send(.findInformationRequest(start: 4, end: 5))]
                ),
                (
                    .response(.findInformationResponse([.init(handle: 4, type: cccd)])),
                    [.send(.writeRequest(handle: 4, value: [1, 0]))]
                ),
                (.response(.writeResponse), [done(1, .written)]),
            ]),
        Script(
            testDescription: "a characteristic without the descriptor is listened to",
            steps: [
                (
                    .request(1, .configure(valueHandle: 3, endHandle: 5, .indication)),
                    [.send(.findInformationRequest(start: 4, end: 5))]
                ),
                (
                    .response(error(.findInformationRequest, .attributeNotFound)), [done(1, .unconfigured)]
                ),
                (.request(2, .configure(valueHandle: 5, endHandle: 5, .notification)), [done(2, .unconfigured)]),
            ]),
        Script(
            testDescription: "a second request waits for the first response",
            steps: [
                (.request(1, .read(handle: 3)), [.send(.readRequest(handle: 3))]),
                (.request(2, .read(handle: 4)), []),
                (.response(.readResponse([1])), [done(1, .value([1])), .send(.readRequest(handle: 4))]),
                (.response(error(.readRequest, .readNotPermitted)), [failed(2, .refused(.readNotPermitted))]),
            ]),
        Script(
            testDescription: "no response for 30 s closes the bearer and fails everything",
            steps: [
                (.request(1, .read(handle: 3)), [.send(.readRequest(handle: 3))]),
                (.request(2, .read(handle: 4)), []),
                (.seconds(29), []),
                (.seconds(30), [failed(1, .timedOut), failed(2, .notSent), .closeBearer]),
            ]),
        Script(
            testDescription: "responses that nobody asked for are ignored",
            steps: [
                (.response(.writeResponse), []),
                (.request(1, .read(handle: 3)), [.send(.readRequest(handle: 3))]),
                (.response(.writeResponse), []),
                (.response(.readResponse([5])), [done(1, .value([5]))]),
                (.response(error(.readRequest, .invalidHandle)), []),
            ]),
        Script(
            testDescription: "a response that cannot be read fails its request, and the next one runs",
            steps: [
                (
                    .request(1, .discoverServices(nil)),
                    [.send(.readByGroupTypeRequest(start: 1, end: 0xFFFF, type: primary))]
                ),
                (.request(2, .read(handle: 4)), []),
                (.octets([0x11, 0x00]), [.send(.readByTypeRequest(start: 1, end: 0xFFFF, type: primary))]),
                (.octets([0x09, 0x00]), [failed(1, .malformed), .send(.readRequest(handle: 4))]),
            ]),
        Script(
            testDescription: "a lost link fails what runs and what waits",
            steps: [
                (.request(1, .read(handle: 3)), [.send(.readRequest(handle: 3))]),
                (.request(2, .read(handle: 4)), []),
                (.fail(.disconnected), [failed(1, .disconnected), failed(2, .notSent)]),
            ]),
        Script(
            testDescription: "an included service with a long UUID has its declaration read",
            steps: [
                (
                    .request(1, .discoverIncludedServices(service)),
                    [.send(.readByTypeRequest(start: 1, end: 9, type: BluetoothUUID(UInt16(0x2802))))]
                ),
                (
                    .response(.readByTypeResponse([.init(handle: 9, value: [20, 0, 30, 0])])),
                    [.send(.readRequest(handle: 20))]
                ),
                (
                    .response(.readResponse(SampleUUID.long.attributeOctets)),
                    [
                        done(
                            1,
                            .services([
                                RemoteService(uuid: SampleUUID.long, handles: .init(start: 20, end: 30))
                            ]))
                    ]
                ),
            ]),
    ]

    @Test(arguments: scripts + otherStacks) func script(_ script: Script) {
        let start = MonotonicTime(nanoseconds: 0)
        var machine = GATTClientMachine(ownMTU: 517)
        #expect(machine.start(at: start) == [.send(.exchangeMTURequest(mtu: 517))])
        let refusal = Self.error(.exchangeMTURequest, .requestNotSupported)
        #expect(machine.received(refusal.encoded[...], at: start) == [])
        #expect(machine.mtu == 23)
        for (step, expected) in script.steps {
            let effects: [Effect] =
                switch step {
                case .request(let id, let request):
                    machine.request(request, id: GATTRequestID(rawValue: id), at: start)
                case .response(let pdu): machine.received(pdu.encoded[...], at: start)
                case .octets(let octets): machine.received(octets[...], at: start)
                case .seconds(let seconds): machine.expire(at: start + .seconds(seconds))
                case .fail(let error): machine.fail(error)
                }
            #expect(effects == expected)
        }
    }

    @Test(arguments: [(5, 23), (23, 23), (185, 185), (517, 517), (65_535, 517)])
    func `the MTU is the smaller of both, and never below 23`(theirs: Int, used: Int) {
        var machine = GATTClientMachine(ownMTU: 517)
        _ = machine.start(at: .zero)
        let response = ATTPDU.exchangeMTUResponse(mtu: UInt16(theirs))
        #expect(machine.received(response.encoded[...], at: .zero) == [.mtuExchanged(used)])
    }

    @Test func `the queue of requests is bounded`() {
        var machine = GATTClientMachine(ownMTU: 517)
        _ = machine.start(at: .zero)
        for id in 0..<UInt64(GATTClientMachine.capacity) {
            #expect(machine.request(.read(handle: 1), id: GATTRequestID(rawValue: id), at: .zero) == [])
        }
        #expect(
            machine.request(.read(handle: 1), id: GATTRequestID(rawValue: 99), at: .zero) == [
                Self.failed(99, .queueFull)
            ])
    }

    @Test func `random answers never trap and never run for ever`() {
        for seed in 0..<300 {
            var machine = GATTClientMachine(ownMTU: 517)
            var effects = machine.start(with: nil, isBonded: seed % 5 == 0, at: .zero)
            let requests: [GATTRequest] = [
                .discoverServices(nil), .discoverServices([Self.heartRate]), .discoverIncludedServices(Self.service),
                .discoverCharacteristics(Self.service, nil), .discoverDescriptors(Self.service), .read(handle: 3),
                .write(handle: 3, value: [UInt8](repeating: 1, count: 100)),
                .reliableWrite([.init(handle: 3, value: [1, 2]), .init(handle: 4, value: [3])]),
                .readMultiple(handles: [3, 4]), .readMultipleVariable(handles: [3, 4]), .watchServices,
                .readAll(Self.measurement, in: Self.service),
                .configure(valueHandle: 3, endHandle: 0xFFFF, .notification),
            ]
            for (index, request) in requests.enumerated() {
                effects += machine.request(request, id: GATTRequestID(rawValue: UInt64(index)), at: .zero)
            }
            var rounds = 0
            while rounds < 20_000,
                case .send(let pdu)? = effects.last(where: { if case .send = $0 { true } else { false } })
            {
                rounds += 1
                let opcode = seed % 3 == 0 ? UInt8.random(in: 0...30) : pdu.opcode.rawValue + 1
                let body = (0..<Int.random(in: 0...25)).map { _ in UInt8.random(in: 0...(seed % 2 == 0 ? 255 : 9)) }
                effects = machine.received(([opcode] + body)[...], at: .zero)
            }
            #expect(rounds < 20_000)
        }
    }
}
