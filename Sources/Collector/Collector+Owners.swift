// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Dispatch
import Logging

/// Sensors that another gateway takes care of: they have one link to give, and that gateway has it, or waits for it.
extension Collector {
    /// What it takes to be told, of a sensor that is new, whether another gateway takes care of it.
    static let ownerWait = DispatchTimeInterval.seconds(2)
    /// Signals are told of this often at most.
    private static let signalPeriod: UInt64 = 5_000_000_000

    /// Says that a sensor is there, how strong it is heard, and so that others may take care of it.
    func tellSignal(of sensor: SensorSource) {
        let now = self.now
        if let told = sensor.signalTold, now.uptimeNanoseconds - told.uptimeNanoseconds < Self.signalPeriod { return }
        if let linked = sensor as? LinkedSensor, linked.isStranger { return }
        sensor.signalTold = now
        let rssi = (sensor as? LinkedSensor)?.strength ?? sensor.rssi
        outlet.noteSignal(sensor.device, rssi.map(Int.init))
    }

    /// The first link to a sensor, once it is known whether it is another gateway's.
    func connectUnlessOwned(_ sensor: LinkedSensor, step: String) {
        tellSignal(of: sensor)
        if leavesToOwner(sensor) { return }
        guard outlet.sharesSensors(), !sensor.isStranger, sensor.pairing.dialogue == nil else {
            return connect(sensor, step: step)
        }
        sensor.link = .waiting
        sensor.deadline = now + Self.ownerWait
        rearm()
    }

    /// Another gateway takes care of a sensor from now on; nil: none does.
    package func setOwner(_ gateway: String?, of device: String) {
        queue.async { [self] in
            guard owners[device] != gateway else { return }
            owners[device] = gateway
            for sensor in linked.values where sensor.device == device && !sensor.isRemoved {
                if gateway != nil {
                    yield(sensor)
                } else if sensor.link == .elsewhere {
                    connect(sensor, step: "no other gateway")
                }
            }
        }
    }

    /// Whether a link to the sensor is another gateway's to have. Somebody who pairs with it here means this one.
    func leavesToOwner(_ sensor: LinkedSensor) -> Bool {
        guard let owner = owners[sensor.device], sensor.pairing.dialogue == nil, !sensor.isRemoved else { return false }
        if sensor.link != .elsewhere { note(.elsewhere, of: sensor, owner) }
        sensor.link = .elsewhere
        sensor.deadline = nil
        return true
    }

    private func yield(_ sensor: LinkedSensor) {
        switch sensor.link {
        case .connecting, .waiting, .queued:
            guard leavesToOwner(sensor) else { return }
            manager?.cancelPeripheralConnection(sensor.peripheral)
        case .collecting, .settingUp, .resting:
            guard sensor.pairing.dialogue == nil, let owner = owners[sensor.device] else { return }
            sensor.record.willEnd(because: "\(owner) collects from it")
            dropLink(sensor)
        case .disconnecting, .unavailable, .listening, .elsewhere: break
        }
    }
}
