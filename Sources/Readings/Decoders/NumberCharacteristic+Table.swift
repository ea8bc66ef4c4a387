// SPDX-License-Identifier: Apache-2.0

/// Characteristics of the GATT Specification Supplement (2026), in its groups. Numbers for "not known", "not valid" and
/// "or greater" are no values.
extension NumberCharacteristic {
    static let all = air + light + electricity + things + time + gases + people

    private static func unsigned(
        _ characteristic: UInt16, _ name: String, _ quantity: Quantity, _ octets: Int, times multiplier: Int64 = 1,
        places: Int = 0, unknown: Set<Int64> = [], allowed: ClosedRange<Int64>? = nil
    ) -> NumberCharacteristic {
        NumberCharacteristic(
            characteristic: characteristic, name: name, quantities: [quantity], number: .unsigned(octets: octets),
            multiplier: multiplier, places: places, unknown: unknown, allowed: allowed)
    }

    private static func signed(
        _ characteristic: UInt16, _ name: String, _ quantities: Quantity..., octets: Int, times multiplier: Int64 = 1,
        places: Int = 0, unknown: Set<Int64> = [], allowed: ClosedRange<Int64>? = nil
    ) -> NumberCharacteristic {
        NumberCharacteristic(
            characteristic: characteristic, name: name, quantities: quantities, number: .signed(octets: octets),
            multiplier: multiplier, places: places, unknown: unknown, allowed: allowed)
    }

    /// `shift`: the power of ten from the unit on the air to the quantity's unit.
    private static func gas(
        _ characteristic: UInt16, _ name: String, _ quantity: Quantity, shift: Int = 9
    ) -> NumberCharacteristic {
        NumberCharacteristic(
            characteristic: characteristic, name: name, quantities: [quantity], number: .medical, places: -shift)
    }

    private static let word: Set<Int64> = [0xFFFF]
    private static let triple: Set<Int64> = [0xFF_FFFF]
    private static let tripleOrInvalid: Set<Int64> = [0xFF_FFFE, 0xFF_FFFF]
    private static let longOrInvalid: Set<Int64> = [0xFFFF_FFFE, 0xFFFF_FFFF]
    private static let signedLong: Set<Int64> = [0x7FFF_FFFF]
    private static let degrees: ClosedRange<Int64> = 0...35_999

    private static let air = [
        unsigned(0x2A70, "True Wind Speed", .windSpeed, 2, places: 2),
        unsigned(0x2A71, "True Wind Direction", .windDirection, 2, places: 2, allowed: degrees),
        unsigned(0x2A72, "Apparent Wind Speed", .apparentWindSpeed, 2, places: 2),
        unsigned(0x2A73, "Apparent Wind Direction", .apparentWindDirection, 2, places: 2, allowed: degrees),
        unsigned(0x2A74, "Gust Factor", .gustFactor, 1, places: 1),
        unsigned(0x2A75, "Pollen Concentration", .pollenConcentration, 3),
        unsigned(0x2A76, "UV Index", .uvIndex, 1),
        unsigned(0x2A78, "Rainfall", .precipitation, 2),
        signed(0x2A79, "Wind Chill", .windChill, octets: 1),
        signed(0x2A7A, "Heat Index", .heatIndex, octets: 1),
        signed(0x2A7B, "Dew Point", .dewpoint, octets: 1),
        signed(0x2A6C, "Elevation", .elevation, octets: 3, places: 2),
        signed(0x2B0D, "Temperature 8", .temperature, octets: 1, times: 5, places: 1, unknown: [0x7F]),
        signed(
            0x2BDF, "High Temperature", .temperature, octets: 2, times: 5, places: 1, unknown: [-0x8000, -0x7FFF],
            allowed: -546...0x7FFF),
        signed(
            0x2C2E, "Cooking Temperature", .temperature, octets: 2, places: 1, unknown: [-0x8000],
            allowed: -1_000...10_000),
        unsigned(0x2C1B, "Humidity 8", .humidity, 1, times: 5, places: 1, unknown: [0xFF], allowed: 0...200),
        unsigned(0x2BE4, "Noise", .soundPressure, 1, unknown: [0xFE, 0xFF]),
    ]

    private static let light = [
        unsigned(0x2A77, "Irradiance", .irradiance, 2, places: 1),
        unsigned(0x2AFB, "Illuminance", .illuminance, 3, places: 2, unknown: triple),
        unsigned(0x2C1C, "Illuminance 16", .illuminance, 2, unknown: word),
        unsigned(
            0x2AFC, "Luminous Efficacy", .luminousEfficacy, 2, places: 1, unknown: word, allowed: 0...18_000),
        unsigned(0x2AFD, "Luminous Energy", .luminousEnergy, 3, unknown: triple),
        unsigned(0x2AFE, "Luminous Exposure", .luminousExposure, 3, unknown: triple),
        unsigned(0x2AFF, "Luminous Flux", .luminousFlux, 2, unknown: word),
        unsigned(0x2BE2, "Light Output", .luminousFlux, 3, unknown: tripleOrInvalid),
        unsigned(0x2B01, "Luminous Intensity", .luminousIntensity, 2, unknown: word),
        unsigned(0x2B03, "Perceived Lightness", .lightLevel, 2),
        unsigned(
            0x2AE9, "Correlated Color Temperature", .colorTemperature, 2, unknown: word, allowed: 800...0xFFFE),
        signed(
            0x2AE7, "CIE 13.3-1995 Color Rendering Index", .colorRenderingIndex, octets: 1, unknown: [0x7F],
            allowed: -128...100),
        signed(
            0x2AE3, "Chromatic Distance from Planckian", .planckianDistance, octets: 2, places: 5,
            unknown: [0x7FFE, 0x7FFF], allowed: -5_000...5_000),
        unsigned(0x2AE6, "Chromaticity Tolerance", .chromaticityTolerance, 1, places: 4),
    ]

    private static let electricity = [
        // Steps of a 64th of a volt.
        unsigned(0x2B18, "Voltage", .voltage, 2, times: 15_625, places: 6, unknown: word, allowed: 0...65_408),
        unsigned(0x2BE0, "High Voltage", .voltage, 3, times: 15_625, places: 6, unknown: triple),
        unsigned(0x2AEE, "Electric Current", .current, 2, places: 2, unknown: word),
        unsigned(0x2B05, "Power", .power, 3, places: 1, unknown: tripleOrInvalid),
        unsigned(0x2AF2, "Energy", .energy, 3, unknown: triple),
        unsigned(0x2BA8, "Energy 32", .energy, 4, places: 3, unknown: longOrInvalid),
        unsigned(0x2B8A, "Apparent Power", .apparentPower, 3, places: 1, unknown: tripleOrInvalid),
        unsigned(0x2B89, "Apparent Energy 32", .apparentEnergy, 4, places: 3, unknown: longOrInvalid),
        unsigned(0x2BE8, "Voltage Frequency", .electricFrequency, 2, unknown: [0xFFFE, 0xFFFF]),
        signed(
            0x2B8D, "Cosine of the Angle", .powerFactor, octets: 1, places: 2, unknown: [0x7F], allowed: -100...100),
        signed(0x2A07, "Tx Power Level", .txPower, octets: 1, allowed: -100...20),
    ]

    private static let things = [
        unsigned(0x2B02, "Mass Flow", .massFlow, 2, unknown: word),
        // Litres a second are 3.6 cubic metres an hour.
        unsigned(0x2B1B, "Volume Flow", .volumeFlow, 2, times: 36, places: 4, unknown: word),
        unsigned(0x2C30, "Kitchen Appliance Airflow", .volumeFlow, 2, times: 36, places: 1, unknown: word),
        unsigned(0x2B04, "Percentage 8", .level, 1, times: 5, places: 1, unknown: [0xFF], allowed: 0...200),
        unsigned(0x2C2F, "Cooking Zone Perceived Power", .level, 2, places: 1, allowed: 0...3_550),
        unsigned(0x2AF9, "Generic Level", .genericLevel, 2),
        unsigned(0x2AEA, "Count 16", .count, 2, unknown: word),
        unsigned(0x2AEB, "Count 24", .count, 3, unknown: triple),
        unsigned(0x2A2C, "Magnetic Declination", .magneticDeclination, 2, places: 2, allowed: degrees),
        // Tenths of a microtesla.
        signed(0x2AA0, "Magnetic Flux Density - 2D", .magneticFluxX, .magneticFluxY, octets: 2, places: 1),
        signed(
            0x2AA1, "Magnetic Flux Density - 3D", .magneticFluxX, .magneticFluxY, .magneticFluxZ, octets: 2, places: 1),
        signed(0x2C06, "Acceleration", .acceleration, octets: 4, places: 3, unknown: signedLong),
        // Hundredths and thousandths of 9.80665 m/s².
        signed(
            0x2C1D, "Acceleration - 3D", .accelerationX, .accelerationY, .accelerationZ, octets: 1, times: 980_665,
            places: 7, unknown: [0x7E, 0x7F]),
        signed(
            0x2C1E, "Precise Acceleration - 3D", .accelerationX, .accelerationY, .accelerationZ, octets: 2,
            times: 980_665, places: 8, unknown: [0x7FFE, 0x7FFF]),
        signed(0x2C07, "Force", .force, octets: 4, places: 3, unknown: signedLong),
        signed(0x2C08, "Linear Position", .distance, octets: 4, places: 7, unknown: signedLong),
        signed(0x2C09, "Rotational Speed", .rotationalSpeed, octets: 4, unknown: signedLong),
        unsigned(0x2C0A, "Length", .distance, 4, places: 7, unknown: [0xFFFF_FFFF]),
        signed(0x2C0B, "Torque", .torque, octets: 4, places: 2, unknown: signedLong),
    ]

    /// All in seconds.
    private static let time = [
        unsigned(0x2B12, "Time Decihour 8", .duration, 1, times: 360, unknown: [0xFF], allowed: 0...239),
        unsigned(0x2B14, "Time Hour 24", .duration, 3, times: 3_600, unknown: triple),
        unsigned(0x2B15, "Time Millisecond 24", .duration, 3, places: 3, unknown: triple),
        unsigned(0x2B16, "Time Second 16", .duration, 2, unknown: word),
        unsigned(0x2B17, "Time Second 8", .duration, 1, unknown: [0xFF]),
        unsigned(0x2BE6, "Time Second 32", .duration, 4, unknown: [0xFFFF_FFFF]),
    ]

    /// Masses are in kg/m³ on the air, and in µg/m³ here.
    private static let gases = [
        unsigned(0x2B8C, "CO2 Concentration", .co2, 2, unknown: [0xFFFE, 0xFFFF]),
        unsigned(0x2BE7, "VOC Concentration", .vocPPB, 2, unknown: [0xFFFE, 0xFFFF]),
        gas(0x2BCF, "Ammonia Concentration", .ammonia),
        gas(0x2BD0, "Carbon Monoxide Concentration", .carbonMonoxide),
        gas(0x2BD1, "Methane Concentration", .methane, shift: -3),
        gas(0x2BD2, "Nitrogen Dioxide Concentration", .nitrogenDioxide),
        gas(0x2BD3, "Non-Methane Volatile Organic Compounds Concentration", .tvoc),
        gas(0x2BD4, "Ozone Concentration", .ozone),
        gas(0x2BD5, "Particulate Matter - PM1 Concentration", .pm1),
        gas(0x2BD6, "Particulate Matter - PM2.5 Concentration", .pm25),
        gas(0x2BD7, "Particulate Matter - PM10 Concentration", .pm10),
        gas(0x2BD8, "Sulfur Dioxide Concentration", .sulfurDioxide),
        gas(0x2BD9, "Sulfur Hexafluoride Concentration", .sulfurHexafluoride),
    ]

    private static let people = [
        unsigned(0x2A98, "Weight", .weight, 2, times: 5, places: 3),
        unsigned(0x2A8E, "Height", .height, 2, places: 2),
        unsigned(0x2B47, "High Resolution Height", .height, 2, places: 4),
        unsigned(0x2A8F, "Hip Circumference", .hipCircumference, 2, places: 2),
        unsigned(0x2A97, "Waist Circumference", .waistCircumference, 2, places: 2),
        unsigned(0x2A92, "Resting Heart Rate", .restingHeartRate, 1),
        unsigned(0x2A8D, "Heart Rate Max", .heartRateMax, 1),
        unsigned(0x2A96, "VO2 Max", .vo2Max, 1),
        unsigned(0x2B49, "Stride Length", .strideLength, 2, places: 3),
        unsigned(0x2B50, "Caloric Intake", .caloricIntake, 2),
        unsigned(0x2A9A, "User Index", .userIndex, 1, unknown: [0xFF]),
    ]
}
