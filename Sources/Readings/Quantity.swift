// SPDX-License-Identifier: Apache-2.0

/// The quantity of a reading's field. The raw value is the key in payloads, exports and dead bands, and never changes.
///
/// A new quantity is a case here and a row in ``details``.
package enum Quantity: String, CaseIterable, Sendable {
    // MARK: The sensor itself
    case battery, voltage, sequence, uptime, channel, count, duration, timestamp, text
    case batteryLow = "battery_low"
    case deviceType = "device_type"
    case firmwareVersion = "firmware_version"
    case sampleAge = "sample_age"
    case sampleInterval = "sample_interval"
    case settingsRevision = "settings_revision"
    case txPower = "tx_power"

    // MARK: Air and weather
    case temperature, humidity, pressure, dewpoint, elevation, precipitation, irradiance
    case alarmTemperature = "alarm_temperature"
    case gustFactor = "gust_factor"
    case heatIndex = "heat_index"
    case pollenConcentration = "pollen_concentration"
    case pressureTrend = "pressure_trend"
    case targetTemperature = "target_temperature"
    case uvIndex = "uv_index"
    case windChill = "wind_chill"
    case windDirection = "wind_direction"
    case windSpeed = "wind_speed"
    case apparentWindDirection = "apparent_wind_direction"
    case apparentWindSpeed = "apparent_wind_speed"

    // MARK: Air quality
    case co2, tvoc, radon, formaldehyde, ammonia, methane, ozone
    case co2Status = "co2_status"
    case carbonMonoxide = "carbon_monoxide"
    case nitrogenDioxide = "nitrogen_dioxide"
    case noxIndex = "nox_index"
    case pm1, pm25, pm4, pm10
    case radiationDuration = "radiation_duration"
    case radiationRate = "radiation_rate"
    case radiationTotal = "radiation_total"
    case radonLong = "radon_long"
    case sulfurDioxide = "sulfur_dioxide"
    case sulfurHexafluoride = "sulfur_hexafluoride"
    case vocIndex = "voc_index"
    case vocPPB = "voc_ppb"

    // MARK: Light and sound
    case illuminance, chromaticity
    case chromaticityTolerance = "chromaticity_tolerance"
    case colorRenderingIndex = "color_rendering_index"
    case colorTemperature = "color_temperature"
    case lightLevel = "light_level"
    case luminousEfficacy = "luminous_efficacy"
    case luminousEnergy = "luminous_energy"
    case luminousExposure = "luminous_exposure"
    case luminousFlux = "luminous_flux"
    case luminousIntensity = "luminous_intensity"
    case planckianDistance = "planckian_distance"
    case soundLevel = "sound_level"
    case soundPressure = "sound_pressure"

    // MARK: Soil and liquids
    case moisture, conductivity, volume, water
    case liquidLevel = "liquid_level"
    case levelQuality = "level_quality"
    case gravityRate = "gravity_rate"
    case specificGravity = "specific_gravity"
    case storedVolume = "stored_volume"
    case volumeFlow = "volume_flow"
    case massFlow = "mass_flow"

    // MARK: Electricity and gas
    case current, power, energy, gas
    case acCurrent = "ac_current"
    case acInput = "ac_input"
    case acInputPower = "ac_input_power"
    case acPower = "ac_power"
    case acVoltage = "ac_voltage"
    case apparentEnergy = "apparent_energy"
    case apparentPower = "apparent_power"
    case alarmCode = "alarm_code"
    case cellVoltage = "cell_voltage"
    case chargerError = "charger_error"
    case chargerState = "charger_state"
    case consumedCharge = "consumed_charge"
    case electricFrequency = "electric_frequency"
    case errorCode = "error_code"
    case inputCurrent = "input_current"
    case inputVoltage = "input_voltage"
    case loadCurrent = "load_current"
    case midpointVoltage = "midpoint_voltage"
    case offReason = "off_reason"
    case powerFactor = "power_factor"
    case remainingTime = "remaining_time"
    case starterVoltage = "starter_voltage"
    case stateOfCharge = "state_of_charge"
    case warningCode = "warning_code"
    case yieldToday = "yield_today"

    // MARK: Movement
    case distance, speed, rotation, tilt, force, torque
    case accelerationX = "acceleration_x"
    case accelerationY = "acceleration_y"
    case accelerationZ = "acceleration_z"
    case acceleration, gyroscope, direction
    case magneticDeclination = "magnetic_declination"
    case magneticFluxX = "magnetic_flux_x"
    case magneticFluxY = "magnetic_flux_y"
    case magneticFluxZ = "magnetic_flux_z"
    case movementCounter = "movement_counter"
    case rotationalSpeed = "rotational_speed"

    // MARK: Sport
    case cadence, inclination
    case accumulatedTorque = "accumulated_torque"
    case crankEventTime = "crank_event_time"
    case crankRevolutions = "crank_revolutions"
    case pedalBalance = "pedal_balance"
    case resistanceLevel = "resistance_level"
    case strideLength = "stride_length"
    case totalDistance = "total_distance"
    case totalEnergy = "total_energy"
    case wheelEventTime = "wheel_event_time"
    case wheelRevolutions = "wheel_revolutions"

    // MARK: Body
    case energyExpended = "energy_expended"
    case heartRate = "heart_rate"
    case rrInterval = "rr_interval"
    case sensorContact = "sensor_contact"
    case weight, height, bmi, impedance, glucose
    case impedanceHigh = "impedance_high"
    case basalMetabolism = "basal_metabolism"
    case bloodPressureDiastolic = "blood_pressure_diastolic"
    case bloodPressureMean = "blood_pressure_mean"
    case bloodPressureSystolic = "blood_pressure_systolic"
    case bodyFat = "body_fat"
    case bodyTemperature = "body_temperature"
    case bodyWater = "body_water"
    case fatFreeMass = "fat_free_mass"
    case muscle
    case muscleMass = "muscle_mass"
    case oxygenSaturation = "oxygen_saturation"
    case pulseAmplitude = "pulse_amplitude"
    case pulseRate = "pulse_rate"
    case softLeanMass = "soft_lean_mass"
    case steps
    case caloricIntake = "caloric_intake"
    case cuffPressure = "cuff_pressure"
    case heartRateMax = "heart_rate_max"
    case hipCircumference = "hip_circumference"
    case restingHeartRate = "resting_heart_rate"
    case userIndex = "user_index"
    case vo2Max = "vo2_max"
    case waistCircumference = "waist_circumference"
    case brushPressure = "brush_pressure"
    case brushSector = "brush_sector"
    case brushState = "brush_state"
    case brushingTime = "brushing_time"

    // MARK: Yes or no
    case charging, cold, connectivity, door, heat, light, lock, motion, moving, occupancy, opening, plug, presence
    case problem, running, safety, smoke, tamper, vibration, window
    case calibrating
    case carbonMonoxideDetected = "carbon_monoxide_detected"
    case garageDoor = "garage_door"
    case gasDetected = "gas_detected"
    case generic
    case leftOpen = "left_open"
    case moistureDetected = "moisture_detected"
    case powerOn = "power_on"
    case reedSwitch = "reed_switch"
    case lockState = "lock_state"
    case soundDetected = "sound_detected"
    case stable

    // MARK: Events
    case button, dimmer, command
    case dimmerSteps = "dimmer_steps"

    // MARK: Beacons
    case beacon, url
    case advertisementCount = "advertisement_count"

    // MARK: Shares
    case consumable, level, position
    case genericLevel = "generic_level"
}
