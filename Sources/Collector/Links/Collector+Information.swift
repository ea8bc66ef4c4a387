// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Platform
import Readings

/// Facts that sensors give about themselves, beside their values.
extension Collector {
    /// Asks when values already flow. Nothing waits for the answers, and a sensor without answers has no disadvantage.
    func askForInformation(_ sensor: LinkedSensor) {
        guard settings.readsInformation, !sensor.information.isComplete,
            sensor.upkeep.quest.begin(at: uptime)
        else { return }
        sensor.peripheral.discoverServices([CBUUID(DeviceInformation.service)])
    }

    /// The answer to the search for the service; all other answers are ignored.
    func receiveInformationServices(of sensor: LinkedSensor, _ error: (any Error)?) {
        guard sensor.upkeep.quest.awaitsServices, receiveAnswer(error, to: sensor) else { return }
        let wanted = CBUUID(DeviceInformation.service)
        guard error == nil, let service = sensor.peripheral.services?.first(where: { $0.uuid == wanted }) else {
            return endQuest(of: sensor)
        }
        sensor.upkeep.quest.foundService()
        sensor.peripheral.discoverCharacteristics(
            DeviceInformation.feeds.map { CBUUID($0.characteristic) }, for: service)
    }

    func receiveInformationCharacteristics(of sensor: LinkedSensor, in service: CBService, _ error: (any Error)?) {
        guard sensor.upkeep.quest.awaitsCharacteristics, service.uuid == CBUUID(DeviceInformation.service),
            receiveAnswer(error, to: sensor)
        else { return }
        let wanted = DeviceInformation.feeds.map { CBUUID($0.characteristic) }
        let found = (service.characteristics ?? []).filter {
            wanted.contains($0.uuid) && $0.properties.contains(.read)
        }
        let feeds = error == nil ? found.prefix(wanted.count).compactMap { feed(of: $0, sensor) } : []
        guard !feeds.isEmpty else { return endQuest(of: sensor) }
        sensor.upkeep.quest.asked(feeds.count)
        for feed in feeds {
            feed.reads.asked()
            sensor.peripheral.readValue(for: feed.characteristic)
        }
    }

    /// Nil for a collected characteristic, whose values come anyhow.
    private func feed(of characteristic: CBCharacteristic, _ sensor: LinkedSensor) -> CharacteristicFeed? {
        let key = ObjectIdentifier(characteristic)
        if let known = feeds[key], known.sensor === sensor {
            if !sensor.feeds.current.contains(where: { $0 === known }) { sensor.feeds.add(known) }
            return known.isCollected ? nil : known
        }
        let feed = CharacteristicFeed(characteristic: characteristic, sensor: sensor, token: sensor.feeds.current.count)
        sensor.feeds.add(feed)
        feeds[key] = feed
        return feed
    }

    /// Takes the outcome of a question; false without an answer. Silence ends the link, and the quest ends with the
    /// link.
    private func receiveAnswer(_ error: (any Error)?, to sensor: LinkedSensor) -> Bool {
        let failure = error as? CBError
        if failure?.isUnanswered == true { sensor.upkeep.quest.leftUnanswered() }
        return switch failure?.code {
        case .connectionTimeout, .notConnected, .peripheralDisconnected: false
        default: true
        }
    }

    private func endQuest(of sensor: LinkedSensor) {
        sensor.upkeep.quest.done()
        restIfRead(sensor)
    }

    /// A value came, or the sensor refused it.
    func answeredInformation(_ feed: CharacteristicFeed, _ error: (any Error)?) {
        guard feed.sensor.upkeep.quest.awaitsValues, receiveAnswer(error, to: feed.sensor),
            feed.sensor.upkeep.quest.answered()
        else { return }
        restIfRead(feed.sensor)
    }

    /// Takes a value of the device information. The value may be a reading as well.
    func receiveInformation(from feed: CharacteristicFeed, _ value: [UInt8]) {
        guard let name = feed.feed else { return }
        let sensor = feed.sensor
        let known = sensor.information
        sensor.information.record(value, of: name)
        if sensor.information != known, sensor.life.isAnnounced { describe(sensor) }
    }
}
