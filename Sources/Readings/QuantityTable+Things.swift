// SPDX-License-Identifier: Apache-2.0

/// Quantities of things and of people.
extension QuantityTable {
    /// Electricity and gas.
    static let electricity: [QuantityDetails] = [
        .init(.current, "current", "Current", "A", 3, theengs: "current", home: "current"),
        .init(.power, "power", "Power", "W", 2, theengs: "power", home: "power"),
        .init(.energy, "energy", "Energy", "kWh", 3, kind: .total, theengs: "energy", home: "energy"),
        .init(.gas, "gas", "Gas", "m³", 3, kind: .total, home: "gas"),
        .init(.acCurrent, "ac_current", "AC current", "A", 1, theengs: "current_ac", home: "current"),
        .init(.acInput, "ac_input", "AC input", kind: .text),
        .init(.acInputPower, "ac_input_power", "AC input power", "W", home: "power"),
        .init(.acPower, "ac_power", "AC power", "W", home: "power"),
        .init(.acVoltage, "ac_voltage", "AC voltage", "V", 2, home: "voltage"),
        .init(.apparentEnergy, "apparent_energy", "Apparent energy", "kVAh", 3, kind: .total),
        .init(.apparentPower, "apparent_power", "Apparent power", "VA", 1, home: "apparent_power"),
        .init(.alarmCode, "alarm_code", "Alarm code", theengs: "alarm_reason", amount: false),
        .init(.cellVoltage, "cell_voltage", "Cell voltage", "V", 2, home: "voltage"),
        .init(.chargerError, "charger_error", "Charger error", kind: .text),
        .init(.chargerState, "charger_state", "Charger state", kind: .text, theengs: "device_state"),
        .init(.consumedCharge, "consumed_charge", "Consumed charge", "Ah", 1, theengs: "consumed_ah"),
        .init(.electricFrequency, "electric_frequency", "Frequency", "Hz", 2, home: "frequency"),
        .init(.errorCode, "error_code", "Error code", amount: false),
        .init(.inputCurrent, "input_current", "Input current", "A", 1, theengs: "current_in", home: "current"),
        .init(.inputVoltage, "input_voltage", "Input voltage", "V", 2, theengs: "volt_in", home: "voltage"),
        .init(.loadCurrent, "load_current", "Load current", "A", 1, theengs: "current_load", home: "current"),
        .init(.midpointVoltage, "midpoint_voltage", "Midpoint voltage", "V", 2, theengs: "volt_mid", home: "voltage"),
        .init(.offReason, "off_reason", "Reason to be off", amount: false),
        .init(.powerFactor, "power_factor", "Power factor", nil, 2, home: "power_factor"),
        .init(.remainingTime, "remaining_time", "Remaining time", "s", home: "duration"),
        .init(.starterVoltage, "starter_voltage", "Starter voltage", "V", 2, theengs: "volt_aux", home: "voltage"),
        .init(.stateOfCharge, "state_of_charge", "State of charge", "%", 1, theengs: "soc", home: "battery"),
        .init(.warningCode, "warning_code", "Warning code", theengs: "warning_reason", amount: false),
        // Theengs uses the bare name for kilowatt-hours.
        .init(.yieldToday, "yield_today", "Yield today", "Wh", kind: .total, theengs: "yield_today_wh", home: "energy"),
    ]

    /// Movement.
    static let movement: [QuantityDetails] = [
        .init(.distance, "distance", "Distance", "m", 3, home: "distance"),
        .init(.speed, "speed", "Speed", "m/s", 2, home: "speed"),
        .init(.rotation, "rotation", "Rotation", "°", 1, theengs: "rot"),
        .init(.tilt, "tilt", "Tilt", "°", 1),
        .init(.force, "force", "Force", "N", 1),
        .init(.torque, "torque", "Torque", "Nm", 2),
        .init(.accelerationX, "acceleration_x", "Acceleration X", "m/s²", 3, theengs: "accx"),
        .init(.accelerationY, "acceleration_y", "Acceleration Y", "m/s²", 3, theengs: "accy"),
        .init(.accelerationZ, "acceleration_z", "Acceleration Z", "m/s²", 3, theengs: "accz"),
        .init(.acceleration, "acceleration", "Acceleration", "m/s²", 3),
        .init(.gyroscope, "gyroscope", "Rate of turn", "°/s", 3),
        .init(.direction, "direction", "Direction", "°", 2),
        .init(.magneticDeclination, "magnetic_declination", "Magnetic declination", "°", 2),
        .init(.magneticFluxX, "magnetic_flux_x", "Magnetic flux density X", "µT", 1),
        .init(.magneticFluxY, "magnetic_flux_y", "Magnetic flux density Y", "µT", 1),
        .init(.magneticFluxZ, "magnetic_flux_z", "Magnetic flux density Z", "µT", 1),
        .init(.movementCounter, "movement_counter", "Movements", kind: .total, theengs: "mov", use: .hidden),
        .init(.rotationalSpeed, "rotational_speed", "Rotational speed", "rpm"),
    ]

    /// Sport.
    static let sport: [QuantityDetails] = [
        .init(.cadence, "cadence", "Cadence", "rpm", 1),
        .init(.inclination, "inclination", "Inclination", "%", 1),
        .init(.accumulatedTorque, "accumulated_torque", "Accumulated torque", "Nm", 2, kind: .total),
        .init(.crankEventTime, "crank_event_time", "Time of the last crank event", "s", 3, use: .hidden),
        .init(.crankRevolutions, "crank_revolutions", "Crank revolutions", kind: .total),
        .init(.pedalBalance, "pedal_balance", "Pedal balance", "%", 1),
        .init(.resistanceLevel, "resistance_level", "Resistance level", nil, 1),
        .init(.strideLength, "stride_length", "Stride length", "m", 2, home: "distance"),
        .init(.totalDistance, "total_distance", "Total distance", "m", 1, kind: .total, home: "distance"),
        .init(.totalEnergy, "total_energy", "Total energy", "kcal", kind: .total),
        .init(.wheelEventTime, "wheel_event_time", "Time of the last wheel event", "s", 3, use: .hidden),
        .init(.wheelRevolutions, "wheel_revolutions", "Wheel revolutions", kind: .total),
    ]

    /// Body.
    static let body: [QuantityDetails] = [
        .init(.energyExpended, "energy_expended", "Energy expended", "kJ", kind: .total),
        .init(.heartRate, "heart_rate", "Heart rate", "bpm", theengs: "bpm"),
        .init(.rrInterval, "rr_interval", "RR intervals", "s", 3, list: true),
        .init(.sensorContact, "sensor_contact", "Sensor contact", kind: .binary),
        .init(.weight, "weight", "Weight", "kg", 2, theengs: "weight", home: "weight"),
        .init(.height, "height", "Height", "m", 3, home: "distance"),
        .init(.bmi, "bmi", "Body mass index", "kg/m²", 1),
        .init(.impedance, "impedance", "Impedance", "Ω", 1, theengs: "impedance"),
        .init(.glucose, "glucose", "Blood glucose", "mmol/L", 2),
        .init(.impedanceHigh, "impedance_high", "Impedance at a high frequency", "Ω", 1),
        .init(.basalMetabolism, "basal_metabolism", "Basal metabolism", "kJ"),
        .init(.bloodPressureDiastolic, "blood_pressure_diastolic", "Diastolic blood pressure", "mmHg"),
        .init(.bloodPressureMean, "blood_pressure_mean", "Mean arterial pressure", "mmHg"),
        .init(.bloodPressureSystolic, "blood_pressure_systolic", "Systolic blood pressure", "mmHg"),
        .init(.bodyFat, "body_fat", "Body fat", "%", 1),
        .init(.bodyTemperature, "body_temperature", "Body temperature", "°C", 2, home: "temperature", range: warmth),
        .init(.bodyWater, "body_water", "Body water", "kg", 2, home: "weight"),
        .init(.fatFreeMass, "fat_free_mass", "Fat-free mass", "kg", 2, home: "weight"),
        .init(.muscle, "muscle", "Muscle", "%", 1),
        .init(.muscleMass, "muscle_mass", "Muscle mass", "kg", 2, home: "weight"),
        .init(.oxygenSaturation, "oxygen_saturation", "Oxygen saturation", "%", 1),
        .init(.pulseAmplitude, "pulse_amplitude", "Pulse amplitude index", "%", 1),
        .init(.pulseRate, "pulse_rate", "Pulse rate", "bpm"),
        .init(.softLeanMass, "soft_lean_mass", "Soft lean mass", "kg", 2, home: "weight"),
        .init(.steps, "steps", "Steps", kind: .total, theengs: "steps"),
        .init(.caloricIntake, "caloric_intake", "Caloric intake", "kcal"),
        .init(.cuffPressure, "cuff_pressure", "Cuff pressure", "mmHg"),
        .init(.heartRateMax, "heart_rate_max", "Highest heart rate", "bpm"),
        .init(.hipCircumference, "hip_circumference", "Hip circumference", "m", 2, home: "distance"),
        .init(.restingHeartRate, "resting_heart_rate", "Resting heart rate", "bpm"),
        .init(.userIndex, "user_index", "User", amount: false),
        .init(.vo2Max, "vo2_max", "VO2 max", "mL/kg/min"),
        .init(.waistCircumference, "waist_circumference", "Waist circumference", "m", 2, home: "distance"),
        .init(.brushPressure, "brush_pressure", "Brush pressure", kind: .text),
        .init(.brushSector, "brush_sector", "Brush sector", theengs: "sector", amount: false),
        .init(.brushState, "brush_state", "Brush state", kind: .text, theengs: "state"),
        .init(.brushingTime, "brushing_time", "Brushing time", "s", theengs: "duration", home: "duration"),
    ]

    /// Yes or no.
    static let states: [QuantityDetails] = [
        .init(.charging, "charging", "Charging", kind: .binary, home: "battery_charging"),
        .init(.cold, "cold", "Cold", kind: .binary, home: "cold"),
        .init(.connectivity, "connectivity", "Connectivity", kind: .binary, home: "connectivity"),
        .init(.door, "door", "Door", kind: .binary, theengs: "open", home: "door"),
        .init(.heat, "heat", "Heat", kind: .binary, home: "heat"),
        .init(.light, "light", "Light", kind: .binary, home: "light"),
        .init(.lock, "lock", "Unlocked", kind: .binary, home: "lock"),
        .init(.motion, "motion", "Motion", kind: .binary, home: "motion"),
        .init(.moving, "moving", "Moving", kind: .binary, home: "moving"),
        .init(.occupancy, "occupancy", "Occupancy", kind: .binary, home: "occupancy"),
        .init(.opening, "opening", "Opening", kind: .binary, theengs: "open", home: "opening"),
        .init(.plug, "plug", "Plug", kind: .binary, home: "plug"),
        .init(.presence, "presence", "Presence", kind: .binary, home: "presence"),
        .init(.problem, "problem", "Problem", kind: .binary, home: "problem"),
        .init(.running, "running", "Running", kind: .binary, home: "running"),
        .init(.safety, "safety", "Unsafe", kind: .binary, home: "safety"),
        .init(.smoke, "smoke", "Smoke", kind: .binary, home: "smoke"),
        .init(.tamper, "tamper", "Tampering", kind: .binary, home: "tamper"),
        .init(.vibration, "vibration", "Vibration", kind: .binary, home: "vibration"),
        .init(.window, "window", "Window", kind: .binary, theengs: "open", home: "window"),
        .init(.calibrating, "calibrating", "Calibrating", kind: .binary, use: .diagnostic),
        .init(
            .carbonMonoxideDetected, "carbon_monoxide_detected", "Carbon monoxide detected", kind: .binary,
            home: "carbon_monoxide"),
        .init(.garageDoor, "garage_door", "Garage door", kind: .binary, home: "garage_door"),
        .init(.gasDetected, "gas_detected", "Gas detected", kind: .binary, home: "gas"),
        .init(.generic, "generic", "On", kind: .binary),
        .init(.leftOpen, "left_open", "Left open", kind: .binary, home: "problem"),
        .init(.moistureDetected, "moisture_detected", "Moisture detected", kind: .binary, home: "moisture"),
        .init(.powerOn, "power_on", "Power", kind: .binary, home: "power"),
        .init(.reedSwitch, "reed_switch", "Reed switch", kind: .binary),
        .init(.lockState, "lock_state", "State of the lock", kind: .text),
        .init(.soundDetected, "sound_detected", "Sound", kind: .binary, home: "sound"),
        .init(.stable, "stable", "Stable", kind: .binary),
    ]

    /// Events.
    static let events: [QuantityDetails] = [
        .init(
            .button, "button", "Button", kind: .event, home: "button",
            events: "press double_press triple_press long_press "
                + "long_double_press long_triple_press hold_press hold_release quadruple_press "
                + "quintuple_press"),
        .init(.dimmer, "dimmer", "Dimmer", kind: .event, events: "rotate_left rotate_right"),
        .init(.command, "command", "Command", kind: .event, events: "off on toggle step_up step_down"),
        .init(.dimmerSteps, "dimmer_steps", "Steps of the dimmer"),
    ]

    /// Beacons.
    static let beacons: [QuantityDetails] = [
        .init(.beacon, "beacon", "Beacon", kind: .text),
        .init(.url, "url", "URL", kind: .text),
        .init(.advertisementCount, "advertisement_count", "Advertisements sent", kind: .total, use: .hidden),
    ]

    /// Shares.
    static let shares: [QuantityDetails] = [
        .init(.consumable, "consumable", "Consumable", "%", range: percentage),
        .init(.level, "level", "Level", "%", 1),
        .init(.position, "position", "Position", "%", range: percentage),
        .init(.genericLevel, "generic_level", "Generic level"),
    ]
}
