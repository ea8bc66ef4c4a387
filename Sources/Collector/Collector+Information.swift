// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Platform
import Readings

/// What sensors say of themselves beside their values.
extension Collector {
    /// Asks when values flow already: nothing waits for the answers, and no sensor is worse off that gives none.
    func askForInformation(_ sensor: LinkedSensor) {
        guard settings.readsInformation, !sensor.information.isComplete,
            sensor.quest.begin(at: uptime)
        else { return }
        sensor.peripheral.discoverServices([CBUUID(DeviceInformation.service)])
    }

    /// The answer to the search for the service; for any other one nothing is done.
    func takeInformationServices(of sensor: LinkedSensor, _ error: (any Error)?) {
        guard sensor.quest.awaitsServices, isAnswer(error) else { return }
        let wanted = CBUUID(DeviceInformation.service)
        guard error == nil, let service = sensor.peripheral.services?.first(where: { $0.uuid == wanted }) else {
            return endQuest(of: sensor)
        }
        sensor.quest.foundService()
        sensor.peripheral.discoverCharacteristics(
            DeviceInformation.feeds.map { CBUUID($0.characteristic) }, for: service)
    }

    func takeInformationCharacteristics(of sensor: LinkedSensor, in service: CBService, _ error: (any Error)?) {
        guard sensor.quest.awaitsCharacteristics, service.uuid == CBUUID(DeviceInformation.service), isAnswer(error)
        else { return }
        let wanted = DeviceInformation.feeds.map { CBUUID($0.characteristic) }
        let found = (service.characteristics ?? []).filter {
            wanted.contains($0.uuid) && $0.properties.contains(.read)
        }
        let feeds = error == nil ? found.prefix(wanted.count).compactMap { feed(of: $0, sensor) } : []
        guard !feeds.isEmpty else { return endQuest(of: sensor) }
        sensor.quest.asked(feeds.count)
        for feed in feeds {
            feed.reads.asked()
            sensor.peripheral.readValue(for: feed.characteristic)
        }
    }

    /// Nil for one that is collected: its values come anyhow.
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

    /// Silence is no answer. The link ends over it, and the quest with the link.
    private func isAnswer(_ error: (any Error)?) -> Bool {
        switch (error as? CBError)?.code {
        case .connectionTimeout, .notConnected, .peripheralDisconnected: false
        default: true
        }
    }

    private func endQuest(of sensor: LinkedSensor) {
        sensor.quest.done()
        restIfRead(sensor)
    }

    /// One of the values came, or was refused.
    func answeredInformation(_ feed: CharacteristicFeed, _ error: (any Error)?) {
        guard isAnswer(error), feed.sensor.quest.isOpen, feed.sensor.quest.answered() else { return }
        restIfRead(feed.sensor)
    }

    /// Takes a value that is no reading, or is one besides.
    func takeInformation(from feed: CharacteristicFeed, _ value: [UInt8]) {
        guard let name = feed.feed else { return }
        let sensor = feed.sensor
        let known = sensor.information
        sensor.information.take(value, of: name)
        if sensor.information != known, sensor.isAnnounced { describe(sensor) }
    }
}
