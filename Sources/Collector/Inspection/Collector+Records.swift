// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import Logging
import Readings

/// Sensors that store their values until a client asks for them, for example glucose meters. The collector asks on each
/// link.
extension Collector {
    /// The characteristics to look for on a new link, in addition to the rule's.
    func wantedControlPoints(of sensor: LinkedSensor) -> [SensorRule.Feed] {
        sensor.rule.subscribe.contains { $0.plain == RecordAccess.measurement } ? [RecordAccess.controlPoint] : []
    }

    /// Values can come now. The control point's indications are switched on first, because an answer must not be lost.
    func beginRecords(of sensor: LinkedSensor) {
        guard let feed = sensor.feeds.current.first(where: \.isControlPoint) else { return }
        sensor.plan.recordsBegin { outlet.identifier(Self.recordsKey(of: sensor)).flatMap(UInt16.init) }
        if feed.characteristic.isNotifying {
            askForRecords(feed)
        } else {
            sensor.peripheral.setNotifyValue(true, for: feed.characteristic)
        }
    }

    func controlPointIsReady(_ feed: CharacteristicFeed, _ error: (any Error)?) {
        if let error { return recordRecords(of: feed.sensor, failure: describe(error)) }
        if feed.characteristic.isNotifying { askForRecords(feed) }
    }

    private func askForRecords(_ feed: CharacteristicFeed) {
        guard let request = feed.sensor.plan.recordRequest() else { return }
        feed.sensor.peripheral.writeValue(Data(request), for: feed.characteristic, type: .withResponse)
    }

    package func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        guard let feed = feeds[ObjectIdentifier(characteristic)] else { return }
        guard feed.isControlPoint else { return commandAnswered(feed, error) }
        if let error { recordRecords(of: feed.sensor, failure: describe(error)) }
    }

    /// False for a stored record that was requested only for its number.
    func isNew(_ value: Data, from feed: CharacteristicFeed) -> Bool {
        !feed.isRecord || feed.sensor.plan.isNewRecord([UInt8](value))
    }

    /// The answer comes after the records. The journal gets the records' greatest number after them, too.
    func receiveAnswer(_ value: [UInt8], from feed: CharacteristicFeed) {
        let sensor = feed.sensor
        switch sensor.plan.recordAnswer(value) {
        case .done:
            flush()
            if let newest = sensor.plan.newestRecord { outlet.keep(String(newest), Self.recordsKey(of: sensor)) }
            logger.info("stored records collected", metadata: sensor.metadata)
        case .askAgain: askForRecords(feed)
        case .refused(let code): recordRecords(of: sensor, failure: "the sensor answers with code \(code)")
        case .nothingNew, .other, nil: break
        }
    }

    private func recordRecords(of sensor: LinkedSensor, failure: String) {
        let text = "its stored records cannot be had: \(failure)"
        sensor.trouble.failed(text)
        record(.pollFailed, of: sensor, text)
        logger.warning(
            "stored records cannot be had", metadata: sensor.metadata.merging(["cause": "\(failure)"]) { $1 })
    }

    private static func recordsKey(of sensor: LinkedSensor) -> String { "records:\(sensor.device)" }
}
