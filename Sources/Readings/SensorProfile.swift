// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The characteristics to collect from sensors with certain advertised services, so that users need not list UUIDs.
package struct SensorProfile: Sendable {
    /// A characteristic and its service.
    package struct Feed: Equatable, Sendable {
        package var service: BluetoothUUID
        package var characteristic: BluetoothUUID
    }

    /// The octets of a command. The sensor answers with notifications.
    package struct Command: Equatable, Sendable {
        package var feed: Feed
        package var value: [UInt8]
    }

    /// The name for `profile` in an entry: `airthings-wave`; for a service of the Bluetooth SIG, the service's name.
    package let name: String
    /// The advertised names of the sensors, if many makers use the UUID of the service. An entry has to name such a
    /// profile.
    package var sensors: [String] = []
    package let subscribe: [Feed]
    package let read: [Feed]
    /// Seconds between reads; nil if values come by themselves.
    package let readEverySeconds: Int?
    package var write: [Command] = []
    /// Seconds between rounds of commands; nil if a round a link is enough.
    package var writeEverySeconds: Int?
    /// Facts for owners of the sensor. Sentences; may be empty.
    package let hint: String

    /// All services of the profile's characteristics, each once.
    package var services: [BluetoothUUID] {
        var seen: Set<BluetoothUUID> = []
        return (subscribe + read).map(\.service).filter { seen.insert($0).inserted }
    }

    private init(
        _ name: String, subscribe: [Feed] = [], read: [Feed] = [], everySeconds: Int? = nil, hint: String = ""
    ) {
        self.name = name
        self.subscribe = subscribe
        self.read = read
        readEverySeconds = everySeconds
        self.hint = hint
    }

    private init(_ name: String, service: UInt16, notifies characteristics: UInt16...) {
        self.init(
            name,
            subscribe: characteristics.map {
                Feed(service: BluetoothUUID(service), characteristic: BluetoothUUID($0))
            })
    }

    /// Sensors of a maker, by their advertised names.
    private init(
        _ name: String, sensors: [String], subscribe feed: Feed, read: [Feed] = [], readEverySeconds: Int? = nil,
        command: Command? = nil, hint: String
    ) {
        self.init(name, subscribe: [feed], read: read, everySeconds: readEverySeconds, hint: hint)
        (self.sensors, write) = (sensors, command.map { [$0] } ?? [])
        writeEverySeconds = command.map { _ in 60 }
    }

    package static func named(_ name: String) -> SensorProfile? { all.first { $0.name == name } }

    /// The profile of sensors with this advertised name.
    package static func ofSensor(named name: String) -> SensorProfile? { all.first { $0.sensors.contains(name) } }

    /// The profile of a device with these advertised services. Services with measurements go before services that most
    /// devices have.
    package static func of(_ services: [BluetoothUUID]) -> SensorProfile? {
        all.first { profile in profile.sensors.isEmpty && profile.services.contains(where: services.contains) }
    }

    /// The service of Leagend's battery monitors, with its characteristics for commands and values.
    private static func leagend(_ characteristic: UInt16) -> Feed {
        Feed(service: BluetoothUUID(0xFFF0 as UInt16), characteristic: BluetoothUUID(characteristic))
    }

    private static let hintOfOneClient = "The sensor serves a single device: close the maker's app."

    private static func battery(_ name: String, _ sensors: String..., command: UInt64...) -> SensorProfile {
        let value = command.flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * $0)) } }
        return SensorProfile(
            name, sensors: sensors, subscribe: leagend(0xFFF4),
            command: value.isEmpty ? nil : Command(feed: leagend(0xFFF3), value: value), hint: hintOfOneClient)
    }

    /// In the order of the search.
    package static let all: [SensorProfile] = [
        SensorProfile(
            "airthings-wave",
            read: [
                Airthings.feed(service: 0xB42E_1C08, characteristic: 0xB42E_2A68),
                Airthings.feed(service: 0xB42E_4A8E, characteristic: 0xB42E_4DCC),
                Airthings.feed(service: 0xB42E_3882, characteristic: 0xB42E_3B98),
                Airthings.feed(service: 0xB42E_1F6E, characteristic: 0xB42E_01AA),
                Airthings.feed(service: 0xB42E_1F6E, characteristic: 0xB42E_0A4C),
                Feed(service: Airthings.uuid(0xB42E_1F6E), characteristic: BluetoothUUID(0x2A6E as UInt16)),
                Feed(service: Airthings.uuid(0xB42E_1F6E), characteristic: BluetoothUUID(0x2A6F as UInt16)),
            ],
            everySeconds: 300,
            hint: "Measures every five minutes and serves one at a time: a hub of its maker keeps others out."),
        SensorProfile(
            "aranet4",
            read: [
                Feed(service: BluetoothUUID(0xFCE0 as UInt16), characteristic: AranetDetailedDecoder.characteristic),
                Feed(service: Aranet.formerService, characteristic: AranetDetailedDecoder.characteristic),
            ],
            everySeconds: 300,
            hint:
                "Has to be paired first: martlet pair asks for the code that it shows. With \"Smart Home integration\" "
                + "on in its app, it advertises its values, and needs no link."),
        SensorProfile("environmental_sensing", service: 0x181A, notifies: 0x2A6E, 0x2A6F, 0x2A6D),
        SensorProfile("health_thermometer", service: 0x1809, notifies: 0x2A1C),
        SensorProfile("heart_rate", service: 0x180D, notifies: 0x2A37),
        SensorProfile("weight_scale", service: 0x181D, notifies: 0x2A9D),
        SensorProfile("body_composition", service: 0x181B, notifies: 0x2A9C),
        SensorProfile("blood_pressure", service: 0x1810, notifies: 0x2A35),
        SensorProfile("pulse_oximeter", service: 0x1822, notifies: 0x2A5F),
        SensorProfile("cycling_power", service: 0x1818, notifies: 0x2A63),
        SensorProfile("cycling_speed_and_cadence", service: 0x1816, notifies: 0x2A5B),
        SensorProfile("running_speed_and_cadence", service: 0x1814, notifies: 0x2A53),
        SensorProfile("fitness_machine", service: 0x1826, notifies: 0x2AD2, 0x2ACD, 0x2AD1),
        SensorProfile("continuous_glucose_monitoring", service: 0x181F, notifies: 0x2AA7),
        SensorProfile("battery_service", service: 0x180F, notifies: 0x2A19),
        battery("bm2", "Battery Monitor", "Li Battery Monitor", "ZX-1689"),
        // The plain octets D1 55 07 and zeros, enciphered with the model's key.
        battery("bm6", "BM6", command: 0x697E_A0B5_D54C_F024, 0xE794_7723_5555_4114),
        battery("bm7", "BM300 Pro", command: 0x586D_7B23_77C6_924D, 0xCD75_0ACB_29F5_BF8D),
        SensorProfile(
            "inkbird-idt-34c", sensors: ["IDT-34c-B"],
            subscribe: Feed(
                service: BluetoothUUID(0xFF00 as UInt16), characteristic: BluetoothUUID(0xFF01 as UInt16)),
            read: [
                Feed(service: BluetoothUUID(0x180F as UInt16), characteristic: BluetoothUUID(0x2A19 as UInt16))
            ], readEverySeconds: 3600, hint: hintOfOneClient),
    ]
}
