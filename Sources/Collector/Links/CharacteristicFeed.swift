// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Readings

/// A characteristic with values, and the prepared parts of its readings.
final class CharacteristicFeed {
    let characteristic: CBCharacteristic
    unowned let sensor: LinkedSensor
    let token: Int
    let device: String
    /// Lower case, as in readings. If several characteristics have this UUID, all but the first have a number.
    private(set) var uuid: String
    /// The characteristic's number, by its handle, among characteristics of this UUID in services of equal UUID, from
    /// 1.
    private(set) var instance = 1
    /// The rule's sequence is about characteristics with this UUID.
    private let isInSequence: Bool
    /// Its values are about the sensor.
    let isInformation: Bool
    /// The sensor's rule asks for the values.
    private(set) var isCollected: Bool
    /// A control point for stored records. Its values are answers.
    let isControlPoint: Bool
    /// Its values are stored records.
    let isRecord: Bool
    /// The collector reads this characteristic again and again.
    private(set) var isPolled: Bool
    var reads = ReadTally()
    /// When the newest value came, in milliseconds since boot.
    private(set) var lastAt: Int64?

    init(characteristic: CBCharacteristic, sensor: LinkedSensor, token: Int) {
        self.characteristic = characteristic
        self.sensor = sensor
        self.token = token
        device = sensor.device
        uuid = characteristic.uuid.uuidString.lowercased()
        let feed = Self.feed(of: characteristic)
        isInSequence = sensor.rule.sequence.map { $0.feed.plain == feed } ?? false
        isInformation = feed.map(DeviceInformation.feeds.contains) ?? false
        isControlPoint = feed == RecordAccess.controlPoint
        isRecord = feed == RecordAccess.measurement
        isPolled =
            sensor.plan.hasPolls && characteristic.properties.contains(.read)
            && sensor.rule.read.contains { $0.plain == feed }
        isCollected = (sensor.rule.read + sensor.rule.subscribe).contains { $0.plain == feed }
    }

    /// Its values carry the sensor's own number.
    var isNumbered: Bool {
        guard isInSequence, let wanted = sensor.rule.sequence?.feed.instance else { return false }
        return wanted == 0 || wanted == instance
    }

    /// The sensor still answers reads of an earlier set-up on this link.
    func takeOver(_ former: CharacteristicFeed) {
        (reads, uuid, instance) = (former.reads, former.uuid, former.instance)
    }

    /// This is one of several characteristics with its UUID.
    func number(_ number: Int) { uuid = CharacteristicInstance.name(of: uuid, number: number) }

    /// See ``instance``.
    func place(_ instance: Int) { self.instance = instance }

    /// The sensor's rule names another characteristic of this UUID.
    func leaveOut() { (isCollected, isPolled) = (false, false) }

    /// The value does not come by itself.
    func readInstead() { isPolled = true }

    /// A value came at this time, in milliseconds since boot.
    func valueCame(at time: Int64) { lastAt = time }

    /// No answer comes any more.
    func linkEnded() { reads = ReadTally() }

    /// The characteristic's name in a rule.
    var feed: SensorRule.Feed? { Self.feed(of: characteristic) }

    private static func feed(of characteristic: CBCharacteristic) -> SensorRule.Feed? {
        guard let service = characteristic.service.flatMap({ BluetoothUUID($0.uuid.uuidString) }),
            let uuid = BluetoothUUID(characteristic.uuid.uuidString)
        else { return nil }
        return SensorRule.Feed(service: service, characteristic: uuid)
    }
}
