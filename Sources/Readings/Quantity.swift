// SPDX-License-Identifier: Apache-2.0

/// The quantity of a reading's field.
///
/// A new quantity is a case here and a row in ``QuantityTable``. The raw value is the quantity's place among the cases;
/// the quantity is known by its ``key`` everywhere outside the process.
package enum Quantity: UInt8, CaseIterable, Sendable {
    // MARK: The sensor itself
    case battery, voltage, sequence, uptime, channel, count, duration, timestamp, text, batteryLow, deviceType
    case firmwareVersion, sampleAge, sampleInterval, settingsRevision, txPower

    // MARK: Air and weather
    case temperature, humidity, pressure, dewpoint, elevation, precipitation, irradiance, alarmTemperature
    case gustFactor, heatIndex, pollenConcentration, pressureTrend, targetTemperature, uvIndex, windChill
    case windDirection, windSpeed, apparentWindDirection, apparentWindSpeed

    // MARK: Air quality
    case co2, tvoc, radon, formaldehyde, ammonia, methane, ozone, co2Status, carbonMonoxide, nitrogenDioxide
    case noxIndex, pm1, pm25, pm4, pm10, radiationDuration, radiationRate, radiationTotal, radonLong, sulfurDioxide
    case sulfurHexafluoride, vocIndex, vocPPB

    // MARK: Light and sound
    case illuminance, chromaticity, chromaticityTolerance, colorRenderingIndex, colorTemperature, lightLevel
    case luminousEfficacy, luminousEnergy, luminousExposure, luminousFlux, luminousIntensity, planckianDistance
    case soundLevel, soundPressure

    // MARK: Soil and liquids
    case moisture, conductivity, volume, water, liquidLevel, levelQuality, gravityRate, specificGravity, storedVolume
    case volumeFlow, massFlow

    // MARK: Electricity and gas
    case current, power, energy, gas, acCurrent, acInput, acInputPower, acPower, acVoltage, apparentEnergy
    case apparentPower, alarmCode, cellVoltage, chargerError, chargerState, consumedCharge, electricFrequency
    case errorCode, inputCurrent, inputVoltage, loadCurrent, midpointVoltage, offReason, powerFactor, remainingTime
    case starterVoltage, stateOfCharge, warningCode, yieldToday

    // MARK: Movement
    case distance, speed, rotation, tilt, force, torque, accelerationX, accelerationY, accelerationZ, acceleration
    case gyroscope, direction, magneticDeclination, magneticFluxX, magneticFluxY, magneticFluxZ, movementCounter
    case rotationalSpeed

    // MARK: Sport
    case cadence, inclination, accumulatedTorque, crankEventTime, crankRevolutions, pedalBalance, resistanceLevel
    case strideLength, totalDistance, totalEnergy, wheelEventTime, wheelRevolutions

    // MARK: Body
    case energyExpended, heartRate, rrInterval, sensorContact, weight, height, bmi, impedance, glucose, impedanceHigh
    case basalMetabolism, bloodPressureDiastolic, bloodPressureMean, bloodPressureSystolic, bodyFat, bodyTemperature
    case bodyWater, fatFreeMass, muscle, muscleMass, oxygenSaturation, pulseAmplitude, pulseRate, softLeanMass, steps
    case caloricIntake, cuffPressure, heartRateMax, hipCircumference, restingHeartRate, userIndex, vo2Max
    case waistCircumference, brushPressure, brushSector, brushState, brushingTime

    // MARK: Yes or no
    case charging, cold, connectivity, door, heat, light, lock, motion, moving, occupancy, opening, plug, presence
    case problem, running, safety, smoke, tamper, vibration, window, calibrating, carbonMonoxideDetected, garageDoor
    case gasDetected, generic, leftOpen, moistureDetected, powerOn, reedSwitch, lockState, soundDetected, stable

    // MARK: Events
    case button, dimmer, command, dimmerSteps

    // MARK: Beacons
    case beacon, url, advertisementCount

    // MARK: Shares
    case consumable, level, position, genericLevel
}

extension Quantity {
    /// Facts about the quantity: its row of ``QuantityTable``.
    package var details: QuantityDetails { QuantityTable.details[Int(rawValue)] }

    /// The key in payloads, exports and dead bands. It never changes.
    package var key: String { QuantityTable.details[Int(rawValue)].key }

    /// How values of the quantity follow on each other: a part of ``details``, for each packet.
    package var kind: QuantityDetails.Kind { QuantityTable.details[Int(rawValue)].kind }

    /// The quantity of a key; nil for a key of no quantity.
    package init?(key: String) {
        guard let quantity = QuantityTable.quantities[key] else { return nil }
        self = quantity
    }
}
