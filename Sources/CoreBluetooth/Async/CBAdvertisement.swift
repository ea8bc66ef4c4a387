// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation

/// Additive: one advertisement of a peripheral, together with its scan response if there was a response.
public struct CBAdvertisement: Sendable {
    /// The sender. Keep a reference to connect to the peripheral.
    public let peripheral: CBPeripheral
    /// The advertised name, complete or shortened.
    public private(set) var localName: String?
    /// The company identifier first, least significant octet first.
    public private(set) var manufacturerData: Data?
    /// The data of services, by UUID.
    public private(set) var serviceData: [CBUUID: Data] = [:]
    /// The advertised list of services, complete or not.
    public private(set) var serviceUUIDs: [CBUUID] = []
    /// The services that the peripheral solicits from other devices.
    public private(set) var solicitedServiceUUIDs: [CBUUID] = []
    /// dBm, as the peripheral says.
    public private(set) var txPowerLevel: Int?
    /// Whether the peripheral accepts connections.
    public let isConnectable: Bool
    /// dBm, −127…20; nil if the controller could not measure the signal.
    public let rssi: Int?
    /// The time at which the manager got the advertisement.
    public let timestamp: Date
    /// As they came, for people.
    package let octets: AdvertisedOctets

    init(
        _ octets: ArraySlice<UInt8>, responseAt: Int, of peripheral: CBPeripheral, isConnectable: Bool, rssi: Int8,
        timestamp: Date = Date()
    ) {
        self.peripheral = peripheral
        self.isConnectable = isConnectable
        self.rssi = rssi == 127 ? nil : Int(rssi)
        self.timestamp = timestamp
        self.octets = AdvertisedOctets(octets.span.bytes, responseAt: responseAt)
        var hasCompleteName = false
        for structure in AdvertisingData(octets, responseAt: responseAt) {
            switch structure.type {
            case .manufacturerData:
                // The data of the advertisement goes before that of the scan response.
                manufacturerData = manufacturerData ?? Data(structure.value)
            case .completeLocalName:
                localName = String(decoding: structure.value, as: UTF8.self)
                hasCompleteName = true
            case .shortenedLocalName where !hasCompleteName:
                localName = String(decoding: structure.value, as: UTF8.self)
            case .txPowerLevel:
                txPowerLevel = structure.value.first.map { Int(Int8(bitPattern: $0)) }
            default: appendUUIDs(structure)
            }
        }
    }

    private mutating func appendUUIDs(_ structure: AdvertisingData.Structure) {
        if let width = structure.type.serviceUUIDWidth {
            serviceUUIDs += structure.uuids(width: width).map { CBUUID($0) }
        } else if let width = structure.type.solicitedUUIDWidth {
            solicitedServiceUUIDs += structure.uuids(width: width).map { CBUUID($0) }
        } else if let width = structure.type.serviceDataUUIDWidth, structure.value.count >= width,
            let uuid = BluetoothUUID(littleEndian: structure.value.prefix(width))
        {
            serviceData[CBUUID(uuid)] = Data(structure.value.dropFirst(width))
        }
    }
}
