// SPDX-License-Identifier: Apache-2.0

import Health

extension Collector {
    /// The way to give the sensor a key: an entry in a person's file is changed by the person alone.
    func keyAdvice(for sensor: ListenedSensor) -> Advice {
        guard outlet.ownsEntry(sensor.device) else {
            return "give the entry a bindkey_file in your configuration, then \(.machine(.reload))"
        }
        return "run \(.martlet(.key, sensor.device))"
    }
}
