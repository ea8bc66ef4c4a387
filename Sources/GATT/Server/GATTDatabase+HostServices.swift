// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore

/// The values of the host's own GAP and GATT services. Core 5.4, Vol 3, Part C, 12; Part G, 7.
package struct HostServices: Equatable, Sendable {
    /// UTF-8, cut to 248 octets.
    package var deviceName: [UInt8]
    /// The permission for clients to write the name, denied by default; the host gets each write at
    /// ``GATTDatabase/nameHandle``.
    package var nameWrite: AttributeAccess
    package var appearance: UInt16
    /// The permission for clients to write the appearance, denied by default.
    package var appearanceWrite: AttributeAccess
    /// Peripheral Preferred Connection Parameters: 8 octets as they are read.
    package var preferredConnectionParameters: [UInt8]
    package var hasCentralAddressResolution: Bool
    /// Offers Resolvable Private Address Only.
    package var hasResolvablePrivateAddressOnly: Bool
    /// LE GATT Security Levels: a mode and a level for each way to all characteristics, one octet each. Nil: the
    /// characteristic is left out, also if there is no room beside ``keyMaterial`` and Resolvable Private Address Only.
    package var securityLevels: [UInt8]?
    /// Encrypted Data Key Material: the session key and the initialization vector, 24 octets. Nil: left out.
    package var keyMaterial: [UInt8]?
    /// The permission for reads and indications of the key material.
    package var keyMaterialAccess: AttributeAccess

    package init(
        deviceName: [UInt8], nameWrite: AttributeAccess = .denied, appearance: UInt16 = 0,
        preferredConnectionParameters: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0xFF, 0xFF],
        hasCentralAddressResolution: Bool = true, hasResolvablePrivateAddressOnly: Bool = false,
        appearanceWrite: AttributeAccess = .denied, securityLevels: [UInt8]? = nil, keyMaterial: [UInt8]? = nil,
        keyMaterialAccess: AttributeAccess = .encrypted
    ) {
        self.deviceName = deviceName
        self.nameWrite = nameWrite
        self.appearance = appearance
        self.preferredConnectionParameters = preferredConnectionParameters
        self.hasCentralAddressResolution = hasCentralAddressResolution
        self.hasResolvablePrivateAddressOnly = hasResolvablePrivateAddressOnly
        self.appearanceWrite = appearanceWrite
        self.securityLevels = securityLevels
        self.keyMaterial = keyMaterial
        self.keyMaterialAccess = keyMaterialAccess
    }
}

extension GATTDatabase {
    // Fixed, with room between: an option more in one service moves nothing else.
    package static let nameHandle: UInt16 = 0x0003
    package static let appearanceHandle: UInt16 = 0x0005
    static let attributeServiceHandle: UInt16 = 0x0010
    package static let serviceChangedHandle: UInt16 = 0x0012
    package static let clientSupportedFeaturesHandle: UInt16 = 0x0015
    package static let databaseHashHandle: UInt16 = 0x0017
    /// Handles of users' services begin here.
    package static let firstUserHandle: UInt16 = 0x0020

    static let clientSupportedFeatures = BluetoothUUID(UInt16(0x2B29))
    private static let keyMaterial = BluetoothUUID(UInt16(0x2B88))
    private static let maximumNameLength = 248

    package init(_ host: HostServices) {
        _ = insert(Self.accessService(host), owner: .host, at: 1)
        _ = insert(Self.attributeService, owner: .host, at: Self.attributeServiceHandle)
        nextHandle = Int(Self.firstUserHandle)
        version = 0
    }

    package mutating func setDeviceName(_ name: [UInt8]) {
        _ = setValue(Array(name.prefix(Self.maximumNameLength)), at: Self.nameHandle)
    }

    package mutating func setAppearance(_ appearance: UInt16) {
        var value: [UInt8] = []
        value.append(u16: appearance)
        _ = setValue(value, at: Self.appearanceHandle)
    }

    /// The handle of the key material; nil without one.
    package mutating func setKeyMaterial(_ octets: [UInt8]) -> UInt16? {
        let found = attributes.first { $0.type == Self.keyMaterial && $0.handle < Self.attributeServiceHandle }
        guard let handle = found?.handle, setValue(octets, at: handle) else { return nil }
        return handle
    }

    /// 16 octets as they go over the air; 0 until the host has set it.
    package var databaseHash: [UInt8] { self[handle: Self.databaseHashHandle]?.fixedValue ?? [] }

    /// Has to follow each change before the machines hear of the change.
    package mutating func setDatabaseHash(_ hash: [UInt8]) { _ = setValue(hash, at: Self.databaseHashHandle) }

    private static func accessService(_ host: HostServices) -> LocalService {
        var appearance: [UInt8] = []
        appearance.append(u16: host.appearance)
        var characteristics = [
            LocalCharacteristic(
                uuid: BluetoothUUID(UInt16(0x2A00)), properties: host.nameWrite.isAllowed ? [.read, .write] : .read,
                value: Array(host.deviceName.prefix(maximumNameLength)), write: host.nameWrite,
                maximumLength: maximumNameLength),
            LocalCharacteristic(
                uuid: BluetoothUUID(UInt16(0x2A01)),
                properties: host.appearanceWrite.isAllowed ? [.read, .write] : .read, value: appearance,
                write: host.appearanceWrite, maximumLength: 2),
            LocalCharacteristic(
                uuid: BluetoothUUID(UInt16(0x2A04)), properties: .read,
                value: Array(host.preferredConnectionParameters.prefix(8)), write: .denied),
            LocalCharacteristic(
                uuid: BluetoothUUID(UInt16(0x2AA6)), properties: .read,
                value: [host.hasCentralAddressResolution ? 1 : 0], write: .denied),
        ]
        if host.hasResolvablePrivateAddressOnly {
            characteristics.append(
                LocalCharacteristic(
                    uuid: BluetoothUUID(UInt16(0x2AC9)), properties: .read, value: [0], write: .denied))
        }
        if let levels = host.securityLevels, host.keyMaterial == nil || !host.hasResolvablePrivateAddressOnly {
            characteristics.append(
                LocalCharacteristic(
                    uuid: BluetoothUUID(UInt16(0x2BF5)), properties: .read, value: levels, write: .denied))
        }
        if let keyMaterial = host.keyMaterial {
            characteristics.append(
                LocalCharacteristic(
                    uuid: Self.keyMaterial, properties: [.read, .indicate], value: keyMaterial,
                    read: host.keyMaterialAccess, write: .denied, notify: host.keyMaterialAccess))
        }
        return LocalService(uuid: BluetoothUUID(UInt16(0x1800)), characteristics: characteristics)
    }

    private static let attributeService = LocalService(
        uuid: BluetoothUUID(UInt16(0x1801)),
        characteristics: [
            LocalCharacteristic(
                uuid: BluetoothUUID(UInt16(0x2A05)), properties: .indicate, value: [0, 0, 0, 0], read: .denied,
                write: .denied),
            LocalCharacteristic(uuid: clientSupportedFeatures, properties: [.read, .write]),
            LocalCharacteristic(
                uuid: TableType.databaseHash, properties: .read, value: [UInt8](repeating: 0, count: 16),
                write: .denied),
            // Enhanced ATT bearers are not offered.
            LocalCharacteristic(uuid: BluetoothUUID(UInt16(0x2B3A)), properties: .read, value: [0], write: .denied),
        ])
}
