// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Platform
import Readings

/// The sensor whose quantity an operator does not want.
package struct QuantityOwner: Equatable, Sendable {
    /// The `<dev>` of topics.
    package var device: String
    /// The status showed the quantity, and shows it no longer.
    package var wasShown: Bool

    package init(device: String, wasShown: Bool) { (self.device, self.wasShown) = (device, wasShown) }
}

extension Collector {
    /// Hides a quantity of a sensor until a packet names the quantity again; `text`: the sensor's id, address,
    /// identifier or name. Nil if no answer comes within `limit`. The error is for a name of several sensors.
    ///
    /// - Parameter quantity: As payloads name it: `temperature_2`.
    package func drop(
        _ quantity: String, of text: String, within limit: Duration
    ) async -> Result<QuantityOwner, SensorUnknown>? {
        await Waiting.answer(within: limit) {
            (answer: @escaping @Sendable (Result<QuantityOwner, SensorUnknown>) -> Void) in
            queue.async { [self] in
                do throws(SensorUnknown) {
                    answer(.success(try drop(quantity, of: text)))
                } catch {
                    answer(.failure(error))
                }
            }
        }
    }

    private func drop(_ quantity: String, of text: String) throws(SensorUnknown) -> QuantityOwner {
        guard let (sensor, rule) = try meant(by: text) else {
            // The sensor was collected before. Its published data stays under its id.
            let device = DeviceAddress(text, kind: .public)?.compact ?? text
            return QuantityOwner(device: device, wasShown: false)
        }
        guard let sensor else {
            let address = rule.address ?? DeviceAddress(text, kind: .public)?.value
            let digits = address.map { DeviceAddress(kind: .public, value: $0).compact }
            return QuantityOwner(device: rule.id ?? digits ?? text, wasShown: false)
        }
        return QuantityOwner(
            device: sensor.device, wasShown: (sensor as? ListenedSensor)?.entry.drop(quantity) ?? false)
    }
}
