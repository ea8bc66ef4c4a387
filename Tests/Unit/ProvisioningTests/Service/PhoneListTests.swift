// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Testing

@testable import CoreBluetooth
@testable import Provisioning

/// The service keeps a phone's state by the phone's proved identity.
struct PhoneListTests {
    private let central = CBCentral(address: DeviceAddress(kind: .public, value: 1), identifier: UUID())

    @Test func `a central that turns out to be somebody is met anew`() {
        var list = PhoneList()
        let first = list.with(central, identity: "one", limit: 4) { phone in
            phone.isAdmitted = true
            phone.snapshots[.broker] = [1]
            phone.lastError = "of one"
        }
        #expect(first.former == nil)
        let again = list.with(central, identity: "one", limit: 4) { ($0.isAdmitted, $0.lastError) }
        #expect(again.former == nil && again.result == (true, "of one"))
        let other = list.with(central, identity: "two", limit: 4) { $0 }
        #expect(other.former == "one" && other.result.identity == "two")
        #expect(!other.result.isAdmitted && other.result.snapshots.isEmpty && other.result.lastError.isEmpty)
        #expect(list.count == 1 && list.isConnected("two") && !list.isConnected("one"))
    }

    @Test func `the one that was used last is the last to go, and one that has gone is forgotten`() {
        var list = PhoneList()
        var gone: CBCentral? = CBCentral(address: DeviceAddress(kind: .public, value: 2), identifier: UUID())
        let kept = CBCentral(address: DeviceAddress(kind: .public, value: 3), identifier: UUID())
        if let gone { _ = list.with(gone, identity: "gone", limit: 2) { _ in } }
        _ = list.with(central, identity: "one", limit: 2) { _ in }
        #expect(list.isConnected("gone"))
        gone = nil
        #expect(!list.isConnected("gone") && list.count == 1)
        _ = list.with(kept, identity: "kept", limit: 2) { _ in }
        _ = list.with(central, identity: "one", limit: 2) { _ in }
        let third = CBCentral(address: DeviceAddress(kind: .public, value: 4), identifier: UUID())
        _ = list.with(third, identity: "third", limit: 2) { _ in }
        #expect(list.isConnected("one") && list.isConnected("third") && !list.isConnected("kept"))
    }
}
