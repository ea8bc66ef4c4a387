// SPDX-License-Identifier: Apache-2.0

/// The one table of quantities: a row for each case of ``Quantity``.
package enum QuantityTable {
    static let rows = [
        own, air, airQuality, light, liquids, electricity, movement, sport, body, states, events, beacons, shares,
    ].flatMap(\.self)

    /// By the raw value of a quantity. A test proves that each quantity has one row.
    static let details: [QuantityDetails] = {
        let named = Dictionary(rows.map { ($0.quantity, $0) }) { first, _ in first }
        return Quantity.allCases.map { named[$0] ?? QuantityDetails($0, "\($0)", "\($0)") }
    }()

    static let quantities = Dictionary(rows.map { ($0.key, $0.quantity) }) { first, _ in first }

    static let percentage = 0.0...100
    /// From absolute zero to more than any thermocouple bears. Values beyond mark broken probes.
    static let warmth = -273.15...2_000
    /// The radiated power, or the power measured at one metre. Beacons with more use the octet for something else.
    static let radiated = -127.0...20

    /// The sensor itself.
    static let own: [QuantityDetails] = [
        .init(
            .battery, "battery", "Battery", "%", theengs: "batt", home: "battery", use: .diagnostic, range: percentage),
        .init(.voltage, "voltage", "Voltage", "V", 3, theengs: "volt", home: "voltage", use: .diagnostic),
        .init(.sequence, "sequence", "Sequence number", theengs: "seq", amount: false, use: .hidden),
        .init(.uptime, "uptime", "Uptime", "s", 1, kind: .total, home: "duration", use: .hidden),
        .init(.channel, "channel", "Channel", amount: false, use: .hidden),
        .init(.count, "count", "Count"),
        .init(.duration, "duration", "Duration", "s", 3, home: "duration"),
        .init(.timestamp, "timestamp", "Time of the sensor", "s", amount: false, use: .hidden),
        .init(.text, "text", "Text", kind: .text),
        .init(.batteryLow, "battery_low", "Battery low", kind: .binary, home: "battery", use: .diagnostic),
        .init(.deviceType, "device_type", "Device type", amount: false, use: .hidden),
        .init(.firmwareVersion, "firmware_version", "Firmware version", kind: .text, use: .hidden),
        .init(.sampleAge, "sample_age", "Age of the sample", "s", home: "duration", use: .hidden),
        .init(.sampleInterval, "sample_interval", "Interval of samples", "s", home: "duration", use: .hidden),
        .init(.settingsRevision, "settings_revision", "Revision of settings", amount: false, use: .hidden),
        .init(
            .txPower, "tx_power", "Transmit power", "dBm", theengs: "txpower", home: "signal_strength", use: .hidden,
            range: radiated),
    ]

    /// Air and weather.
    static let air: [QuantityDetails] = [
        .init(
            .temperature, "temperature", "Temperature", "°C", 1, theengs: "tempc", home: "temperature", range: warmth),
        .init(.humidity, "humidity", "Humidity", "%", 1, theengs: "hum", home: "humidity", range: percentage),
        .init(.pressure, "pressure", "Pressure", "hPa", 1, theengs: "pres", home: "atmospheric_pressure"),
        .init(.dewpoint, "dewpoint", "Dew point", "°C", 1, home: "temperature", range: warmth),
        .init(.elevation, "elevation", "Elevation", "m", 2, home: "distance"),
        .init(.precipitation, "precipitation", "Precipitation", "mm", 1, home: "precipitation"),
        .init(.irradiance, "irradiance", "Irradiance", "W/m²", 1, home: "irradiance"),
        .init(.alarmTemperature, "alarm_temperature", "Alarm temperature", "°C", 1, home: "temperature", range: warmth),
        .init(.gustFactor, "gust_factor", "Gust factor", nil, 1),
        .init(.heatIndex, "heat_index", "Heat index", "°C", home: "temperature", range: warmth),
        .init(.pollenConcentration, "pollen_concentration", "Pollen concentration", "1/m³"),
        .init(.pressureTrend, "pressure_trend", "Pressure trend", kind: .text),
        .init(
            .targetTemperature, "target_temperature", "Target temperature", "°C", 1, home: "temperature",
            range: warmth),
        .init(.uvIndex, "uv_index", "UV index", nil, 1),
        .init(.windChill, "wind_chill", "Wind chill", "°C", home: "temperature", range: warmth),
        .init(.windDirection, "wind_direction", "Wind direction", "°", 1),
        .init(.windSpeed, "wind_speed", "Wind speed", "m/s", 2, theengs: "windspeed", home: "wind_speed"),
        .init(.apparentWindDirection, "apparent_wind_direction", "Apparent wind direction", "°", 1),
        .init(.apparentWindSpeed, "apparent_wind_speed", "Apparent wind speed", "m/s", 2, home: "wind_speed"),
    ]

    /// Air quality.
    static let airQuality: [QuantityDetails] = [
        .init(.co2, "co2", "Carbon dioxide", "ppm", home: "carbon_dioxide"),
        .init(.tvoc, "tvoc", "Volatile organic compounds", "µg/m³", home: "volatile_organic_compounds"),
        .init(.radon, "radon", "Radon", "Bq/m³"),
        .init(.formaldehyde, "formaldehyde", "Formaldehyde", "mg/m³", 2, theengs: "for"),
        .init(.ammonia, "ammonia", "Ammonia", "µg/m³"),
        .init(.methane, "methane", "Methane", "ppm"),
        .init(.ozone, "ozone", "Ozone", "µg/m³", home: "ozone"),
        .init(.co2Status, "co2_status", "Carbon dioxide's rating", kind: .text),
        .init(.carbonMonoxide, "carbon_monoxide", "Carbon monoxide", "µg/m³"),
        .init(.nitrogenDioxide, "nitrogen_dioxide", "Nitrogen dioxide", "µg/m³", home: "nitrogen_dioxide"),
        .init(.noxIndex, "nox_index", "NOx index"),
        .init(.pm1, "pm1", "PM1", "µg/m³", 1, home: "pm1"),
        .init(.pm25, "pm25", "PM2.5", "µg/m³", 1, theengs: "pm25", home: "pm25"),
        .init(.pm4, "pm4", "PM4", "µg/m³", 1),
        .init(.pm10, "pm10", "PM10", "µg/m³", 1, theengs: "pm10", home: "pm10"),
        .init(
            .radiationDuration, "radiation_duration", "Duration of the radiation's total", "s", kind: .total,
            home: "duration"),
        .init(.radiationRate, "radiation_rate", "Radiation rate", "µSv/h", 3),
        .init(.radiationTotal, "radiation_total", "Radiation total", "mSv", 6, kind: .total),
        .init(.radonLong, "radon_long", "Radon, long term", "Bq/m³"),
        .init(.sulfurDioxide, "sulfur_dioxide", "Sulfur dioxide", "µg/m³", home: "sulphur_dioxide"),
        .init(.sulfurHexafluoride, "sulfur_hexafluoride", "Sulfur hexafluoride", "µg/m³"),
        .init(.vocIndex, "voc_index", "VOC index"),
        .init(.vocPPB, "voc_ppb", "Volatile organic compounds", "ppb", home: "volatile_organic_compounds_parts"),
    ]

    /// Light and sound.
    static let light: [QuantityDetails] = [
        .init(.illuminance, "illuminance", "Illuminance", "lx", theengs: "lux", home: "illuminance"),
        .init(.chromaticity, "chromaticity", "Chromaticity", nil, 4, list: true),
        .init(.chromaticityTolerance, "chromaticity_tolerance", "Tolerance of the chromaticity", nil, 4),
        .init(.colorRenderingIndex, "color_rendering_index", "Color rendering index"),
        .init(.colorTemperature, "color_temperature", "Color temperature", "K"),
        .init(.lightLevel, "light_level", "Light level", theengs: "lightlevel"),
        .init(.luminousEfficacy, "luminous_efficacy", "Luminous efficacy", "lm/W", 1),
        .init(.luminousEnergy, "luminous_energy", "Luminous energy", "klm·h", kind: .total),
        .init(.luminousExposure, "luminous_exposure", "Luminous exposure", "klx·h", kind: .total),
        .init(.luminousFlux, "luminous_flux", "Luminous flux", "lm"),
        .init(.luminousIntensity, "luminous_intensity", "Luminous intensity", "cd"),
        .init(.planckianDistance, "planckian_distance", "Distance from the Planckian locus", nil, 5),
        .init(.soundLevel, "sound_level", "Sound level", "dBA", home: "sound_pressure"),
        .init(.soundPressure, "sound_pressure", "Sound pressure", "dB", home: "sound_pressure"),
    ]

    /// Soil and liquids.
    static let liquids: [QuantityDetails] = [
        .init(.moisture, "moisture", "Moisture", "%", 1, theengs: "moi", home: "moisture", range: percentage),
        .init(.conductivity, "conductivity", "Conductivity", "µS/cm", theengs: "fer"),
        .init(.volume, "volume", "Volume", "L", 1, home: "volume"),
        .init(.water, "water", "Water", "L", 3, kind: .total, home: "water"),
        .init(.liquidLevel, "liquid_level", "Liquid level", "m", 3, home: "distance"),
        .init(.levelQuality, "level_quality", "Quality of the level", theengs: "quality", use: .hidden),
        .init(.gravityRate, "gravity_rate", "Change of the specific gravity", "1/d", 4),
        .init(.specificGravity, "specific_gravity", "Specific gravity", nil, 4, theengs: "gravity"),
        .init(.storedVolume, "stored_volume", "Stored volume", "L", 3, home: "volume_storage"),
        .init(.volumeFlow, "volume_flow", "Volume flow", "m³/h", 3, home: "volume_flow_rate"),
        .init(.massFlow, "mass_flow", "Mass flow", "g/s"),
    ]
}
