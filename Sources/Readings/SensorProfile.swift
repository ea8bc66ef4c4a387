// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The characteristics to collect from sensors with certain advertised services, so that users need not list UUIDs.
package struct SensorProfile: Sendable {
    /// A characteristic and its service.
    package struct Feed: Equatable, Sendable {
        package var service: BluetoothUUID
        package var characteristic: BluetoothUUID
    }

    /// The name for `profile` in an entry: `airthings-wave`; for a service of the Bluetooth SIG, the service's name.
    package let name: String
    package let subscribe: [Feed]
    package let read: [Feed]
    /// Seconds between reads; nil if values come by themselves.
    package let readEverySeconds: Int?
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

    package static func named(_ name: String) -> SensorProfile? { all.first { $0.name == name } }

    /// The profile of a device with these advertised services. Services with measurements go before services that most
    /// devices have.
    package static func of(_ services: [BluetoothUUID]) -> SensorProfile? {
        all.first { profile in profile.services.contains(where: services.contains) }
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
                "Has to be paired first, by the code that it shows. With \"Smart Home integration\" "
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
    ]
}
