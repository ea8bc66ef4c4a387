// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import Foundation
import GATT
import Synchronization

/// A service of a peripheral.
open class CBService: CBAttribute, @unchecked Sendable {
    private struct State {
        weak var peripheral: CBPeripheral?
        var includedServices: [CBService]?
        var characteristics: [CBCharacteristic]?
    }

    private let changing: Mutex<State>
    let handles: ATTPDU.HandleRange
    private let standsForItself: Bool

    init(_ service: RemoteService, peripheral: CBPeripheral, isPrimary: Bool) {
        handles = service.handles
        standsForItself = isPrimary
        changing = Mutex(State(peripheral: peripheral))
        super.init(uuid: CBUUID(service.uuid))
    }

    /// A service of this host, which has its handles from when it is published.
    init(local uuid: CBUUID, isPrimary: Bool) {
        handles = ATTPDU.HandleRange(start: 0, end: 0)
        standsForItself = isPrimary
        changing = Mutex(State())
        super.init(uuid: uuid)
    }

    /// GAP and GATT services of a peripheral: the host reads the name, and listens to Service Changed.
    static func belongsToHost(_ type: BluetoothUUID) -> Bool { type.short == 0x1800 || type.short == 0x1801 }

    open override var description: String {
        "<\(type(of: self)) isPrimary = \(isPrimary), UUID = \(uuid.uuidString)>"
    }

    /// True for a primary service; false for a service that only other services include.
    open var isPrimary: Bool { standsForItself }

    /// The service's peripheral; nil when the peripheral is gone.
    open var peripheral: CBPeripheral? { changing.withLock { $0.peripheral } }

    /// Nil until they were discovered.
    open internal(set) var includedServices: [CBService]? {
        get { changing.withLock { $0.includedServices } }
        set { changing.withLock { $0.includedServices = newValue } }
    }

    /// Nil until they were discovered.
    open internal(set) var characteristics: [CBCharacteristic]? {
        get { changing.withLock { $0.characteristics } }
        set { changing.withLock { $0.characteristics = newValue } }
    }
}
