// SPDX-License-Identifier: Apache-2.0

/// The name of a problem, the same on every surface and for ever.
package enum ProblemCode: String, Codable, Hashable, Sendable, CaseIterable {
    case partLate = "part-late"
    case radioDown = "radio-down"
    case radioTrouble = "radio-trouble"
    case radioSilent = "radio-silent"
    case radioRefuses = "radio-refuses"
    case diskFails = "disk-fails"
    case diskFull = "disk-full"
    case diskLow = "disk-low"
    case brokerUnreachable = "broker-unreachable"
    case brokerRefusesReadings = "broker-refuses-readings"
    case brokerComplains = "broker-complains"
    case nameTaken = "name-taken"
    case gatewayCopied = "gateway-copied"
    case notAcknowledged = "not-acknowledged"
    case clockUnknown = "clock-unknown"
    case configuration
    case bonds
    case sensorMaintenance = "sensor-maintenance"
    case sensorTrouble = "sensor-trouble"
    case sensorFails = "sensor-fails"
    case sensorLacks = "sensor-lacks"
    case sensorSilent = "sensor-silent"
    case sensorNotUnderstood = "sensor-not-understood"
    case sensorBatteryLow = "sensor-battery-low"
    case limitAbove = "limit-above"
    case limitBelow = "limit-below"
    case limitSilent = "limit-silent"
    case webhookFails = "webhook-fails"
    case sensorNeverHeard = "sensor-never-heard"
    case sensorAwaited = "sensor-awaited"
    case readingsDropped = "readings-dropped"
    case valuesMissing = "values-missing"
    case valuesUnconfirmed = "values-unconfirmed"
}
