// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SensorCipher
import Testing

@testable import Readings

/// The language of decoders.d, without the reader of files.
struct SensorDefinitionTests {
    private static let long = BluetoothUUID(high: 0x1234_5678_1234_5678, low: 0x1234_5678_9ABC_DEF0)

    private static func field(_ kind: OctetNumber.Kind, _ octets: Int, offset: Int = 0) -> FormField {
        FormField(.count, .octets(OctetNumber(offset: offset, octets: octets, kind: kind, isBigEndian: true)))
    }

    private static func read(_ fields: [FormField], _ hexadecimal: String) throws -> [Field] {
        let value = try #require([UInt8](hexadecimal: hexadecimal.filter { $0 != " " }))
        let form = SensorForm(.characteristic("x"), length: 1...512, fields: fields)
        return try SensorDefinition(key: "x", name: "x", forms: [form]).decode(value)
    }

    @Test(arguments: [
        (OctetNumber.Kind.signMagnitude, 2, "8102", Field.Value.int(-258)), (.signMagnitude, 2, "0102", .int(258)),
        (.signMagnitude, 1, "80", .int(0)), (.decimalDigits, 2, "1234", .int(1234)),
        (.float, 4, "41aec312", .decimal(.init(mantissa: 21_845_250, places: 6))),
        (.shortMedical, 2, "f0fa", .decimal(.init(mantissa: 250, places: 1))),
        (.medical, 4, "ff000173", .decimal(.init(mantissa: 371, places: 1))),
        (.signed, 3, "ffff00", .int(-256)),
    ])
    func `numbers of all kinds`(_ kind: OctetNumber.Kind, _ octets: Int, _ hexadecimal: String, _ value: Field.Value)
        throws
    {
        let found = try #require(try Self.read([Self.field(kind, octets)], hexadecimal).first)
        #expect(found.value.number.map { abs($0 - (value.number ?? 0)) < 1e-4 } == true, "\(found)")
    }

    @Test func `no number says that the sensor does not know; no decimal digit is nobody's packet`() throws {
        #expect(try Self.read([Self.field(.float, 4)], "7fc00000").isEmpty)
        #expect(try Self.read([Self.field(.float, 4)], "7f7fffff").isEmpty, "3 × 10³⁸ is beyond 64 bits")
        #expect(try Self.read([Self.field(.shortMedical, 2)], "07ff").isEmpty)
        #expect(throws: DecodeError.self) { try Self.read([Self.field(.decimalDigits, 1)], "1a") }
    }

    @Test func `octets count from the end, too, and what a condition asks of missing octets does not hold`() throws {
        var last = Self.field(.unsigned, 2, offset: -2)
        #expect(try Self.read([last], "01 0203").first?.value == .int(0x0203))
        #expect(throws: DecodeError.self) { try Self.read([last], "01") }
        last.conditions = [OctetCondition(.length, range: 3...3)]
        #expect(try Self.read([last], "0102").isEmpty)
        last.conditions = [OctetCondition(.number(OctetNumber(offset: 9)), values: [1], isNegated: true)]
        #expect(try Self.read([last], "010203").isEmpty)
    }

    @Test func `conditions, tables, constants and values of other fields`() throws {
        var state = FormField(.opening, .octets(OctetNumber(offset: 0)))
        state.lookup = [1: .int(1), 2: .int(0)]
        #expect(try Self.read([state], "02").first == .binary(.opening, false))
        #expect(try Self.read([state], "03").isEmpty)
        var fraction = FormField(nil, .octets(OctetNumber(offset: 1)))
        fraction.factor = .init(mantissa: 1, places: 2)
        var whole = FormField(.temperature, .octets(OctetNumber(offset: 0, kind: .signed)))
        whole.steps = [.operation(.addAway, .field(0))]
        #expect(try Self.read([fraction, whole], "ed25").first?.value.number == -19.37)
        var sum = FormField(.power, .field(0))
        sum.steps = [.operation(.divide, .field(1)), .operation(.multiply, .number(.init(mantissa: 3, places: 0)))]
        sum.places = 2
        let parts = [
            FormField(nil, .octets(OctetNumber(offset: 0))), FormField(nil, .octets(OctetNumber(offset: 1))), sum,
        ]
        #expect(try Self.read(parts, "0207").first?.value.number == 0.86)
        #expect(try Self.read(parts, "0200").isEmpty, "nothing is divided by zero")
        var motion = FormField(.motion, .constant(.int(1)))
        motion.conditions = [OctetCondition(.number(OctetNumber(offset: 0, mask: 0x80)), values: [1])]
        #expect(try Self.read([motion], "80") == [.binary(.motion, true)])
        #expect(try Self.read([motion], "7f").isEmpty)
        let text = FormField(.text, .text(offset: 1, octets: 4))
        #expect(try Self.read([text], "00 41 42 00 43") == [.text(.text, "AB")])
    }

    @Test(
        arguments: [
            (FieldStep.Operation.quotient, 7, 2, 3), (.remainder, 7, 2, 1), (.shiftLeft, 3, 2, 12),
            (.shiftRight, 12, 2, 3),
            (.and, 12, 10, 8), (.or, 12, 10, 14), (.exclusiveOr, 12, 10, 6), (.atLeast, -3, 0, 0),
            (.atMost, 300, 100, 100),
            (.power10, 5, 2, 500), (.subtract, 1, 2, -1), (.addAway, -1, 2, -3), (.remainder, .min, -1, 0),
        ] as [(FieldStep.Operation, Int64, Int64, Int64)])
    func `each step`(_ operation: FieldStep.Operation, _ left: Int64, _ right: Int64, _ result: Int64) {
        let step = FieldStep.operation(operation, .number(.init(mantissa: right, places: 0)))
        #expect(step.applied(to: .init(mantissa: left, places: 0), [])?.whole == result)
    }

    @Test func `steps never trap, whatever the numbers`() {
        var generator = SystemRandomNumberGenerator()
        func number() -> Field.Decimal {
            let edge: [Int64] = [.min, .max, 0, -1, 1, .random(in: .min ... .max, using: &generator)]
            return .init(
                mantissa: edge.randomElement(using: &generator) ?? 0, places: .random(in: 0...18, using: &generator))
        }
        for _ in 0..<20_000 {
            let (left, right) = (number(), number())
            for operation in FieldStep.Operation.allCases {
                _ = FieldStep.operation(operation, .number(right)).applied(to: left, [])
            }
            _ = FieldStep.negate.applied(to: left, [])
            _ = FieldStep.absolute.applied(to: left, [])
            _ = left.rounded(to: .random(in: 0...9, using: &generator))
        }
    }

    @Test func `checks by the parameters of their catalogues, over the digits 1 to 9`() {
        let octets = Array("123456789".utf8)[...]
        let rows: [(CyclicCheck, UInt16)] = [
            (CyclicCheck(width: 8, polynomial: 0x07), 0xF4),
            (CyclicCheck(width: 8, polynomial: 0x31, isReflected: true), 0xA1),
            (CyclicCheck(width: 8, polynomial: 0x31, initial: 0xFF), 0xF7),
            (CyclicCheck(width: 16, polynomial: 0x1021, initial: 0xFFFF), 0x29B1),
            (CyclicCheck(width: 16, polynomial: 0x8005, initial: 0xFFFF, isReflected: true), 0x4B37),
            (CyclicCheck(width: 16, polynomial: 0x1021, initial: 0xFFFF, isReflected: true, final: 0xFFFF), 0x906E),
        ]
        for (check, result) in rows { #expect(check.of(octets) == result, "\(check)") }
        let sum = OctetCheck(.sum, first: 0, last: -2, number: OctetNumber(offset: -1))
        #expect(sum.holds(in: [0xF0, 0x20, 0x10]) && !sum.holds(in: [0xF0, 0x20, 0x11]) && !sum.holds(in: [1]))
        let xor = OctetCheck(.exclusiveOr, first: 1, last: 2, number: OctetNumber(offset: 0))
        #expect(xor.holds(in: [3, 1, 2]) && !xor.holds(in: [2, 1, 2]) && !xor.holds(in: [3, 1]))
    }

    @Test func `names, contents, services and reversed addresses tell one sensor from others`() {
        var form = SensorForm(.longServiceData(Self.long), length: 2...10, fields: [])
        form.fields = [FormField(.count, .octets(OctetNumber(offset: 0)))]
        (form.localName, form.contains, form.service) = ("*EYE*", [7, 8], BluetoothUUID(0xFEAA as UInt16))
        (form.addressOffset, form.isAddressReversed) = (4, true)
        let family = SensorFamily(SensorDefinition(key: "eye", name: "Eye", forms: [form]))
        var advertisement = Advertisement(
            address: 0x0102_0304_0506, name: "MyEYE1", services: [BluetoothUUID(0xFEAA as UInt16)],
            longServiceData: [Self.long: [1, 7, 8, 0, 6, 5, 4, 3, 2, 1]])
        #expect(family.recognise(advertisement) != nil)
        for change: (inout Advertisement) -> Void in [
            { $0.address = 7 }, { $0.name = "MyEY" }, { $0.services = [] }, { $0.longServiceData = [:] },
            { $0.longServiceData[Self.long] = [1, 7, 9, 0, 6, 5, 4, 3, 2, 1] },
        ] {
            var other = advertisement
            change(&other)
            #expect(family.recognise(other) == nil)
        }
        advertisement.name = nil
        #expect(family.recognise(advertisement) == nil)
    }

    @Test func `Service Data of 128 bits is read from the air`() throws {
        let octets = try #require(
            [UInt8](hexadecimal: "1321" + "f0debc9a785634127856341278563412" + "0109" + "0720" + "78563412" + "0203"))
        let advertisement = try #require(Advertisement.all(in: octets[...], address: 1).first)
        #expect(advertisement.longServiceData[Self.long] == [1, 9])
        #expect(advertisement.longServiceData.count == 2)
    }

    @Test
    func `a form of several is known again by its first octet, and a kept value of a form that is gone is refused`()
        throws
    {
        let one = SensorForm(.manufacturer(0xFFFE), length: 2...2, fields: [FormField(.count, offset: 0, octets: 2)])
        var two = SensorForm(.serviceData(0xFFF0), length: 1...1, fields: [FormField(.battery, offset: 0, octets: 1)])
        two.counter = OctetNumber(offset: 0)
        let definition = SensorDefinition(key: "x", name: "x", forms: [one, two])
        let packet = try #require(definition.recognise(Advertisement(serviceData: [0xFFF0: [50]]))?.plain)
        #expect(packet.value == [1, 50] && packet.number == PacketNumber(50, bits: 8))
        #expect(try definition.decode(packet.value) == [.int(.battery, 50)])
        #expect(throws: DecodeError.self) { try definition.decode([2, 50]) }
        #expect(throws: DecodeError.self) { try definition.decode([]) }
        #expect(definition.carriers == [.manufacturer(0xFFFE), .serviceData(0xFFF0)])
    }

    @Test func `values from the time when a family had one form are read without a form's number`() throws {
        let octets: [UInt8] = [0x18, 0x3A, 0x2F, 0x33, 1, 0, 0, 2, 0, 0, 0, 1, 0, 0, 9, 7]
        let now = try SensorDefinition.radioland.decode([0] + octets)
        #expect(now.count == 5)
        #expect(try SensorDefinition.radioland.decode(octets) == now)
        #expect(throws: DecodeError.self) { try SensorDefinition.radioland.decode(Array(octets.dropLast())) }
    }

    @Test(arguments: [true, false])
    func `an encrypted form opens with its key and with no other`(_ isCCM: Bool) throws {
        let key = (0..<16).map { UInt8($0) }
        let address: UInt64 = 0xA4C1_3812_3456
        let nonce: [FormCipher.Part] = [
            .address(isReversed: true), .octets([0xD2, 0xFC]), .value(offset: 1, count: 4),
        ]
        let parts: [UInt8] = [0x56, 0x34, 0x12, 0x38, 0xC1, 0xA4, 0xD2, 0xFC, 9, 0, 0, 0]
        let plain: [UInt8] = [0xF3, 0x00, 0x64]
        let value: [UInt8]
        if isCCM {
            let sealed = PacketCipher.sealCCM(plain, key: key, nonce: parts, tagLength: 4)
            value = [0x41, 9, 0, 0, 0] + sealed.ciphertext + sealed.tag
        } else {
            value =
                [0x41, 9, 0, 0, 0]
                + PacketCipher.applyCTR(plain, key: key, block: parts + [0, 0, 0, 0]) + [0, 0, 0, 0]
        }
        var temperature = FormField(.temperature, .octets(OctetNumber(offset: 5, octets: 2, kind: .signed)))
        temperature.factor = .init(mantissa: 1, places: 1)
        var form = SensorForm(
            .serviceData(0xFFF0), length: 12...12, fields: [temperature, FormField(.battery, offset: 7, octets: 1)])
        form.counter = OctetNumber(offset: 1, octets: 4)
        form.cipher = FormCipher(isCCM ? .ccm(tag: 4, at: -4) : .ctr, first: 5, last: -5, nonce: nonce)
        // The numbers of the battery and of a sum; both are encrypted.
        let battery = OctetNumber(offset: 7, octets: 1)
        form.conditions = [OctetCondition(.number(battery), range: 0...100), OctetCondition(.length, range: 12...12)]
        form.checks = [OctetCheck(.exclusiveOr, first: 7, last: 7, number: battery)]
        let family = SensorFamily(SensorDefinition(key: "x", name: "x", forms: [form]))
        #expect(family.needs.key == .required && family.key(from: [1]) == nil)
        guard
            case .sealed(let packet)? = family.recognise(Advertisement(address: address, serviceData: [0xFFF0: value]))
        else {
            Issue.record("not recognised")
            return
        }
        #expect(packet.counter == PacketNumber(9, bits: 32) && packet.isAuthentic == isCCM)
        #expect(packet.needsProof != isCCM, "any key opens what has no tag")
        let opened = try #require(PacketCipher.open(packet, key: key))
        let found = try #require(family.unsealed(packet, plaintext: opened))
        #expect(try family.decode(found.value) == [.decimal(.temperature, 243, places: 1), .int(.battery, 100)])
        #expect(found.opened == 5..<8, "what of it shows that the key is right")
        #expect(
            family.unsealed(packet, plaintext: [0xF3, 0x00, 0xC8]) == nil, "a condition that the opened octets break")
        if isCCM { #expect(PacketCipher.open(packet, key: key.reversed()) == nil) }
        #expect(
            family.unsealed(packet, plaintext: []) == nil && family.unsealed(packet, plaintext: opened + [1]) == nil)
    }

    @Test func `octets of any kind never trap, whatever a definition says`() {
        var generator = SystemRandomNumberGenerator()
        func offset() -> Int { .random(in: -520...520, using: &generator) }
        let kinds: [OctetNumber.Kind] = [
            .unsigned, .signed, .signMagnitude, .decimalDigits, .float, .shortMedical, .medical,
        ]
        func number() -> OctetNumber {
            OctetNumber(
                offset: offset(), octets: .random(in: 0...9, using: &generator),
                kind: kinds.randomElement(using: &generator) ?? .unsigned, isBigEndian: .random(using: &generator),
                mask: Bool.random(using: &generator) ? .random(in: 0 ... .max, using: &generator) : nil)
        }
        for _ in 0..<3_000 {
            var field = FormField(.count, .octets(number()))
            field.factor = .init(mantissa: .random(in: .min ... .max, using: &generator), places: .random(in: 0...18))
            field.add = .init(mantissa: .random(in: .min ... .max, using: &generator), places: .random(in: 0...18))
            field.steps = [.operation(.multiply, .field(.random(in: -1...3, using: &generator))), .negate]
            field.conditions = [OctetCondition(.number(number()), range: 0...(.max))]
            var form = SensorForm(
                .serviceData(1), length: 0...600,
                fields: [field, FormField(.text, .text(offset: offset(), octets: 600))])
            form.checks = [OctetCheck(.sum, first: offset(), last: offset(), number: number())]
            (form.addressOffset, form.contains) = (abs(offset()), [1])
            form.counter = number()
            if Bool.random(using: &generator) {
                form.cipher = FormCipher(
                    .ccm(tag: 4, at: offset()), first: offset(), last: offset(),
                    nonce: [.value(offset: offset(), count: 12)])
            }
            let definition = SensorDefinition(key: "x", name: "x", forms: [form, form])
            let value = (0..<Int.random(in: 0...600, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            _ = definition.recognise(Advertisement(address: 1, serviceData: [1: value]))
            _ = form.fits(value)
            _ = try? form.fields(of: value)
            _ = try? definition.decode(value)
        }
    }
}
