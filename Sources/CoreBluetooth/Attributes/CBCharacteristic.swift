// SPDX-License-Identifier: Apache-2.0

import Foundation
import GATT
import Synchronization

/// Core 5.4, Vol 3, Part G, 3.3.1.1; the last two are local.
public struct CBCharacteristicProperties: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The value may be broadcast in advertisements; not for local characteristics.
    public static let broadcast = Self(rawValue: 0x01)
    /// The value can be read.
    public static let read = Self(rawValue: 0x02)
    /// The value can be written without an answer.
    public static let writeWithoutResponse = Self(rawValue: 0x04)
    /// The value can be written with an answer.
    public static let write = Self(rawValue: 0x08)
    /// The characteristic notifies its values.
    public static let notify = Self(rawValue: 0x10)
    /// The characteristic indicates its values: the client confirms each value.
    public static let indicate = Self(rawValue: 0x20)
    /// The characteristic takes signed writes without an answer.
    public static let authenticatedSignedWrites = Self(rawValue: 0x40)
    /// Descriptor 0x2900 says more.
    public static let extendedProperties = Self(rawValue: 0x80)
    /// Local: notifies over encrypted connections only.
    public static let notifyEncryptionRequired = Self(rawValue: 0x100)
    /// Local: indicates over encrypted connections only.
    public static let indicateEncryptionRequired = Self(rawValue: 0x200)
}

/// Whether a write is answered.
public enum CBCharacteristicWriteType: Int, Sendable {
    /// The peripheral answers, and the delegate gets the answer.
    case withResponse = 0
    /// The peripheral sends no answer.
    case withoutResponse = 1
}

/// A characteristic of a service.
open class CBCharacteristic: CBAttribute, @unchecked Sendable {
    private struct State {
        weak var service: CBService?
        var properties: CBCharacteristicProperties
        var value: Data?
        var descriptors: [CBDescriptor]?
        var isNotifying = false
        /// Set from the moment when notifications are asked for, so that none before the answer is missed.
        var takesValues = false
        /// The application, not a stream, asked for notifications.
        var isWantedByApplication = false
        /// The delegate is getting the answer to a read.
        var isReadAnswer = false
        /// The streams that get values; nil without streams, because each value checks the property.
        var streams: [BoundedBuffer<Data, any Error>]?
    }

    private let changing: Mutex<State>
    let valueHandle: UInt16
    let endHandle: UInt16

    init(_ characteristic: RemoteCharacteristic, service: CBService) {
        valueHandle = characteristic.valueHandle
        endHandle = characteristic.endHandle
        let properties = CBCharacteristicProperties(rawValue: UInt(characteristic.properties))
        changing = Mutex(State(service: service, properties: properties))
        super.init(uuid: CBUUID(characteristic.uuid))
    }

    /// A characteristic of this host, which has its handles from when its service is published.
    init(local uuid: CBUUID, properties: CBCharacteristicProperties, value: Data?) {
        (valueHandle, endHandle) = (0, 0)
        changing = Mutex(State(properties: properties, value: value))
        super.init(uuid: uuid)
    }

    /// The operations that the characteristic supports.
    open internal(set) var properties: CBCharacteristicProperties {
        get { changing.withLock { $0.properties } }
        set { changing.withLock { $0.properties = newValue } }
    }

    open override var description: String {
        let (properties, value, isNotifying) = changing.withLock { ($0.properties, $0.value, $0.isNotifying) }
        let bits = String(properties.rawValue, radix: 16, uppercase: true)
        return "<\(type(of: self)) UUID = \(uuid.uuidString), properties = 0x\(bits), "
            + "value = \(CBAttribute.text(value)), notifying = \(isNotifying ? "YES" : "NO")>"
    }

    func setService(_ service: CBService?) { changing.withLock { $0.service = service } }

    /// The characteristic's service; nil when the service is gone.
    open var service: CBService? { changing.withLock { $0.service } }

    /// The value of the last read, notification or indication.
    open internal(set) var value: Data? {
        get { changing.withLock { $0.value } }
        set { changing.withLock { $0.value = newValue } }
    }

    /// Nil until they were discovered.
    open internal(set) var descriptors: [CBDescriptor]? {
        get { changing.withLock { $0.descriptors } }
        set { changing.withLock { $0.descriptors = newValue } }
    }

    /// Whether notifications or indications are switched on.
    open internal(set) var isNotifying: Bool {
        get { changing.withLock { $0.isNotifying } }
        set { changing.withLock { ($0.isNotifying, $0.takesValues) = (newValue, newValue || $0.streams != nil) } }
    }

    /// Always false, as on Apple's systems: values in advertisements come with them.
    @available(*, deprecated, message: "Apple's systems do not keep it either")
    open var isBroadcasted: Bool { false }

    /// Whether the delegate's current value or error is the answer to a read. Apple's API reports answers and
    /// notifications by the same call.
    package internal(set) var isReadAnswer: Bool {
        get { changing.withLock { $0.isReadAnswer } }
        set { changing.withLock { $0.isReadAnswer = newValue } }
    }

    func expectValues() { changing.withLock { $0.takesValues = true } }

    /// Receives a notified or indicated value; false without a subscription.
    func receive(_ value: Data) -> Bool {
        changing.withLock { state in
            guard state.takesValues else { return false }
            state.value = value
            if let streams = state.streams { for stream in streams { stream.push(value) } }
            return true
        }
    }

    // MARK: Streams

    /// True when notifications have to be asked for.
    func add(_ stream: BoundedBuffer<Data, any Error>) -> Bool {
        changing.withLock { state in
            defer { state.streams = (state.streams ?? []) + [stream] }
            return state.streams == nil && !state.isWantedByApplication
        }
    }

    /// True if neither the application nor a stream wants notifications any more.
    func remove(_ stream: BoundedBuffer<Data, any Error>) -> Bool {
        changing.withLock { state in
            guard let others = state.streams?.filter({ $0 !== stream }) else { return false }
            state.streams = others.isEmpty ? nil : others
            return others.isEmpty && !state.isWantedByApplication
        }
    }

    /// Notifications are off: the connection, or the characteristic, is gone, or the peer refused.
    func stopNotifying(_ error: (any Error)?) {
        changing.withLock { state in
            (state.isNotifying, state.takesValues, state.isWantedByApplication) = (false, false, false)
            for stream in state.streams ?? [] { stream.finish(throwing: error) }
            state.streams = nil
        }
    }

    /// Notes whether the application wants notifications. `false` ends notifications for all streams, too.
    func recordWish(_ enabled: Bool) {
        changing.withLock { state in
            state.isWantedByApplication = enabled
            guard !enabled else { return }
            for stream in state.streams ?? [] { stream.finish() }
            state.streams = nil
        }
    }
}
