// SPDX-License-Identifier: Apache-2.0

// Reads packets as JSON lines, and writes their values as JSON lines: our side of `make test-decoders`.

import BluetoothCore
import Foundation
import Readings
import SensorCipher

/// A packet from Tests/Scenes/Decoders/run.py: an advertisement, or the value of a characteristic.
struct Packet: Decodable {
    var address: String?
    var name: String?
    var services: [String]?
    var manufacturer: String?
    var serviceData: [String: String]?
    var key: String?
    var characteristic: String?
    var value: String?

    enum CodingKeys: String, CodingKey {
        case address, name, services, manufacturer, key, characteristic, value
        case serviceData = "service_data"
    }

    var advertisement: Advertisement {
        var data: [UInt16: [UInt8]] = [:]
        for (uuid, value) in serviceData ?? [:] {
            if let uuid = UInt16(uuid, radix: 16) { data[uuid] = [UInt8](hexadecimal: value) }
        }
        return Advertisement(
            address: address.flatMap { UInt64($0.filter { $0 != ":" }, radix: 16) }, name: name,
            services: (services ?? []).compactMap { BluetoothUUID($0) },
            manufacturerData: [UInt8](hexadecimal: manufacturer ?? "") ?? [], serviceData: data)
    }
}

/// A packet's result: its family and its fields. No fields where the packet cannot be opened, or has an impossible value.
struct Answer: Encodable {
    var family: String?
    var fields: [String: Value]?

    enum CodingKeys: CodingKey { case family, fields }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(family, forKey: .family)
        try container.encode(fields, forKey: .fields)
    }
}

struct Value: Encodable {
    var value: Field.Value

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch value {
        case .int(let number): try container.encode(number)
        case .decimal: try container.encode(value.number)
        case .string(let text): try container.encode(text)
        case .array(let values): try container.encode(values.map(Value.init))
        }
    }
}

func answer(to packet: Packet) -> Answer {
    if let characteristic = packet.characteristic {
        let value = [UInt8](hexadecimal: packet.value ?? "") ?? []
        let fields = Decoders.decode(characteristic: characteristic, value: value)
        return Answer(family: characteristic, fields: fields.map(named))
    }
    guard let found = SensorFamilies.recognise(packet.advertisement) else { return Answer() }
    var answer = Answer(family: found.decoder.family)
    switch found.packet {
    case .plain(let plain):
        answer.fields = (try? found.decoder.decode(plain.value)).map(named)
    case .sealed(let sealed):
        // Some have their key in the packet.
        let given = [UInt8](hexadecimal: packet.key ?? "") ?? []
        if let key = found.decoder.needs.key == .none ? [] : found.decoder.key(from: given),
            let opened = PacketCipher.open(sealed, key: key),
            let unsealed = found.decoder.unsealed(sealed, plaintext: opened)
        {
            answer.fields = (try? found.decoder.decode(unsealed.value)).map(named)
        }
    }
    return answer
}

func named(_ fields: [Field]) -> [String: Value] {
    Dictionary(fields.map { ($0.key, Value(value: $0.value)) }) { first, _ in first }
}

let decoder = JSONDecoder()
let encoder = JSONEncoder()
encoder.outputFormatting = .sortedKeys
while let line = readLine() {
    let packet = try decoder.decode(Packet.self, from: Data(line.utf8))
    print(String(decoding: try encoder.encode(answer(to: packet)), as: UTF8.self))
}
