// SPDX-License-Identifier: Apache-2.0

import Readings
import Testing

/// Theengs Decoder 2.5.0's names for the fields of our decoders, unit for unit.
struct TheengsKeyTests {
    static let rows: [(Quantity, String)] = [
        (.battery, "batt"), (.voltage, "volt"), (.sequence, "seq"), (.txPower, "txpower"), (.temperature, "tempc"),
        (.humidity, "hum"), (.pressure, "pres"), (.windSpeed, "windspeed"), (.formaldehyde, "for"), (.pm25, "pm25"),
        (.pm10, "pm10"), (.illuminance, "lux"), (.lightLevel, "lightlevel"), (.moisture, "moi"), (.conductivity, "fer"),
        (.levelQuality, "quality"), (.specificGravity, "gravity"), (.current, "current"), (.power, "power"),
        (.energy, "energy"), (.rotation, "rot"), (.movementCounter, "mov"), (.accelerationX, "accx"),
        (.accelerationY, "accy"), (.accelerationZ, "accz"), (.heartRate, "bpm"), (.weight, "weight"),
        (.impedance, "impedance"), (.steps, "steps"), (.brushState, "state"), (.brushSector, "sector"),
        (.brushingTime, "duration"), (.opening, "open"), (.window, "open"), (.door, "open"), (.stateOfCharge, "soc"),
        (.starterVoltage, "volt_aux"), (.midpointVoltage, "volt_mid"), (.inputVoltage, "volt_in"),
        (.inputCurrent, "current_in"), (.loadCurrent, "current_load"), (.acCurrent, "current_ac"),
        (.alarmCode, "alarm_reason"), (.warningCode, "warning_reason"), (.chargerState, "device_state"),
        (.consumedCharge, "consumed_ah"),
    ]

    @Test(arguments: rows) func `a quantity has the name that Theengs gives it`(_ quantity: Quantity, _ key: String) {
        #expect(quantity.details.theengsKey ?? quantity.key == key)
    }
}
