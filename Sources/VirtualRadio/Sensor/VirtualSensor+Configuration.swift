// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

extension VirtualSensor {
    /// The properties and the behaviour of a simulated sensor.
    package struct Configuration: Sendable {
        package var address: DeviceAddress
        package var name: String
        package var kind: Kind
        /// Values a second while a client is subscribed.
        package var rate: Double
        package var signal: Signal
        /// Ends the link by itself after this many values on the link.
        package var dropEvery: Int?
        package var advertisingInterval: Duration
        /// The signal strength that other nodes measure, in dBm.
        package var signalStrength: Int8
        /// Connection interval that the sensor asks its Central for by L2CAP, in units of 1.25 ms.
        package var wantedInterval: ClosedRange<UInt16>?
        /// Puts Client Supported Features and Database Hash into the Generic Attribute service; later handles move.
        package var hasDatabaseHash: Bool
        /// Meaningless services behind the sensor's own, each with three values to read; 0…64.
        package var furtherServices: Int
        /// Advertised Service Data of a 16-bit UUID: the UUID, least significant octet first, and up to 6 octets.
        package var serviceData: [UInt8]
        /// Points in which the sensor departs from the Core Specification.
        package var oddities: Set<SensorOddity> = []
        /// The sensor takes a link, and answers nothing on it.
        package var answersNothing = false

        package init(
            address: DeviceAddress, name: String, kind: Kind, rate: Double = 10, signal: Signal = .counting,
            dropEvery: Int? = nil, advertisingInterval: Duration = .milliseconds(100), signalStrength: Int8 = -60,
            wantedInterval: ClosedRange<UInt16>? = nil, hasDatabaseHash: Bool = false, furtherServices: Int = 0,
            serviceData: [UInt8] = []
        ) {
            self.address = address
            self.name = name
            self.kind = kind
            self.rate = rate
            self.signal = signal
            self.dropEvery = dropEvery
            self.advertisingInterval = advertisingInterval
            self.signalStrength = signalStrength
            self.wantedInterval = wantedInterval
            self.hasDatabaseHash = hasDatabaseHash
            self.furtherServices = min(max(furtherServices, 0), 64)
            self.serviceData = Array(serviceData.prefix(8))
        }
    }

    package enum Kind: String, CaseIterable, Sendable {
        /// Health Thermometer 0x1809: Temperature Measurement, indicated.
        case thermometer
        /// Heart Rate 0x180D: Heart Rate Measurement with RR intervals, notified.
        case heartRate = "heart-rate"
        /// Environmental Sensing 0x181A: temperature, humidity and pressure, notified.
        case environment
        /// A service of its own: a sequence number and the time, notified; and a value to write and read back.
        case counter
        /// Airthings Wave Plus: one value for reads, which the sensor never sends by itself.
        case airthings = "airthings-wave-plus"
        /// A serial line that echoes its input.
        case uart
        /// A battery monitor BM6, which sends encrypted values after an encrypted command.
        case batteryMonitor = "battery-monitor"

        package var service: BluetoothUUID {
            switch self {
            case .thermometer: BluetoothUUID(0x1809 as UInt16)
            case .heartRate: BluetoothUUID(0x180D as UInt16)
            case .environment: BluetoothUUID(0x181A as UInt16)
            case .counter: CounterService.service
            case .airthings: AirthingsService.service
            case .uart: UARTService.service
            case .batteryMonitor: BatteryMonitorService.service
            }
        }

        /// Sends no values before a command.
        var awaitsCommand: Bool { self == .batteryMonitor }
    }

    /// The course of the values.
    package enum Signal: Sendable, Equatable {
        /// The values follow from the sequence number.
        case counting
        /// The values go up and down around a mean: degrees Celsius, or beats a minute.
        case smooth(mean: Double, swing: Double, period: Duration)
    }
}

/// The UUIDs of the counter kind.
package enum CounterService {
    package static let service = BluetoothUUID(high: 0x5E4D_0001_1C7B_4B5E, low: 0x9B0A_3F6B_2C9D_7A10)
    /// uint32 sequence, then uint64 microseconds since the epoch; read, notify.
    package static let value = BluetoothUUID(high: 0x5E4D_0002_1C7B_4B5E, low: 0x9B0A_3F6B_2C9D_7A10)
    /// Up to 512 octets of anything; read, write, write without response, long writes.
    package static let scratch = BluetoothUUID(high: 0x5E4D_0003_1C7B_4B5E, low: 0x9B0A_3F6B_2C9D_7A10)
}

/// The UUIDs of the Airthings kind.
package enum AirthingsService {
    package static let service = BluetoothUUID(high: 0xB42E_1C08_ADE7_11E4, low: 0x89D3_123B_93F7_5CBA)
    package static let value = BluetoothUUID(high: 0xB42E_2A68_ADE7_11E4, low: 0x89D3_123B_93F7_5CBA)
}

/// The UUIDs of a sensor's further services.
enum FurtherService {
    static let characteristics = 3

    static func service(_ number: Int) -> BluetoothUUID { uuid(number, 0) }

    /// `position`: 1…``characteristics``.
    static func characteristic(_ position: Int, of number: Int) -> BluetoothUUID { uuid(number, position) }

    private static func uuid(_ number: Int, _ position: Int) -> BluetoothUUID {
        let part = UInt64(number & 0xFF) << 40 | UInt64(position & 0xFF) << 32
        return BluetoothUUID(high: 0x5E4E_0000_1C7B_4B5E + part, low: 0x9B0A_3F6B_2C9D_7A10)
    }
}
