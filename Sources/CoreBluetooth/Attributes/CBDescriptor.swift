// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import Foundation
import Synchronization

/// A descriptor of a characteristic.
open class CBDescriptor: CBAttribute, @unchecked Sendable {
    private struct State {
        weak var characteristic: CBCharacteristic?
        var value: SendableValue?
    }

    /// Apple's types for the values of known descriptors.
    enum SendableValue: Sendable {
        case number(UInt16)
        case text(String)
        case octets(Data)

        init(_ octets: [UInt8], of type: BluetoothUUID) {
            switch type.short {
            case 0x2900, 0x2902, 0x2903:
                let number = octets.prefix(2).reversed().reduce(UInt16(0)) { $0 << 8 | UInt16($1) }
                self = .number(number)
            case 0x2901: self = .text(String(decoding: octets, as: UTF8.self))
            default: self = .octets(Data(octets))
            }
        }
    }

    private let changing: Mutex<State>
    let handle: UInt16

    init(_ information: ATTPDU.AttributeInformation, characteristic: CBCharacteristic) {
        handle = information.handle
        changing = Mutex(State(characteristic: characteristic))
        super.init(uuid: CBUUID(information.type))
    }

    /// A descriptor of this host.
    init(local uuid: CBUUID, value: SendableValue?) {
        handle = 0
        changing = Mutex(State(value: value))
        super.init(uuid: uuid)
    }

    /// The value's octets in an attribute.
    var octets: [UInt8]? { changing.withLock { $0.value }?.octets }

    var preservedValue: PeripheralSnapshot.Value? {
        switch changing.withLock({ $0.value }) {
        case .number(let number): .number(number)
        case .text(let text): .text(text)
        case .octets(let octets): .octets(octets)
        case nil: nil
        }
    }

    func setCharacteristic(_ characteristic: CBCharacteristic?) {
        changing.withLock { $0.characteristic = characteristic }
    }

    /// The descriptor's characteristic; nil when the characteristic is gone.
    open var characteristic: CBCharacteristic? { changing.withLock { $0.characteristic } }

    /// The value of the last read: `NSNumber` for extended properties and configurations, `String` for the user
    /// description, `Data` for everything else.
    open var value: Any? {
        switch changing.withLock({ $0.value }) {
        case .number(let number): NSNumber(value: number)
        case .text(let text): text
        case .octets(let octets): octets
        case nil: nil
        }
    }

    func set(_ octets: [UInt8]) {
        let new = SendableValue(octets, of: uuid.value)
        changing.withLock { $0.value = new }
    }
}
