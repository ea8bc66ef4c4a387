// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Dispatch
import Logging

/// Sensors in the care of another gateway. They have a single link to give, and the other gateway has it or waits for
/// it.
extension Collector {
    /// The time until this gateway knows whether another gateway takes care of a new sensor.
    static let ownerWait = DispatchTimeInterval.seconds(2)

    /// Reports to the other gateways that this gateway hears a sensor, and how strongly, so another gateway may take
    /// care of the sensor.
    func reportSignal(of sensor: SensorSource) { reportSignal(of: sensor, at: now) }

    func reportSignal(of sensor: SensorSource, at now: DispatchTime) {
        // Comes with each packet, and mostly ends here: the cast takes longer.
        guard sensor.signal.isReportDue(at: now) else { return }
        if let linked = sensor as? LinkedSensor, linked.pairing.isStranger { return }
        sensor.signal.report(at: now)
        let rssi = (sensor as? LinkedSensor)?.strength ?? sensor.signal.rssi
        outlet.recordSignal(sensor.device, rssi.map(Int.init))
    }

    /// Makes the first link to a sensor, after the time in which another gateway may claim it.
    func connectUnlessOwned(_ sensor: LinkedSensor, step: String) {
        reportSignal(of: sensor)
        if leavesToOwner(sensor) { return }
        guard outlet.sharesSensors(), !sensor.pairing.isStranger, sensor.pairing.dialogue == nil else {
            return connect(sensor, step: step)
        }
        sensor.phase.waiting(until: now + Self.ownerWait)
        rearm()
    }

    /// Another gateway takes care of a sensor from now on; nil: none does.
    package func setOwner(_ gateway: String?, of device: String) {
        queue.async { [self] in
            guard owners[device] != gateway else { return }
            owners[device] = gateway
            for sensor in linked.values where sensor.device == device && !sensor.life.isRemoved {
                if gateway != nil {
                    yield(sensor)
                } else if sensor.link == .elsewhere {
                    connect(sensor, step: "no other gateway")
                }
            }
        }
    }

    /// Whether the link to the sensor belongs to another gateway. A pairing by a person here claims the sensor for this
    /// gateway.
    func leavesToOwner(_ sensor: LinkedSensor) -> Bool {
        guard let owner = owners[sensor.device], sensor.pairing.dialogue == nil, !sensor.life.isRemoved
        else { return false }
        if sensor.link != .elsewhere { record(.elsewhere, of: sensor, owner) }
        sensor.phase.elsewhere()
        return true
    }

    private func yield(_ sensor: LinkedSensor) {
        switch sensor.link {
        case .connecting, .waiting, .queued:
            guard leavesToOwner(sensor) else { return }
            manager?.cancelPeripheralConnection(sensor.peripheral)
        case .collecting, .settingUp, .resting:
            guard sensor.pairing.dialogue == nil, let owner = owners[sensor.device] else { return }
            sensor.record.willEnd(because: "\(owner) collects from the sensor")
            dropLink(sensor)
        case .disconnecting, .unavailable, .listening, .elsewhere: break
        }
    }
}
