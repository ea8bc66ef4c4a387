// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector

extension OperationName {
    package static let forget = Self("forget")
    package static let passkey = Self("passkey")
    package static let rename = Self("rename")
    package static let acknowledge = Self("acknowledge")
    package static let read = Self("read")
    package static let write = Self("write")
    package static let chart = Self("chart")
}

/// Operations on sensors.
extension OperationTable {
    private static let sensor = OperationRow.Argument(
        "sensor", "id, name, address or identifier of a sensor that is known", isInQuery: true,
        former: [.socket: "device"])
    private static let characteristic = OperationRow.Argument(
        "characteristic",
        "`SERVICE/CHARACTERISTIC`, UUIDs or names, like `180f/2a19`; with #2 behind them the second of several")
    private static let service = OperationRow.Argument(
        "service", "the service, as in the release before; `characteristic` is then without it", isRequired: false)

    package struct Sensor: Decodable, Sendable { package var sensor: String }

    package struct Forgetting: Decodable, Sendable {
        package var sensor: String
        package var quantity: String?
    }

    package struct Acceptance: Decodable, Sendable {
        package var address: String
        package var id: String?
        package var subscribe: [String]?
        package var passkey: String?
        package var label: String?
        package var room: String?
    }

    package struct Key: Decodable, Sendable {
        package var sensor: String
        package var key: String
    }

    package struct Passkey: Decodable, Sendable {
        package var sensor: String
        package var passkey: String
    }

    package struct Trust: Decodable, Sendable {
        package var sensor: String
        package var address: String?
    }

    package struct Renaming: Decodable, Sendable {
        package var sensor: String
        package var label: String?
        package var room: String?
    }

    package struct Acknowledgement: Decodable, Sendable {
        package var problem: String
        package var seconds: Double?
        package var end: Bool?
    }

    package struct Maintenance: Decodable, Sendable {
        package var sensor: String
        package var seconds: Double?
    }

    package struct Characteristic: Decodable, Sendable {
        package var sensor: String
        package var characteristic: String
        /// The service as an argument of its own, as in the release before.
        package var service: String?

        package var request: CharacteristicRequest {
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

    package struct Writing: Decodable, Sendable {
        package var target: Characteristic
        package var value: String
        package var response: Bool?

        private enum CodingKeys: CodingKey { case value, response }

        package init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            target = try Characteristic(from: decoder)
            value = try container.decode(String.self, forKey: .value)
            response = try container.decodeIfPresent(Bool.self, forKey: .response)
        }
    }

    package struct Charting: Decodable, Sendable {
        package var sensor: String
        package var range: ChartRange?
    }

    package struct Inspecting: Decodable, Sendable {
        package var address: String
        package var seconds: Double?
    }

    package struct Pairing: Decodable, Sendable {
        package var sensor: String
        package var passkey: String?
    }

    package static let devices = operation(
        Shape(
            .devices, "Lists the devices that were heard in the last minutes, the nearest first.",
            for: [.socket, .broker, .phone], bounds: .init(result: 1 << 20), aliases: [.init("scan", [.broker])]),
        giving: [HeardSensor].self)

    package static let why = operation(
        Shape(
            .why, "Tells why a sensor is as it is.", [sensor], for: [.socket, .page, .broker]), taking: Sensor.self,
        giving: SensorExplanation.self)

    package static let accept = operation(
        Shape(
            .accept, "Collects from a sensor, now and after each restart.",
            [
                .init("address", "the address of a device in the air", former: [.socket: "device"]),
                .init("id", "the sensor's name in topics", isRequired: false, former: [.broker: "sensor"]),
                .init("subscribe", "the values to collect: a list of `SERVICE/CHARACTERISTIC`", isRequired: false),
                .init("passkey", "six digits, where the sensor has some", isRequired: false, isSecret: true),
                .init("label", "the sensor's name for people", isRequired: false),
                .init("room", "its room or place", isRequired: false),
            ], effect: .settings, for: [.socket, .page, .broker, .phone], pace: .changing), taking: Acceptance.self,
        giving: HeardSensor.self)

    package static let forget = operation(
        Shape(
            .forget, "Takes an acceptance back, or forgets one quantity of the sensor, in Home Assistant, too.",
            [sensor, .init("quantity", "a quantity, by its name in payloads: `tvoc`", isRequired: false)],
            effect: .settings, for: [.socket, .page, .broker, .phone], pace: .changing), taking: Forgetting.self,
        giving: String.self)

    package static let key = operation(
        Shape(
            .key, "Gives a sensor the key that opens its advertisements.",
            [
                sensor,
                .init("key", "32, 24 or 48 hexadecimal digits", isSecret: true, former: [.socket: "bind_key"]),
            ], effect: .settings, for: [.socket, .page]), taking: Key.self, giving: String.self)

    package static let passkey = operation(
        Shape(
            .passkey, "Gives a sensor the passkey for pairing.",
            [sensor, .init("passkey", "six digits", isSecret: true)], effect: .settings, for: [.phone]),
        taking: Passkey.self, giving: String.self)

    package static let trust = operation(
        Shape(
            .trust, "Trusts a device as the sensor, or a counter after its new beginning, on the operator's word.",
            [sensor, .init("address", "the device that is the sensor", isRequired: false)], effect: .settings,
            for: [.socket, .page, .broker], pace: .changing), taking: Trust.self, giving: TrustedSensor.self)

    package static let rename = operation(
        Shape(
            .rename, "Gives a sensor that was accepted a name for people, and a room.",
            [
                sensor, .init("label", "1 to 64 characters; empty takes the label back", isRequired: false),
                .init("room", "1 to 64 characters; empty takes the room back", isRequired: false),
            ], effect: .settings, for: [.socket, .page, .phone]), taking: Renaming.self, giving: String.self)

    package static let acknowledge = operation(
        Shape(
            .acknowledge, "Notes an operator's knowledge of a problem: the problem becomes a notice on each surface.",
            [
                .init("problem", "its name, like `disk-low` or `sensor-silent:fridge`; or the sensor, or the part"),
                .init("seconds", "60 to 31,536,000; without it until the problem is over", isRequired: false),
                .init("end", "takes it back", isRequired: false),
            ], effect: .settings, for: [.socket, .page, .broker], pace: .changing), taking: Acknowledgement.self,
        giving: AcknowledgedProblems.self)

    package static let maintenance = operation(
        Shape(
            .maintenance, "Puts a sensor into maintenance: its problems are hidden behind a notice.",
            [
                sensor, .init("seconds", "60 to 31,536,000; without it the maintenance ends", isRequired: false),
            ], effect: .settings, for: [.socket, .page, .broker], pace: .changing), taking: Maintenance.self,
        giving: SensorMaintenance.self)

    package static let read = operation(
        Shape(
            .read, "Reads a characteristic of a sensor that there is a link to.", [sensor, characteristic, service],
            effect: .radio, for: [.socket]), taking: Characteristic.self, giving: CharacteristicValue.self)

    package static let write = operation(
        Shape(
            .write, "Writes a characteristic of a sensor that there is a link to.",
            [
                sensor, characteristic, service, .init("value", "pairs of hexadecimal digits, 512 at most"),
                .init("response", "whether the sensor confirms it", isRequired: false),
            ], effect: .radio, for: [.socket, .broker]), taking: Writing.self, giving: CharacteristicWrite.self)

    package static let chart = operation(
        Shape(
            .chart, "Gives the points of a sensor's charts.",
            [
                sensor,
                .init("range", "`1h`, `1d`, `7d` or `31d`; without it `1d`", isRequired: false, isInQuery: true),
            ], for: [.page], bounds: .init(result: 4 << 20), aliases: [.init("history", [.page])]),
        taking: Charting.self, giving: Chart.self)

    package static let inspect = operation(
        Shape(
            .inspect, "Connects to a device and lists its characteristics.",
            [
                .init("address", "the address of a device in the air", former: [.socket: "device"]),
                .init("seconds", "how long to listen: 30, and 120 at most", isRequired: false),
            ], effect: .radio, for: [.socket]), taking: Inspecting.self, giving: InspectionMessage.self, form: .dialogue
    )

    package static let pair = operation(
        Shape(
            .pair, "Pairs with a sensor.",
            [sensor, .init("passkey", "six digits, where they are known", isRequired: false, isSecret: true)],
            effect: .settings, for: [.socket]), taking: Pairing.self, giving: PairingMessage.self, form: .dialogue)

    package static let unpair = operation(
        Shape(
            .unpair, "Forgets a bond.",
            [
                .init(
                    "sensor", "id, name, address or identifier of a device that is paired",
                    former: [.socket: "device", .page: "device"])
            ], effect: .settings, for: [.socket, .page]), taking: Sensor.self, giving: BondStatus.self)

    package static let bonds = operation(
        Shape(.bonds, "Lists the devices that are paired.", for: [.socket, .page]), giving: BondList.self)

    static let sensors: [OperationRow] = [
        devices.row, why.row, accept.row, forget.row, key.row, passkey.row, trust.row, rename.row, acknowledge.row,
        maintenance.row, chart.row, read.row, write.row, inspect.row, pair.row, unpair.row, bonds.row,
    ]
}
