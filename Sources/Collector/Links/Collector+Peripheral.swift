// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import Logging
import Platform
import Readings

extension Collector: CBPeripheralDelegate {
    package func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        guard let feed = feeds[ObjectIdentifier(characteristic)] else {
            batch.countUnexpected()
            return
        }
        if feed.isInformation {
            if error == nil, let data = characteristic.value { receiveInformation(from: feed, [UInt8](data)) }
            guard feed.isCollected else {
                if feed.reads.takes(isAnswer: characteristic.isReadAnswer) {
                    answeredInformation(feed, error)
                    restIfRead(feed.sensor)
                }
                return
            }
        }
        let isRead = feed.reads.takes(isAnswer: characteristic.isReadAnswer)
        if error == nil, let data = characteristic.value, isNew(data, from: feed) {
            append(reading(data, from: feed, source: isRead ? .read : .notify))
        }
        guard isRead, !pairsInstead(of: error, feed.sensor) else { return }
        if feed.sensor.link == .collecting {
            endPoll(of: feed, error)
        } else if !endsWithLink(error) {
            advance(feed.sensor) { $0.didRead(token: feed.token, error: error.map(describe)) }
        }
    }

    /// Leaves a reading for the end of this wake-up.
    func append(_ reading: Reading) {
        switch batch.append(reading) {
        // Runs after the manager has delivered all values of this wake-up.
        case .goAtEnd: queue.async { [self] in flush() }
        case .goNow: flush()
        case .wait: break
        }
    }

    /// Makes a reading of a value. The hot path: no logging and no text is made here.
    func reading(_ data: Data, from feed: CharacteristicFeed, source: Reading.Source) -> Reading {
        let reading = Reading(
            device: feed.device, characteristic: feed.uuid, source: source, value: [UInt8](data),
            rssi: feed.sensor.signal.rssi, stamp: clock.stamp())
        feed.valueCame(at: reading.stamp.uptimeMilliseconds)
        feed.sensor.entry.record(reading)
        if !feed.sensor.life.isAnnounced, feed.sensor.link == .collecting {
            appear(feed.sensor, at: reading.stamp.uptimeMilliseconds)
        }
        feed.sensor.readings.count(source)
        if feed.sensor.pairing.unprovenBond != nil { proveBond(of: feed.sensor) }
        if source != .read, feed.isNumbered { countGap(before: reading, of: feed) }
        return reading
    }

    /// The link has ended before the answer came. The disconnection follows, and tells the cause.
    private func endsWithLink(_ error: (any Error)?) -> Bool { (error as? CBError)?.code == .notConnected }

    package func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        guard let sensor = linked[peripheral.identifier] else { return }
        guard sensor.link == .settingUp else { return receiveInformationServices(of: sensor, error) }
        guard !endsWithLink(error) else { return }
        if let error {
            if !pairsInstead(of: error, sensor) { advance(sensor) { $0.failed("services: \(describe(error))") } }
            return
        }
        sensor.record.answered()
        // A service without a readable UUID was not asked for, but keeps its place.
        let services = (peripheral.services ?? []).map {
            BluetoothUUID($0.uuid.uuidString) ?? BluetoothUUID(0 as UInt16)
        }
        advance(sensor) { $0.foundServices(services) }
    }

    package func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        guard let sensor = linked[peripheral.identifier] else { return }
        guard sensor.link == .settingUp else {
            return receiveInformationCharacteristics(of: sensor, in: service, error)
        }
        guard !endsWithLink(error), let index = peripheral.services?.firstIndex(where: { $0 === service })
        else { return }
        if sensor.setUp?.surveysCharacteristics(ofService: index) == true {
            let found = (service.characteristics ?? []).compactMap { BluetoothUUID($0.uuid.uuidString) }
            advance(sensor) { error == nil ? $0.surveyed(found, service: index) : $0.failed("") }
            return
        }
        // The collector asks twice if services change meanwhile. The first answer counts.
        guard sensor.setUp?.awaitsCharacteristics(ofService: index) == true else { return }
        if let error {
            refusedCharacteristics(of: sensor, in: service, at: index, error)
            return
        }
        var found: [SetUpMachine.Found] = []
        for characteristic in service.characteristics ?? [] {
            guard let uuid = BluetoothUUID(characteristic.uuid.uuidString) else { continue }
            let feed = CharacteristicFeed(
                characteristic: characteristic, sensor: sensor, token: sensor.feeds.current.count)
            // The sensor still answers reads of an earlier set-up on this link.
            if let former = feeds[ObjectIdentifier(characteristic)] {
                feed.takeOver(former)
            }
            sensor.feeds.add(feed)
            feeds[ObjectIdentifier(characteristic)] = feed
            let properties = characteristic.properties
            found.append(
                SetUpMachine.Found(
                    token: feed.token, uuid: uuid,
                    canSubscribe: properties.contains(.notify) || properties.contains(.indicate),
                    canRead: properties.contains(.read), isNotifying: characteristic.isNotifying))
        }
        advance(sensor) { $0.foundCharacteristics(found, service: index) }
    }

    package func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        guard let feed = feeds[ObjectIdentifier(characteristic)] else { return }
        if feed.isControlPoint, !feed.isCollected { return controlPointIsReady(feed, error) }
        guard feed.sensor.link == .settingUp, !endsWithLink(error) else { return }
        guard !pairsInstead(of: error, feed.sensor), !goesOnUnsubscribed(feed, error) else { return }
        if error == nil { feed.sensor.feeds.subscribed(to: feed.feed, instance: feed.instance) }
        advance(feed.sensor) { $0.didSubscribe(token: feed.token, error: error.map(describe)) }
    }

    package func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        guard let sensor = linked[peripheral.identifier],
            sensor.link == .collecting || sensor.link == .settingUp
        else { return }
        logger.info("services changed", metadata: sensor.metadata)
        beginSetUp(sensor)
    }
}
