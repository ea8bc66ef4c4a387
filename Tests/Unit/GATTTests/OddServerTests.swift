// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import Testing

@testable import GATT

/// Servers that declare, answer or refuse against Core 5.4, Vol 3, Part G. Each discovery keeps the usable items, leaves the odd item out,
/// ends, and reports the oddity.
struct OddServerTests {
    /// A server's answers to one discovery.
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let request: GATTRequest
        /// The answers, in order. Attribute Not Found follows the last answer.
        let answers: [Answer]
        let result: Result<GATTResponse, GATTError>
        let oddities: [GATTOddity]

        init(
            _ text: String, _ request: GATTRequest, _ answers: [Answer], _ result: Result<GATTResponse, GATTError>,
            _ oddities: [GATTOddity]
        ) {
            (testDescription, self.request, self.answers) = (text, request, answers)
            (self.result, self.oddities) = (result, oddities)
        }
    }

    enum Answer: Sendable {
        case pdu(ATTPDU)
        case octets([UInt8])
        case error(ATTErrorCode)
    }

    typealias Value = ATTPDU.AttributeValue
    typealias Range = ATTPDU.HandleRange

    static let heart = BluetoothUUID(0x180D as UInt16)
    static let environment = BluetoothUUID(0x181A as UInt16)
    static let temperature = BluetoothUUID(0x2A6E as UInt16)
    static let humidity = BluetoothUUID(0x2A6F as UInt16)
    static let range = Range(start: 0x20, end: 0x2F)

    static func service(_ uuid: BluetoothUUID, _ start: UInt16, _ end: UInt16) -> RemoteService {
        RemoteService(uuid: uuid, handles: Range(start: start, end: end))
    }

    static func group(_ start: UInt16, _ end: UInt16, _ value: [UInt8]) -> ATTPDU.GroupValue {
        ATTPDU.GroupValue(start: start, end: end, value: value)
    }

    /// A declaration of temperature (6E) or humidity (6F).
    static func declaration(_ handle: UInt16, value: UInt16, _ low: UInt8) -> Value {
        Value(handle: handle, value: [0x12, UInt8(value & 0xFF), UInt8(value >> 8), low, 0x2A])
    }

    static func found(_ uuid: BluetoothUUID, value: UInt16, end: UInt16) -> RemoteCharacteristic {
        RemoteCharacteristic(uuid: uuid, properties: 0x12, valueHandle: value, endHandle: end)
    }

    static let services = [
        Row(
            "a service whose UUID has four octets", .discoverServices(nil),
            [.pdu(.readByGroupTypeResponse([group(1, 5, [1, 2, 3, 4]), group(6, 9, [1, 2, 3, 4])]))],
            .success(.services([])),
            [GATTOddity(.service, .badDeclaration, at: 1), GATTOddity(.service, .badDeclaration, at: 6)]),
        Row(
            "a service that ends before it begins", .discoverServices(nil),
            [.pdu(.readByGroupTypeResponse([group(5, 2, [0x0D, 0x18]), group(6, 9, [0x1A, 0x18])]))],
            .success(.services([service(environment, 6, 9)])), [GATTOddity(.service, .endsBeforeStart, at: 5)]),
        Row(
            "services in another order", .discoverServices(nil),
            [.pdu(.readByGroupTypeResponse([group(6, 9, [0x1A, 0x18]), group(1, 5, [0x0D, 0x18])]))],
            .success(.services([service(heart, 1, 5), service(environment, 6, 9)])),
            [GATTOddity(.service, .outOfOrder, at: 1)]),
        Row(
            "a service that ends where the next one begins", .discoverServices(nil),
            [.pdu(.readByGroupTypeResponse([group(1, 6, [0x0D, 0x18]), group(6, 9, [0x1A, 0x18])]))],
            .success(.services([service(heart, 1, 5), service(environment, 6, 9)])),
            [GATTOddity(.service, .overlapsNext, at: 1)]),
        Row(
            "a service that reaches into the next one", .discoverServices(nil),
            [.pdu(.readByGroupTypeResponse([group(1, 0xFFFF, [0x0D, 0x18]), group(6, 9, [0x1A, 0x18])]))],
            .success(.services([service(heart, 1, 5), service(environment, 6, 9)])),
            [GATTOddity(.service, .overlapsNext, at: 1)]),
        Row(
            "the same service again and again", .discoverServices(nil),
            [
                .pdu(.readByGroupTypeResponse([group(1, 5, [0x0D, 0x18])])),
                .pdu(.readByGroupTypeResponse([group(1, 5, [0x0D, 0x18])])),
            ],
            .success(.services([service(heart, 1, 5)])),
            [GATTOddity(.service, .handleOutOfRange, at: 1), GATTOddity(.service, .endless, at: 6)]),
        Row(
            "a service at handle 0", .discoverServices(nil),
            [.pdu(.readByGroupTypeResponse([group(0, 0, [0x0D, 0x18])]))], .success(.services([])),
            [GATTOddity(.service, .handleOutOfRange, at: 0), GATTOddity(.service, .endless, at: 1)]),
        Row(
            "an answer that is cut after a good one", .discoverServices(nil),
            [.pdu(.readByGroupTypeResponse([group(1, 5, [0x0D, 0x18])])), .octets([0x11, 0x06, 6])],
            .success(.services([service(heart, 1, 5)])), [GATTOddity(.service, .unreadableAnswer, at: 6)]),
        Row("an answer that is cut", .discoverServices(nil), [.octets([0x11, 0x06, 6])], .failure(.malformed), []),
        Row(
            "another error at the end", .discoverServices(nil),
            [.pdu(.readByGroupTypeResponse([group(1, 5, [0x0D, 0x18])])), .error(.invalidHandle)],
            .success(.services([service(heart, 1, 5)])),
            [GATTOddity(.service, .refused(.invalidHandle), at: 6)]),
        Row(
            "a lack of encryption is no end", .discoverServices(nil),
            [.pdu(.readByGroupTypeResponse([group(1, 5, [0x0D, 0x18])])), .error(.insufficientEncryption)],
            .failure(.refused(.insufficientEncryption)), []),
        Row(
            "a lack of resources is no end", .discoverServices(nil),
            [.pdu(.readByGroupTypeResponse([group(1, 5, [0x0D, 0x18])])), .error(.insufficientResources)],
            .failure(.refused(.insufficientResources)), []),
        Row(
            "services by UUID in another order", .discoverServices([heart]),
            [.pdu(.findByTypeValueResponse([Range(start: 9, end: 12), Range(start: 1, end: 5)]))],
            .success(.services([service(heart, 1, 5), service(heart, 9, 12)])),
            [GATTOddity(.service, .outOfOrder, at: 1)]),
        Row(
            "services by UUID that lead no further", .discoverServices([heart]),
            [
                .pdu(.findByTypeValueResponse([Range(start: 1, end: 5)])),
                .pdu(.findByTypeValueResponse([Range(start: 1, end: 5)])),
            ],
            .success(.services([service(heart, 1, 5)])),
            [GATTOddity(.service, .handleOutOfRange, at: 1), GATTOddity(.service, .endless, at: 6)]),
    ]

    static let includes = [
        Row(
            "an included service that ends before it begins", .discoverIncludedServices(range),
            [
                .pdu(
                    .readByTypeResponse([
                        Value(handle: 0x21, value: [9, 0, 2, 0, 0x0D, 0x18]),
                        Value(handle: 0x22, value: [1, 0, 5, 0, 0x1A, 0x18]),
                    ]))
            ],
            .success(.services([service(environment, 1, 5)])),
            [GATTOddity(.includedService, .badDeclaration, at: 0x21)]),
        Row(
            "an included service outside of the range", .discoverIncludedServices(range),
            [.pdu(.readByTypeResponse([Value(handle: 0x30, value: [1, 0, 5, 0, 0x1A, 0x18])]))],
            .success(.services([])),
            [
                GATTOddity(.includedService, .handleOutOfRange, at: 0x30),
                GATTOddity(.includedService, .endless, at: 0x20),
            ]),
        Row(
            "an included service whose UUID cannot be read", .discoverIncludedServices(range),
            [.pdu(.readByTypeResponse([Value(handle: 0x2F, value: [1, 0, 5, 0])])), .error(.readNotPermitted)],
            .success(.services([])), [GATTOddity(.includedService, .badDeclaration, at: 1)]),
    ]

    static let characteristics = [
        Row(
            "a value outside of its service", .discoverCharacteristics(range, nil),
            [.pdu(.readByTypeResponse([declaration(0x21, value: 0x29, 0x6E), declaration(0x24, value: 0x25, 0x6F)]))],
            .success(.characteristics([found(humidity, value: 0x25, end: 0x2F)])),
            [GATTOddity(.characteristic, .valueOutside(0x29), at: 0x21)]),
        Row(
            "a last value outside of its service", .discoverCharacteristics(range, nil),
            [.pdu(.readByTypeResponse([declaration(0x21, value: 0x22, 0x6E), declaration(0x24, value: 0x30, 0x6F)]))],
            .success(.characteristics([found(temperature, value: 0x22, end: 0x23)])),
            [GATTOddity(.characteristic, .valueOutside(0x30), at: 0x24)]),
        Row(
            "a value before its declaration", .discoverCharacteristics(range, nil),
            [.pdu(.readByTypeResponse([declaration(0x21, value: 0x21, 0x6E), declaration(0x24, value: 0x25, 0x6F)]))],
            .success(.characteristics([found(humidity, value: 0x25, end: 0x2F)])),
            [GATTOddity(.characteristic, .valueOutside(0x21), at: 0x21)]),
        Row(
            "declarations in another order", .discoverCharacteristics(range, [temperature]),
            [.pdu(.readByTypeResponse([declaration(0x24, value: 0x25, 0x6F), declaration(0x21, value: 0x22, 0x6E)]))],
            .success(.characteristics([found(temperature, value: 0x22, end: 0x23)])),
            [GATTOddity(.characteristic, .outOfOrder, at: 0x20)]),
        Row(
            "a declaration outside of the service", .discoverCharacteristics(range, nil),
            [.pdu(.readByTypeResponse([declaration(0x21, value: 0x22, 0x6E), declaration(0x35, value: 0x36, 0x6F)]))],
            .success(.characteristics([found(temperature, value: 0x22, end: 0x2F)])),
            [GATTOddity(.characteristic, .handleOutOfRange, at: 0x35)]),
        Row(
            "a declaration that comes twice", .discoverCharacteristics(range, nil),
            [
                .pdu(
                    .readByTypeResponse([declaration(0x21, value: 0x22, 0x6E), declaration(0x21, value: 0x22, 0x6E)])),
                .pdu(.readByTypeResponse([declaration(0x21, value: 0x22, 0x6E)])),
            ],
            .success(.characteristics([found(temperature, value: 0x22, end: 0x2F)])),
            [
                GATTOddity(.characteristic, .comesTwice, at: 0x21),
                GATTOddity(.characteristic, .handleOutOfRange, at: 0x21),
                GATTOddity(.characteristic, .endless, at: 0x22),
            ]),
        Row(
            "a declaration that is too short ends the one before it", .discoverCharacteristics(range, nil),
            [
                .pdu(.readByTypeResponse([declaration(0x21, value: 0x22, 0x6E)])),
                .pdu(.readByTypeResponse([Value(handle: 0x24, value: [0x12, 0x25])])),
            ],
            .success(.characteristics([found(temperature, value: 0x22, end: 0x23)])),
            [GATTOddity(.characteristic, .badDeclaration, at: 0x24)]),
        Row(
            "a refusal in the middle", .discoverCharacteristics(range, nil),
            [.pdu(.readByTypeResponse([declaration(0x21, value: 0x22, 0x6E)])), .error(.unlikelyError)],
            .success(.characteristics([found(temperature, value: 0x22, end: 0x2F)])),
            [GATTOddity(.characteristic, .refused(.unlikelyError), at: 0x22)]),
        Row(
            "a refusal at the beginning", .discoverCharacteristics(range, nil), [.error(.invalidHandle)],
            .failure(.refused(.invalidHandle)), [GATTOddity(.characteristic, .refused(.invalidHandle), at: 0x20)]),
    ]

    /// The client looks for services by one method after the other.
    static let ways = [
        Row(
            "a search by UUID that is refused", .discoverServices([environment]),
            [
                .error(.requestNotSupported),
                .pdu(.readByGroupTypeResponse([group(1, 5, [0x0D, 0x18]), group(6, 9, [0x1A, 0x18])])),
            ],
            .success(.services([service(environment, 6, 9)])),
            [GATTOddity(.service, .otherWay(.requestNotSupported), at: 1)]),
        Row(
            "a search by UUID and one for groups that are refused", .discoverServices([environment]),
            [
                .error(.requestNotSupported), .error(.unsupportedGroupType),
                .pdu(
                    .readByTypeResponse([
                        Value(handle: 1, value: [0x0D, 0x18]), Value(handle: 6, value: [0x1A, 0x18]),
                        Value(handle: 10, value: [1, 2]),
                    ])),
            ],
            .success(.services([service(environment, 6, 9)])),
            [
                GATTOddity(.service, .otherWay(.requestNotSupported), at: 1),
                GATTOddity(.service, .otherWay(.unsupportedGroupType), at: 1),
            ]),
        Row(
            "all searches are refused", .discoverServices([environment]),
            [.error(.insufficientAuthentication), .error(.unlikelyError), .error(.unlikelyError)],
            .failure(.refused(.insufficientAuthentication)), []),
        Row(
            "a later search wants encryption", .discoverServices([environment]),
            [.error(.unlikelyError), .error(.insufficientEncryption), .error(.insufficientAuthentication)],
            .failure(.refused(.insufficientEncryption)), []),
        Row(
            "an answer without services", .discoverServices(nil),
            [.octets([0x11, 6]), .pdu(.readByTypeResponse([Value(handle: 6, value: [0x1A, 0x18])]))],
            .success(.services([service(environment, 6, 0xFFFF)])), [GATTOddity(.service, .otherWay(nil), at: 1)]),
        Row(
            "included services that are refused", .discoverIncludedServices(range), [.error(.unlikelyError)],
            .success(.services([])), [GATTOddity(.includedService, .refused(.unlikelyError), at: 0x20)]),
    ]

    static let descriptors = [
        Row(
            "descriptors in another order", .discoverDescriptors(range),
            [
                .pdu(
                    .findInformationResponse([
                        .init(handle: 0x24, type: GATTClientMachineTests.cccd), .init(handle: 0x23, type: heart),
                    ]))
            ],
            .success(
                .descriptors([.init(handle: 0x23, type: heart), .init(handle: 0x24, type: GATTClientMachineTests.cccd)])
            ),
            [GATTOddity(.descriptor, .outOfOrder, at: 0x20)]),
        Row(
            "a descriptor outside of the range", .discoverDescriptors(range),
            [.pdu(.findInformationResponse([.init(handle: 0x30, type: heart)]))], .success(.descriptors([])),
            [GATTOddity(.descriptor, .handleOutOfRange, at: 0x30), GATTOddity(.descriptor, .endless, at: 0x20)]),
        Row(
            "no configuration descriptor", .configure(valueHandle: 0x22, endHandle: 0x24, .notification),
            [.pdu(.findInformationResponse([.init(handle: 0x23, type: BluetoothUUID(0x2901 as UInt16))]))],
            .success(.unconfigured), [GATTOddity(.descriptor, .noConfiguration, at: 0x22)]),
        Row(
            "a configuration descriptor of another characteristic is not written",
            .configure(valueHandle: 0x22, endHandle: 0x24, .notification),
            [.pdu(.findInformationResponse([.init(handle: 0x29, type: GATTClientMachineTests.cccd)]))],
            .success(.unconfigured),
            [
                GATTOddity(.descriptor, .handleOutOfRange, at: 0x29), GATTOddity(.descriptor, .endless, at: 0x23),
                GATTOddity(.descriptor, .noConfiguration, at: 0x22),
            ]),
        Row(
            "no room for a configuration descriptor", .configure(valueHandle: 0x22, endHandle: 0x22, .notification), [],
            .success(.unconfigured), [GATTOddity(.descriptor, .noConfiguration, at: 0x22)]),
        Row(
            "a configuration descriptor that may not be written",
            .configure(valueHandle: 0x22, endHandle: 0x24, .notification),
            [
                .pdu(.findInformationResponse([.init(handle: 0x23, type: GATTClientMachineTests.cccd)])),
                .error(.writeNotPermitted),
            ],
            .failure(.refused(.writeNotPermitted)), []),
    ]

    @Test(arguments: services + ways + includes + characteristics + descriptors + brokenOff + configurations)
    func row(_ row: Row) throws {
        var machine = GATTClientMachine(ownMTU: 517)
        var answers = row.answers[...]
        let id = GATTRequestID(rawValue: 1)
        var effects = machine.request(row.request, id: id, at: .zero)
        for _ in 0..<20 {
            guard case .send(let asked) = effects.first else { break }
            let hasAnswer = !answers.isEmpty
            let answer = answers.popFirst() ?? .error(.attributeNotFound)
            let octets: [UInt8] =
                switch answer {
                case .pdu(let pdu): pdu.encoded
                case .octets(let octets): octets
                // The error names another request, and still answers this one.
                case .error(let error): ATTPDU.errorResponse(request: .readRequest, handle: 1, error: error).encoded
                }
            // The client writes only if the row has an answer for the write.
            #expect(asked.opcode != .writeRequest || hasAnswer)
            effects = machine.received(octets[...], at: .zero)
            // An answer that came before waits for a better one.
            if effects.isEmpty, let deadline = machine.deadline { effects = machine.expire(at: deadline) }
        }
        #expect(effects == [.completed(id, row.result)])
        #expect(machine.oddities.first == row.oddities)
        #expect(answers.isEmpty)
        // A sentence for people, without its full stop.
        #expect(row.oddities.allSatisfy { $0.description.contains("0x") && $0.description.last != "." })
    }

    @Test func `Service Changed, which nobody asked for, is neither searched for in other ways nor written by guess`() {
        var machine = GATTClientMachine(ownMTU: 517)
        let id = GATTRequestID(rawValue: 1)
        let changed = Value(handle: 0x21, value: [0x20, 0x22, 0, 0x05, 0x2A])
        let answers: [ATTPDU] = [
            .findByTypeValueResponse([Range(start: 0x20, end: 0x2F)]),
            .errorResponse(request: .findByTypeValueRequest, handle: 0x30, error: .attributeNotFound),
            .readByTypeResponse([changed]),
            .errorResponse(request: .readByTypeRequest, handle: 0x22, error: .attributeNotFound),
            .errorResponse(request: .findInformationRequest, handle: 0x23, error: .requestNotSupported),
        ]
        var asked: [UInt8] = []
        var effects = machine.request(.watchServices, id: id, at: .zero)
        for answer in answers {
            guard case .send(let pdu) = effects.first else { break }
            asked.append(pdu.encoded.first ?? 0)
            effects = machine.received(answer.encoded[...], at: .zero)
        }
        #expect(effects == [.completed(id, .success(.characteristics([])))])
        #expect(asked == [0x06, 0x06, 0x08, 0x08, 0x04])
    }

    @Test func `a server without end is left after so many items, with those that were found`() throws {
        var machine = GATTClientMachine(ownMTU: 517)
        let id = GATTRequestID(rawValue: 1)
        var effects = machine.request(.discoverDescriptors(Range(start: 1, end: 0xFFFF)), id: id, at: .zero)
        var asked = 0
        while case .send(.findInformationRequest(let start, _)) = effects.first {
            asked += 1
            try #require(asked <= GATTLimit.attributes)
            let answer = ATTPDU.findInformationResponse([.init(handle: start, type: Self.heart)])
            effects = machine.received(answer.encoded[...], at: .zero)
        }
        guard case .completed(id, .success(.descriptors(let found))) = effects.first else {
            Issue.record("it ends with \(effects)")
            return
        }
        #expect(found.count == GATTLimit.attributes)
        #expect(machine.oddities.first.map(\.kind) == [.endless])
    }

    @Test func `of a server with oddities no more than so many are kept`() {
        var oddities = GATTOddities()
        for handle in 1...1000 as ClosedRange<UInt16> {
            oddities.record(GATTOddity(.service, .endsBeforeStart, at: handle))
            oddities.record(GATTOddity(.service, .endsBeforeStart, at: 1))
        }
        #expect(oddities.first.count == GATTOddities.limit && oddities.first.last?.handle == UInt16(GATTOddities.limit))
    }
}
