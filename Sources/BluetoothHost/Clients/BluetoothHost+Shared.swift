// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

extension BluetoothHost {
    /// Facts of the host for readers on other threads.
    struct Shared {
        var counters = HostCounters()
        var health = RadioHealth()
        var slots = ConnectionSlots(used: 0)
        var state = HostState.unknown
        var reason = "starting"
        var deliveries = ClientDeliveries()
        var unclaimedValues: UInt64 = 0
        var connected: [DeviceAddress: Set<BluetoothUUID>] = [:]
        var usesExtendedCommands = false
        var features: LEFeatures = []
        var nextClient: UInt8 = 0
        var freeClients: [UInt8] = []
    }
}
