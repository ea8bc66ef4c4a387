// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Testing

@testable import Provisioning

@Suite("The table of the configuration service") struct ProvisioningTableTests {
    @Test("each characteristic has a UUID of its own in the service's family") func uuids() {
        let uuids = ProvisioningTable.Item.allCases.map(\.uuid) + [ProvisioningTable.service]
        #expect(Set(uuids).count == uuids.count)
        for uuid in uuids { #expect(uuid.description.lowercased().hasSuffix("-6fca-4533-8c04-739715e5f018")) }
        #expect(ProvisioningTable.Item.apply.uuid.description.lowercased().hasPrefix("c60e0050-"))
    }

    @Test("open values can be read, and no other values") func open() {
        let open = ProvisioningTable.Item.allCases.filter { $0.reading == .everybody }
        #expect(open == [.protocolVersion, .model, .name, .state, .nextStep])
        for item in ProvisioningTable.Item.allCases { #expect(item.writing != .everybody) }
        for item in open { #expect(!item.notifies) }
    }

    @Test("every access to an owner's value needs authentication and LE Secure Connections") func protection() {
        let attributes = ProvisioningCharacteristics()
        for item in ProvisioningTable.Item.allCases {
            guard let permissions = attributes[item]?.permissions, item != .name else { continue }
            let isOwners = item.reading == .owner || item.writing == .owner || item.notifies
            #expect(
                permissions.isSuperset(of: [.authenticationRequired, .secureConnectionsRequired]) == isOwners, "\(item)"
            )
            #expect(permissions.contains(.readEncryptionRequired) == (item.reading == .owner), "\(item)")
            #expect(permissions.contains(.writeEncryptionRequired) == (item.writing == .owner), "\(item)")
            #expect(permissions.contains(.readable) == (item.reading == .everybody), "\(item)")
            #expect(!permissions.contains(.writeable), "\(item)")
        }
        let name = attributes[.name]?.permissions
        #expect(
            name == [.readable, .writeEncryptionRequired, .authenticationRequired, .secureConnectionsRequired])
    }
}
