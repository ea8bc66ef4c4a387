// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The attributes of the configuration service, in the order of their handles. The table never changes within a version
/// of the protocol, because phones remember it. docs/provisioning-protocol.md describes each value.
package enum ProvisioningTable {
    /// The value of ``Item/protocolVersion``.
    package static let version = "1"
    package static let service = uuid(0x0001)

    /// The clients that may read, write or subscribe to a value.
    package enum Access: Sendable {
        case nobody
        case everybody
        /// A phone on a link encrypted under an authenticated key of LE Secure Connections.
        case owner
    }

    package enum Item: UInt16, CaseIterable, Sendable {
        case protocolVersion = 0x0010
        case model = 0x0011
        case name = 0x0012
        case state = 0x0013
        case nextStep = 0x0014
        case country = 0x0020
        case networks = 0x0021
        case wireless = 0x0022
        case broker = 0x0023
        case authority = 0x0024
        case authorityData = 0x0025
        case time = 0x0026
        case sensors = 0x0030
        case acceptSensor = 0x0031
        case forgetSensor = 0x0032
        case sensorPasskey = 0x0033
        case status = 0x0040
        case log = 0x0041
        case identify = 0x0042
        case apply = 0x0050
        case rollBack = 0x0051
        case factoryReset = 0x0052
        case window = 0x0060
        case lastError = 0x0061
    }

    /// `c60eNNNN-6fca-4533-8c04-739715e5f018`.
    package static func uuid(_ number: UInt16) -> BluetoothUUID {
        let digits = String(number, radix: 16)
        let text = "c60e" + String(repeating: "0", count: 4 - digits.count) + digits + "-6fca-4533-8c04-739715e5f018"
        // Always well formed, for any number.
        return BluetoothUUID(text) ?? BluetoothUUID(UInt16(0xFFFF))
    }
}

extension ProvisioningTable.Item {
    package var uuid: BluetoothUUID { ProvisioningTable.uuid(rawValue) }

    /// The Characteristic User Description, for people with a general Bluetooth application.
    package var userDescription: String {
        switch self {
        case .protocolVersion: "Protocol version"
        case .model: "Model"
        case .name: "Name"
        case .state: "State"
        case .nextStep: "Next step"
        case .country: "Wi-Fi country"
        case .networks: "Wi-Fi networks"
        case .wireless: "Wi-Fi"
        case .broker: "Broker"
        case .authority: "CA certificate"
        case .authorityData: "CA certificate data"
        case .time: "Time"
        case .sensors: "Sensors heard"
        case .acceptSensor: "Accept a sensor"
        case .forgetSensor: "Forget a sensor"
        case .sensorPasskey: "Passkey of a sensor"
        case .status: "Status"
        case .log: "Log"
        case .identify: "Identify"
        case .apply: "Apply"
        case .rollBack: "Roll back"
        case .factoryReset: "Factory reset"
        case .window: "Pairing window"
        case .lastError: "Last error"
        }
    }

    package var reading: ProvisioningTable.Access {
        switch self {
        case .protocolVersion, .model, .name, .state, .nextStep: .everybody
        case .authorityData, .acceptSensor, .forgetSensor, .sensorPasskey, .identify, .rollBack, .factoryReset: .nobody
        default: .owner
        }
    }

    package var writing: ProvisioningTable.Access {
        switch self {
        case .protocolVersion, .model, .state, .nextStep, .sensors, .status, .log, .lastError: .nobody
        default: .owner
        }
    }

    /// Values that the gateway notifies, only to owners: text in pieces that fit a notification. A line feed ends a
    /// message.
    package var notifies: Bool {
        switch self {
        case .networks, .sensors, .status, .log, .apply: true
        default: false
        }
    }
}

/// Why a write was refused, in addition to the codes of the specification. ``ProvisioningTable/Item/lastError`` has the
/// words. Core 5.4, Vol 3, Part F, 3.4.1.1: 0x80…0x9F are the application's.
package enum ProvisioningErrorCode: UInt8, Sendable, CaseIterable {
    /// The value is malformed, or impossible.
    case notValid = 0x80
    /// Another phone is changing the settings, or a change is being applied.
    case busy = 0x81
    /// There is no change to apply, or no former state to restore.
    case nothingThere = 0x82
    /// This gateway lacks the part: no Wi-Fi, no LED.
    case notSupported = 0x83
    case failed = 0x84
}
