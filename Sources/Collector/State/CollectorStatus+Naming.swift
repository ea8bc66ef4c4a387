// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation

extension CollectorStatus {
    /// The meaning of a person's word: a sensor, or an entry that waits for a sensor.
    package enum Named: Equatable, Sendable {
        case sensor(SensorStatus)
        case awaited(AwaitedSensor)
    }

    /// Stands for an identifier that is none.
    private static let nobody = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

    /// The sensor of this id, address, identifier or name, or the entry without a sensor.
    package func named(_ text: String) throws(DeviceName.Unclear) -> Named {
        let entry = awaited.first { $0.entry == text || $0.id == text } ?? labelled(text)
        if let entry { return .awaited(entry) }
        let known = sensors.map { sensor in
            DeviceName.Known(
                identifier: UUID(uuidString: sensor.identifier) ?? Self.nobody, id: sensor.id,
                name: sensor.name, given: sensor.label,
                address: sensor.address.flatMap { DeviceAddress($0, kind: .public)?.value })
        }
        let picked: DeviceName.Known
        do throws(DeviceName.Unclear) {
            picked = try DeviceName(text).pick(known)
        } catch {
            let address = DeviceAddress(text, kind: .public)?.description
            let entry = awaited.first { $0.name == text || address != nil && $0.address == address }
            guard error.isUnknown else { throw error }
            guard let entry else {
                let waiting = awaited.map { DeviceName.Known(identifier: Self.nobody, id: $0.id, name: $0.name) }
                var unclear = error
                unclear.meant = DeviceName(text).meant(among: known + waiting)
                throw unclear
            }
            return .awaited(entry)
        }
        guard let sensor = sensors.first(where: { $0.id == picked.id }) else {
            throw DeviceName.Unclear(text: String(text.prefix(64)), labels: [])
        }
        return .sensor(sensor)
    }

    /// The entry of this label without a sensor. The id of a sensor goes first.
    private func labelled(_ text: String) -> AwaitedSensor? {
        sensors.contains { $0.id == text } ? nil : awaited.first { $0.label == text }
    }
}
