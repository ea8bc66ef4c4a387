// SPDX-License-Identifier: Apache-2.0

import Testing

import BluetoothCore

@testable import Provisioning

@Suite("The table of the configuration service") struct ProvisioningTableTests {
    @Test("each characteristic has a UUID of its own in the service's family") func uuids() {
        let uuids = ProvisioningTable.Item.allCases.map(\.uuid) + [ProvisioningTable.service]
        #expect(Set(uuids).count == uuids.count)
        for uuid in uuids { #expect(uuid.description.lowercased().hasSuffix("-6fca-4533-8c04-739715e5f018")) }
        #expect(ProvisioningTable.Item.apply.uuid.description.lowercased().hasPrefix("c60e0050-"))
    }

    @Test("what is open to everybody can be read, and nothing else") func open() {
        let open = ProvisioningTable.Item.allCases.filter { $0.reading == .everybody }
        #expect(open == [.protocolVersion, .model, .name, .state, .nextStep])
        for item in ProvisioningTable.Item.allCases { #expect(item.writing != .everybody) }
        for item in open { #expect(!item.notifies) }
    }
}
