// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth

/// What sensors say of themselves beside their values.
extension Collector {
    /// What to look for on a fresh link on top of what its rule says.
    func wantedInformation(of sensor: LinkedSensor) -> [SensorRule.Feed] {
        readsInformation && !sensor.information.isComplete ? DeviceInformation.feeds : []
    }

    /// Asks when values flow already: nothing waits for the answers, and no sensor is worse off that gives none.
    func askForInformation(_ sensor: LinkedSensor) {
        guard !wantedInformation(of: sensor).isEmpty else { return }
        for feed in sensor.feeds
        where feed.isInformation && !feed.isCollected && feed.characteristic.properties.contains(.read) {
            feed.reads.asked()
            sensor.peripheral.readValue(for: feed.characteristic)
        }
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
