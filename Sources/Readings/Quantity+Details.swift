// SPDX-License-Identifier: Apache-2.0

extension Quantity {
    /// How values of a quantity follow on each other.
    package enum Kind: String, Sendable {
        /// Goes up and down.
        case measurement
        /// Only goes up, until the sensor begins at 0 again.
        case total
        /// 1 or 0.
        case binary
        /// Something that happened, by its name: `press`. An event is not repeated, thinned or kept as a state.
        case event
        /// A state by its name, or a sensor's words about itself.
        case text
    }

    /// Facts about a quantity. Decoders, payloads, the command line and docs/decoders.md read them.
    package struct Details: Sendable {
        /// For people: `Heart rate`.
        package var name: String
        package var kind: Kind
        /// The constant unit of the quantity's numbers; nil for a count, and for a quantity without a unit.
        package var unit: String?
        /// The number of decimal places to show.
        package var precision: Int
        /// A value is a list of numbers, oldest first.
        package var isList: Bool
        /// The key of OpenMQTTGateway and Theengs; nil for a key of ours.
        package var theengsKey: String?
        /// Home Assistant's device class; nil if Home Assistant has none.
        package var deviceClass: String?

        fileprivate init(
            _ name: String, _ unit: String? = nil, _ precision: Int = 0, kind: Kind = .measurement, list: Bool = false,
            theengs: String? = nil, home: String? = nil
        ) {
            self.name = name
            self.kind = kind
            self.unit = unit
            self.precision = precision
            isList = list
            theengsKey = theengs
            deviceClass = home
        }

        fileprivate static func binary(_ name: String, theengs: String? = nil, home: String? = nil) -> Details {
            Details(name, kind: .binary, theengs: theengs, home: home)
        }
    }

    /// The numbers are amounts that can be compared, not numbers of things.
    package var isAmount: Bool {
        switch self {
        case .timestamp, .deviceType, .channel, .sequence, .settingsRevision, .userIndex, .brushSector, .alarmCode,
            .warningCode, .errorCode, .offReason:
            false
        default: true
        }
    }

    package var details: Details {
        switch self {
        case .battery: Details("Battery", "%", theengs: "batt", home: "battery")
        case .voltage: Details("Voltage", "V", 3, theengs: "volt", home: "voltage")
        case .sequence: Details("Sequence number", theengs: "seq")
        case .uptime: Details("Uptime", "s", 1, kind: .total, home: "duration")
        case .channel: Details("Channel")
        case .count: Details("Count")
        case .duration: Details("Duration", "s", 3, home: "duration")
        case .timestamp: Details("Time of the sensor", "s")
        case .text: Details("Text", kind: .text)
        case .batteryLow: .binary("Battery low", home: "battery")
        case .deviceType: Details("Device type")
        case .firmwareVersion: Details("Firmware version", kind: .text)
        case .sampleAge: Details("Age of the sample", "s", home: "duration")
        case .sampleInterval: Details("Interval of samples", "s", home: "duration")
        case .settingsRevision: Details("Revision of settings")
        case .txPower: Details("Transmit power", "dBm", theengs: "txpower", home: "signal_strength")

        case .temperature: Details("Temperature", "°C", 1, theengs: "tempc", home: "temperature")
        case .humidity: Details("Humidity", "%", 1, theengs: "hum", home: "humidity")
        case .pressure: Details("Pressure", "hPa", 1, theengs: "pres", home: "atmospheric_pressure")
        case .dewpoint: Details("Dew point", "°C", 1, home: "temperature")
        case .elevation: Details("Elevation", "m", 2, home: "distance")
        case .precipitation: Details("Precipitation", "mm", 1, home: "precipitation")
        case .irradiance: Details("Irradiance", "W/m²", 1, home: "irradiance")
        case .alarmTemperature: Details("Alarm temperature", "°C", 1, home: "temperature")
        case .gustFactor: Details("Gust factor", nil, 1)
        case .heatIndex: Details("Heat index", "°C", home: "temperature")
        case .pollenConcentration: Details("Pollen concentration", "1/m³")
        case .pressureTrend: Details("Pressure trend", kind: .text)
        case .targetTemperature: Details("Target temperature", "°C", 1, home: "temperature")
        case .uvIndex: Details("UV index", nil, 1)
        case .windChill: Details("Wind chill", "°C", home: "temperature")
        case .windDirection: Details("Wind direction", "°", 1)
        case .windSpeed: Details("Wind speed", "m/s", 2, theengs: "windspeed", home: "wind_speed")
        case .apparentWindDirection: Details("Apparent wind direction", "°", 1)
        case .apparentWindSpeed: Details("Apparent wind speed", "m/s", 2, home: "wind_speed")

        case .co2: Details("Carbon dioxide", "ppm", home: "carbon_dioxide")
        case .tvoc: Details("Volatile organic compounds", "µg/m³", home: "volatile_organic_compounds")
        case .radon: Details("Radon", "Bq/m³")
        case .formaldehyde: Details("Formaldehyde", "mg/m³", 2, theengs: "for")
        case .ammonia: Details("Ammonia", "µg/m³")
        case .methane: Details("Methane", "ppm")
        case .ozone: Details("Ozone", "µg/m³", home: "ozone")
        case .co2Status: Details("Carbon dioxide's rating", kind: .text)
        case .carbonMonoxide: Details("Carbon monoxide", "µg/m³")
        case .nitrogenDioxide: Details("Nitrogen dioxide", "µg/m³", home: "nitrogen_dioxide")
        case .noxIndex: Details("NOx index")
        case .pm1: Details("PM1", "µg/m³", 1, home: "pm1")
        case .pm25: Details("PM2.5", "µg/m³", 1, theengs: "pm25", home: "pm25")
        case .pm4: Details("PM4", "µg/m³", 1)
        case .pm10: Details("PM10", "µg/m³", 1, theengs: "pm10", home: "pm10")
        case .radiationDuration: Details("Duration of the radiation's total", "s", kind: .total, home: "duration")
        case .radiationRate: Details("Radiation rate", "µSv/h", 3)
        case .radiationTotal: Details("Radiation total", "mSv", 6, kind: .total)
        case .radonLong: Details("Radon, long term", "Bq/m³")
        case .sulfurDioxide: Details("Sulfur dioxide", "µg/m³", home: "sulphur_dioxide")
        case .sulfurHexafluoride: Details("Sulfur hexafluoride", "µg/m³")
        case .vocIndex: Details("VOC index")
        case .vocPPB: Details("Volatile organic compounds", "ppb", home: "volatile_organic_compounds_parts")

        case .illuminance: Details("Illuminance", "lx", theengs: "lux", home: "illuminance")
        case .chromaticity: Details("Chromaticity", nil, 4, list: true)
        case .chromaticityTolerance: Details("Tolerance of the chromaticity", nil, 4)
        case .colorRenderingIndex: Details("Color rendering index")
        case .colorTemperature: Details("Color temperature", "K")
        case .lightLevel: Details("Light level", theengs: "lightlevel")
        case .luminousEfficacy: Details("Luminous efficacy", "lm/W", 1)
        case .luminousEnergy: Details("Luminous energy", "klm·h", kind: .total)
        case .luminousExposure: Details("Luminous exposure", "klx·h", kind: .total)
        case .luminousFlux: Details("Luminous flux", "lm")
        case .luminousIntensity: Details("Luminous intensity", "cd")
        case .planckianDistance: Details("Distance from the Planckian locus", nil, 5)
        case .soundLevel: Details("Sound level", "dBA", home: "sound_pressure")
        case .soundPressure: Details("Sound pressure", "dB", home: "sound_pressure")

        case .moisture: Details("Moisture", "%", 1, theengs: "moi", home: "moisture")
        case .conductivity: Details("Conductivity", "µS/cm", theengs: "fer")
        case .volume: Details("Volume", "L", 1, home: "volume")
        case .water: Details("Water", "L", 3, kind: .total, home: "water")
        case .liquidLevel: Details("Liquid level", "m", 3, home: "distance")
        case .levelQuality: Details("Quality of the level", theengs: "quality")
        case .gravityRate: Details("Change of the specific gravity", "1/d", 4)
        case .specificGravity: Details("Specific gravity", nil, 4, theengs: "gravity")
        case .storedVolume: Details("Stored volume", "L", 3, home: "volume_storage")
        case .volumeFlow: Details("Volume flow", "m³/h", 3, home: "volume_flow_rate")
        case .massFlow: Details("Mass flow", "g/s")

        case .current: Details("Current", "A", 3, theengs: "current", home: "current")
        case .power: Details("Power", "W", 2, theengs: "power", home: "power")
        case .energy: Details("Energy", "kWh", 3, kind: .total, theengs: "energy", home: "energy")
        case .gas: Details("Gas", "m³", 3, kind: .total, home: "gas")
        case .acCurrent: Details("AC current", "A", 1, theengs: "current_ac", home: "current")
        case .acInput: Details("AC input", kind: .text)
        case .acInputPower: Details("AC input power", "W", home: "power")
        case .acVoltage: Details("AC voltage", "V", 2, home: "voltage")
        case .acPower: Details("AC power", "W", home: "power")
        case .apparentEnergy: Details("Apparent energy", "kVAh", 3, kind: .total)
        case .apparentPower: Details("Apparent power", "VA", 1, home: "apparent_power")
        case .alarmCode: Details("Alarm code", theengs: "alarm_reason")
        case .cellVoltage: Details("Cell voltage", "V", 2, home: "voltage")
        case .chargerError: Details("Charger error", kind: .text)
        case .chargerState: Details("Charger state", kind: .text, theengs: "device_state")
        case .consumedCharge: Details("Consumed charge", "Ah", 1, theengs: "consumed_ah")
        case .electricFrequency: Details("Frequency", "Hz", 2, home: "frequency")
        case .errorCode: Details("Error code")
        case .inputCurrent: Details("Input current", "A", 1, theengs: "current_in", home: "current")
        case .inputVoltage: Details("Input voltage", "V", 2, theengs: "volt_in", home: "voltage")
        case .loadCurrent: Details("Load current", "A", 1, theengs: "current_load", home: "current")
        case .midpointVoltage: Details("Midpoint voltage", "V", 2, theengs: "volt_mid", home: "voltage")
        case .offReason: Details("Reason to be off")
        case .powerFactor: Details("Power factor", nil, 2, home: "power_factor")
        case .remainingTime: Details("Remaining time", "s", home: "duration")
        case .starterVoltage: Details("Starter voltage", "V", 2, theengs: "volt_aux", home: "voltage")
        case .stateOfCharge: Details("State of charge", "%", 1, theengs: "soc", home: "battery")
        case .warningCode: Details("Warning code", theengs: "warning_reason")
        // Theengs uses the bare name for kilowatt-hours.
        case .yieldToday: Details("Yield today", "Wh", kind: .total, theengs: "yield_today_wh", home: "energy")

        case .distance: Details("Distance", "m", 3, home: "distance")
        case .speed: Details("Speed", "m/s", 2, home: "speed")
        case .rotation: Details("Rotation", "°", 1, theengs: "rot")
        case .tilt: Details("Tilt", "°", 1)
        case .force: Details("Force", "N", 1)
        case .torque: Details("Torque", "Nm", 2)
        case .accelerationX: Details("Acceleration X", "m/s²", 3, theengs: "accx")
        case .accelerationY: Details("Acceleration Y", "m/s²", 3, theengs: "accy")
        case .accelerationZ: Details("Acceleration Z", "m/s²", 3, theengs: "accz")
        case .acceleration: Details("Acceleration", "m/s²", 3)
        case .gyroscope: Details("Rate of turn", "°/s", 3)
        case .direction: Details("Direction", "°", 2)
        case .magneticDeclination: Details("Magnetic declination", "°", 2)
        case .magneticFluxX: Details("Magnetic flux density X", "µT", 1)
        case .magneticFluxY: Details("Magnetic flux density Y", "µT", 1)
        case .magneticFluxZ: Details("Magnetic flux density Z", "µT", 1)
        case .movementCounter: Details("Movements", kind: .total, theengs: "mov")
        case .rotationalSpeed: Details("Rotational speed", "rpm")

        case .cadence: Details("Cadence", "rpm", 1)
        case .inclination: Details("Inclination", "%", 1)
        case .accumulatedTorque: Details("Accumulated torque", "Nm", 2, kind: .total)
        case .crankEventTime: Details("Time of the last crank event", "s", 3)
        case .crankRevolutions: Details("Crank revolutions", kind: .total)
        case .pedalBalance: Details("Pedal balance", "%", 1)
        case .resistanceLevel: Details("Resistance level", nil, 1)
        case .strideLength: Details("Stride length", "m", 2, home: "distance")
        case .totalDistance: Details("Total distance", "m", 1, kind: .total, home: "distance")
        case .totalEnergy: Details("Total energy", "kcal", kind: .total)
        case .wheelEventTime: Details("Time of the last wheel event", "s", 3)
        case .wheelRevolutions: Details("Wheel revolutions", kind: .total)

        case .energyExpended: Details("Energy expended", "kJ", kind: .total)
        case .heartRate: Details("Heart rate", "bpm", theengs: "bpm")
        case .rrInterval: Details("RR intervals", "s", 3, list: true)
        case .sensorContact: .binary("Sensor contact")
        case .weight: Details("Weight", "kg", 2, theengs: "weight", home: "weight")
        case .height: Details("Height", "m", 3, home: "distance")
        case .bmi: Details("Body mass index", "kg/m²", 1)
        case .impedance: Details("Impedance", "Ω", 1, theengs: "impedance")
        case .impedanceHigh: Details("Impedance at a high frequency", "Ω", 1)
        case .glucose: Details("Blood glucose", "mmol/L", 2)
        case .basalMetabolism: Details("Basal metabolism", "kJ")
        case .bloodPressureDiastolic: Details("Diastolic blood pressure", "mmHg")
        case .bloodPressureMean: Details("Mean arterial pressure", "mmHg")
        case .bloodPressureSystolic: Details("Systolic blood pressure", "mmHg")
        case .bodyFat: Details("Body fat", "%", 1)
        case .bodyTemperature: Details("Body temperature", "°C", 2, home: "temperature")
        case .bodyWater: Details("Body water", "kg", 2, home: "weight")
        case .fatFreeMass: Details("Fat-free mass", "kg", 2, home: "weight")
        case .muscle: Details("Muscle", "%", 1)
        case .muscleMass: Details("Muscle mass", "kg", 2, home: "weight")
        case .oxygenSaturation: Details("Oxygen saturation", "%", 1)
        case .pulseAmplitude: Details("Pulse amplitude index", "%", 1)
        case .pulseRate: Details("Pulse rate", "bpm")
        case .softLeanMass: Details("Soft lean mass", "kg", 2, home: "weight")
        case .steps: Details("Steps", kind: .total, theengs: "steps")
        case .caloricIntake: Details("Caloric intake", "kcal")
        case .cuffPressure: Details("Cuff pressure", "mmHg")
        case .heartRateMax: Details("Highest heart rate", "bpm")
        case .hipCircumference: Details("Hip circumference", "m", 2, home: "distance")
        case .restingHeartRate: Details("Resting heart rate", "bpm")
        case .userIndex: Details("User")
        case .vo2Max: Details("VO2 max", "mL/kg/min")
        case .waistCircumference: Details("Waist circumference", "m", 2, home: "distance")
        case .brushPressure: Details("Brush pressure", kind: .text)
        case .brushSector: Details("Brush sector", theengs: "sector")
        case .brushState: Details("Brush state", kind: .text, theengs: "state")
        case .brushingTime: Details("Brushing time", "s", theengs: "duration", home: "duration")

        case .charging: .binary("Charging", home: "battery_charging")
        case .cold: .binary("Cold", home: "cold")
        case .connectivity: .binary("Connectivity", home: "connectivity")
        case .door: .binary("Door", theengs: "open", home: "door")
        case .heat: .binary("Heat", home: "heat")
        case .light: .binary("Light", home: "light")
        case .lock: .binary("Unlocked", home: "lock")
        case .motion: .binary("Motion", home: "motion")
        case .moving: .binary("Moving", home: "moving")
        case .occupancy: .binary("Occupancy", home: "occupancy")
        case .opening: .binary("Opening", theengs: "open", home: "opening")
        case .plug: .binary("Plug", home: "plug")
        case .presence: .binary("Presence", home: "presence")
        case .problem: .binary("Problem", home: "problem")
        case .running: .binary("Running", home: "running")
        case .safety: .binary("Unsafe", home: "safety")
        case .smoke: .binary("Smoke", home: "smoke")
        case .tamper: .binary("Tampering", home: "tamper")
        case .vibration: .binary("Vibration", home: "vibration")
        case .window: .binary("Window", theengs: "open", home: "window")
        case .calibrating: .binary("Calibrating")
        case .carbonMonoxideDetected: .binary("Carbon monoxide detected", home: "carbon_monoxide")
        case .garageDoor: .binary("Garage door", home: "garage_door")
        case .gasDetected: .binary("Gas detected", home: "gas")
        case .generic: .binary("On")
        case .leftOpen: .binary("Left open", home: "problem")
        case .moistureDetected: .binary("Moisture detected", home: "moisture")
        case .powerOn: .binary("Power", home: "power")
        case .reedSwitch: .binary("Reed switch")
        case .lockState: Details("State of the lock", kind: .text)
        case .soundDetected: .binary("Sound", home: "sound")
        case .stable: .binary("Stable")

        case .button: Details("Button", kind: .event, home: "button")
        case .dimmer: Details("Dimmer", kind: .event)
        case .command: Details("Command", kind: .event)
        case .dimmerSteps: Details("Steps of the dimmer")

        case .beacon: Details("Beacon", kind: .text)
        case .url: Details("URL", kind: .text)
        case .advertisementCount: Details("Advertisements sent", kind: .total)

        case .consumable: Details("Consumable", "%")
        case .level: Details("Level", "%", 1)
        case .position: Details("Position", "%")
        case .genericLevel: Details("Generic level")
        }
    }
}
