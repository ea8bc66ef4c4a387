// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth

/// The service for `CBPeripheralManager`: all attributes of ``ProvisioningTable``, in its order, whatever the present
/// permissions, because phones remember the handles.
struct ProvisioningCharacteristics: Sendable {
    typealias Item = ProvisioningTable.Item

    let service: CBMutableService
    private let items: [CBUUID: Item]
    private let characteristics: [Item: CBMutableCharacteristic]

    init() {
        var items: [CBUUID: Item] = [:]
        var characteristics: [Item: CBMutableCharacteristic] = [:]
        service = CBMutableService(type: CBUUID(of: ProvisioningTable.service), primary: true)
        service.characteristics = Item.allCases.map { item in
            let uuid = CBUUID(of: item.uuid)
            let characteristic = CBMutableCharacteristic(
                type: uuid, properties: item.properties, value: nil, permissions: item.permissions)
            characteristic.descriptors = [
                CBMutableDescriptor(
                    type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: item.userDescription)
            ]
            items[uuid] = item
            characteristics[item] = characteristic
            return characteristic
        }
        self.items = items
        self.characteristics = characteristics
    }

    func item(of characteristic: CBCharacteristic) -> Item? { items[characteristic.uuid] }

    subscript(item: Item) -> CBMutableCharacteristic? { characteristics[item] }
}

extension CBUUID {
    convenience init(of uuid: BluetoothUUID) { self.init(string: uuid.description) }
}

extension ProvisioningTable.Item {
    fileprivate var properties: CBCharacteristicProperties {
        var properties: CBCharacteristicProperties = []
        if reading != .nobody { properties.insert(.read) }
        if writing != .nobody { properties.insert(.write) }
        if notifies { properties.insert(.notifyEncryptionRequired) }
        return properties
    }

    fileprivate var permissions: CBAttributePermissions {
        var permissions: CBAttributePermissions = []
        switch reading {
        case .nobody: break
        case .everybody: permissions.insert(.readable)
        case .owner: permissions.insert(.readEncryptionRequired)
        }
        switch writing {
        case .nobody: break
        case .everybody: permissions.insert(.writeable)
        case .owner: permissions.insert(.writeEncryptionRequired)
        }
        // The required strength of encryption, also for notifications.
        if reading == .owner || writing == .owner || notifies {
            permissions.formUnion([.authenticationRequired, .secureConnectionsRequired])
        }
        return permissions
    }
}
