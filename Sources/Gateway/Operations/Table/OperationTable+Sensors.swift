// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector
import Foundation
import Platform

/// Operations on sensors.
extension OperationTable {
    /// Sends a broker's client only the nearest devices: the limit keeps the message small enough for all brokers.
    private static let mostRemote = 64

    private static let sensor = OperationRow.Argument(
        "sensor", "id, name, address or identifier of a sensor that is known", former: [.socket: "device"])
    private static let characteristic = OperationRow.Argument(
        "characteristic", "`SERVICE/CHARACTERISTIC`, UUIDs or names, like `180f/2a19`")
    private static let service = OperationRow.Argument(
        "service", "the service, as in the release before; `characteristic` is then without it", isRequired: false)

    private struct Sensor: Decodable { var sensor: String }

    private struct Forgetting: Decodable {
        var sensor: String
        var quantity: String?
    }

    private struct Acceptance: Decodable {
        var address: String
        var id: String?
        var subscribe: [String]?
        var passkey: String?
    }

    private struct Key: Decodable {
        var sensor: String
        var key: String
    }

    private struct Passkey: Decodable {
        var sensor: String
        var passkey: String
    }

    private struct Trust: Decodable {
        var sensor: String
        var address: String?
    }

    private struct Acknowledgement: Decodable {
        var problem: String
        var seconds: Double?
        var end: Bool?
    }

    private struct Maintenance: Decodable {
        var sensor: String
        var seconds: Double?
    }

    private struct Characteristic: Decodable {
        var sensor: String
        var characteristic: String
        /// The service as an argument of its own, as in the release before.
        var service: String?

        var request: CharacteristicRequest {
            get throws(OperationError) {
                if let service {
                    return CharacteristicRequest(sensor: sensor, service: service, characteristic: characteristic)
                }
                let parts = characteristic.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
                guard parts.count == 2 else {
                    throw OperationError(
                        .notValid,
                        "\(quoted(String(characteristic.prefix(64)))) is no \"SERVICE/CHARACTERISTIC\", like \"180f/2a19\""
                    )
                }
                return CharacteristicRequest(sensor: sensor, service: parts[0], characteristic: parts[1])
            }
        }
    }

    private struct Writing: Decodable {
        var target: Characteristic
        var value: String
        var response: Bool?

        private enum CodingKeys: CodingKey { case value, response }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            target = try Characteristic(from: decoder)
            value = try container.decode(String.self, forKey: .value)
            response = try container.decodeIfPresent(Bool.self, forKey: .response)
        }
    }

    private static let devices = common(
        Shape(
            .devices, "Lists the devices that were heard in the last minutes, the nearest first.",
            for: [.socket, .broker, .phone], bounds: .init(result: 1 << 20), aliases: [.init("scan", [.broker])]
        )
    ) { operations, call throws(OperationError) in
        let heard = await operations.heardSensors()
        return call.caller == .broker ? Array(heard.prefix(mostRemote)) : heard
    }

    private static let why = row(
        Shape(
            .why, "Tells why a sensor is as it is.", [sensor], for: [.socket, .page, .broker]), taking: Sensor.self
    ) { gateway, wish, _ throws(OperationError) in try await gateway.operations.explain(wish.sensor) }

    private static let accept = common(
        Shape(
            .accept, "Collects from a sensor, now and after each restart.",
            [
                .init("address", "the address of a device in the air", former: [.socket: "device"]),
                .init("id", "the sensor's name in topics", isRequired: false, former: [.broker: "sensor"]),
                .init("subscribe", "the values to collect: a list of `SERVICE/CHARACTERISTIC`", isRequired: false),
                .init("passkey", "six digits, where the sensor has some", isRequired: false, isSecret: true),
            ], effect: .settings, for: Set(OperationRow.Caller.allCases), pace: .changing), taking: Acceptance.self
    ) { operations, wish, _ throws(OperationError) in
        try await operations.accept(
            SensorAcceptance(
                address: wish.address, id: wish.id, subscribe: wish.subscribe,
                passkey: wish.passkey.map { Secret($0) }))
    }

    private static let forget = common(
        Shape(
            .forget, "Takes an acceptance back, or forgets one quantity of the sensor, in Home Assistant, too.",
            [sensor, .init("quantity", "the one quantity, as payloads name it: `tvoc`", isRequired: false)],
            effect: .settings, for: Set(OperationRow.Caller.allCases), pace: .changing), taking: Forgetting.self
    ) { operations, wish, call throws(OperationError) in
        if let quantity = wish.quantity {
            try await operations.forget(quantity, of: wish.sensor)
        } else {
            try await operations.forget(wish.sensor)
        }
        return call.caller == .broker ? Nothing() as OperationRow.Result : wish.sensor
    }

    private static let key = row(
        Shape(
            .key, "Gives a sensor the key that opens its advertisements.",
            [
                sensor,
                .init("key", "32 or 24 hexadecimal digits", isSecret: true, former: [.socket: "bind_key"]),
            ], effect: .settings, for: [.socket, .page]), taking: Key.self
    ) { gateway, wish, _ throws(OperationError) in
        try await gateway.operations.setBindKey(Secret(wish.key), of: wish.sensor)
        return wish.sensor
    }

    private static let passkey = common(
        Shape(
            .passkey, "Gives a sensor the passkey that it is paired with.",
            [sensor, .init("passkey", "six digits", isSecret: true)], effect: .settings, for: [.phone]),
        taking: Passkey.self
    ) { operations, wish, _ throws(OperationError) in
        try await operations.setPasskey(Secret(wish.passkey), of: wish.sensor)
        return wish.sensor
    }

    private static let trust = row(
        Shape(
            .trust, "Takes the operator's word for the device that is a sensor, or for a counter that began anew.",
            [sensor, .init("address", "the device that is the sensor", isRequired: false)], effect: .settings,
            for: [.socket, .page, .broker], pace: .changing), taking: Trust.self
    ) { gateway, wish, _ throws(OperationError) in try await gateway.operations.trust(wish.sensor, wish.address) }

    private static let acknowledge = row(
        Shape(
            .acknowledge, "Takes note that an operator knows of a problem: it becomes a notice on each surface.",
            [
                .init("problem", "its name, like `disk-low` or `sensor-silent:fridge`; or the sensor, or the part"),
                .init("seconds", "60 to 31,536,000; without it until the problem is over", isRequired: false),
                .init("end", "takes it back", isRequired: false),
            ], effect: .settings, for: [.socket, .page, .broker], pace: .changing), taking: Acknowledgement.self
    ) { gateway, wish, _ throws(OperationError) in
        try await GatewayOperator(gateway).acknowledge(wish.problem, for: wish.seconds, ends: wish.end ?? false)
    }

    private static let maintenance = row(
        Shape(
            .maintenance, "Puts a sensor into maintenance: its problems are hidden behind a notice.",
            [
                sensor, .init("seconds", "60 to 31,536,000; without it the maintenance ends", isRequired: false),
            ], effect: .settings, for: [.socket, .page, .broker], pace: .changing), taking: Maintenance.self
    ) { gateway, wish, _ throws(OperationError) in
        try await GatewayOperator(gateway).maintain(wish.sensor, for: wish.seconds)
    }

    private static let read = row(
        Shape(
            .read, "Reads a characteristic of a sensor that there is a link to.", [sensor, characteristic, service],
            effect: .radio, for: [.socket]), taking: Characteristic.self
    ) { gateway, wish, _ throws(OperationError) in
        try await GatewayOperator(gateway).read(try wish.request)
    }

    private static let write = row(
        Shape(
            .write, "Writes a characteristic of a sensor that there is a link to.",
            [
                sensor, characteristic, service, .init("value", "pairs of hexadecimal digits, 512 at most"),
                .init("response", "whether the sensor confirms it", isRequired: false),
            ], effect: .radio, for: [.socket, .broker]), taking: Writing.self
    ) { gateway, wish, _ throws(OperationError) in
        try await GatewayOperator(gateway).write(
            wish.value, to: try wish.target.request, wantsResponse: wish.response)
    }

    private static let inspect = elsewhere(
        Shape(
            .inspect, "Connects to a device and tells what it has.",
            [
                .init("address", "the address of a device in the air", former: [.socket: "device"]),
                .init("seconds", "how long to listen: 30, and 120 at most", isRequired: false),
            ], effect: .radio, for: [.socket]), form: .dialogue)

    private static let pair = elsewhere(
        Shape(
            .pair, "Pairs with a sensor.",
            [sensor, .init("passkey", "six digits, where they are known", isRequired: false, isSecret: true)],
            effect: .settings, for: [.socket]), form: .dialogue)

    private static let unpair = row(
        Shape(
            .unpair, "Forgets a bond.",
            [
                .init(
                    "sensor", "id, name, address or identifier of a device that is paired",
                    former: [.socket: "device", .page: "device"])
            ], effect: .settings, for: [.socket, .page]), taking: Sensor.self
    ) { gateway, wish, _ throws(OperationError) in try await gateway.operations.unpair(wish.sensor) }

    private static let bonds = row(Shape(.bonds, "Lists the devices that are paired.", for: [.socket, .page])) {
        gateway, _ in
        await gateway.operations.bonds()
    }

    static let sensors: [OperationRow] = [
        devices, why, accept, forget, key, passkey, trust, acknowledge, maintenance, read, write, inspect, pair, unpair,
        bonds,
    ]
}
