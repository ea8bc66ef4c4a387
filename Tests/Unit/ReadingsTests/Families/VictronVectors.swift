// SPDX-License-Identifier: Apache-2.0

import Readings

extension FamilyVector {
    /// The test's own key; another implementation of AES has encrypted the packets under it.
    private static let own = "0102030405060708090a0b0c0d0e0f10"

    private static func victron(_ name: String, _ data: String, key: String = own, _ fields: [Field]?) -> FamilyVector {
        FamilyVector(name, "victron", manufacturer: "E102" + data, key: key, fields)
    }

    private static func volts(_ quantity: Quantity, _ hundredths: Int64, index: UInt8 = 0) -> Field {
        Field(quantity, .decimal(Field.Decimal(mantissa: hundredths, places: 2)), index: index)
    }

    private static let solar = "100242a0016207adceb37b605d7e0ee21b24df5c"
    private static let solarKey = "adeccb947395801a4dd45a2eaa44bf17"

    /// Published packets with their own keys, from the tests of victron-ble.
    static let victron: [FamilyVector] = [
        victron(
            "solar charger", solar, key: solarKey,
            [
                .text(.chargerState, "absorption"), .text(.chargerError, "none"), volts(.voltage, 1_388),
                .decimal(.current, 14, places: 1), .int(.yieldToday, 30), .int(.power, 19),
                .decimal(.loadCurrent, 0, places: 1),
            ]),
        victron("another key", solar, key: own, nil),
        victron("a key with the right first octet only", solar, key: "adeccb947395801a4dd45a2eaa44bf18", nil),
        victron("another first octet of the key", "100242a0016207aeceb37b605d7e0ee21b24df5c", key: solarKey, nil),
        victron("an octet short", "100242a0016207adceb37b605d7e0ee21b24df", key: solarKey, nil),
        victron("more than a block", solar + "0000000000", key: solarKey, nil),
        victron("an unknown record", "100242a0066207adceb37b605d7e0ee21b24df5c", key: solarKey, nil),
        victron("another product's frame", "110242a0016207adceb37b605d7e0ee21b24df5c", key: solarKey, nil),
        victron(
            "solar charger: nothing but a state", "100089A301341201EAE69A876839B7BDBA300A24",
            [.text(.chargerState, "float")]),
        victron("a state that is none", "100089A301341201A21909FD99464B4256CFF525", nil),
        victron("a voltage that cannot be", "100089A301341201EC1BFCC299464B4256CFF525", nil),
        victron(
            "battery monitor", "100289a302b040af925d09a4d89aa0128bdef48c6298a9",
            key: "aff4d0995b7d1e176c0c33ecb9e70dcd",
            [
                volts(.voltage, 1_253), .int(.alarmCode, 0), .decimal(.current, 0, places: 3),
                .decimal(.consumedCharge, -500, places: 1), .decimal(.stateOfCharge, 500, places: 1),
            ]),
        victron(
            "battery monitor with a midpoint", "100089A302341201B51951F296465247D4270A3C3A80D2",
            [
                .int(.remainingTime, 5_400), volts(.voltage, 2_612), .int(.alarmCode, 1),
                volts(.midpointVoltage, 1_306),
                .decimal(.current, -1_500, places: 3), .decimal(.consumedCharge, -25, places: 1),
                .decimal(.stateOfCharge, 990, places: 1),
            ]),
        victron(
            "battery monitor: little known", "100089A302341201" + "10E683FC97463F36BB300ADAC59FD0",
            [volts(.voltage, 1_254), .int(.alarmCode, 0), volts(.temperature, 2_500)]),
        victron("100.1 % of charge", "100089A302341201B51951F29646524750CFF53C3AF0D1", nil),
        victron("a midpoint of 655.34 V", "100089A30234120110E683FC9746B6BD44CFF5253AE011", nil),
        victron(
            "battery sense", "1000a4a3025f150d8dcbff517f30eb65e76b22a04ac4e1", key: "0da694539597f9cf6c613cde60d7bf05",
            [volts(.voltage, 1_222), volts(.temperature, 2_250)]),
        victron(
            "inverter", "100089A303341201E61D652B932848A69CCDF5",
            [
                .text(.chargerState, "inverting"), .int(.alarmCode, 4), volts(.voltage, 1_235),
                .int(.apparentPower, 110),
                volts(.acVoltage, 23_012), .decimal(.acCurrent, 5, places: 1),
            ]),
        victron(
            "converter", "1000c0a304121d64ca8d442b90bbdf6a8cba", key: "64ba49f1a8562e45197a8e1fe50d7658",
            [
                .text(.chargerState, "off"), .text(.chargerError, "none"), volts(.inputVoltage, 1_315),
                .int(.offReason, 128),
            ]),
        victron(
            "lithium battery", "100089A305341201EF1965FE97468FA1B4370ADAC54CDA39",
            [
                .int(.alarmCode, 0x0600_0000), .int(.errorCode, 0), volts(.cellVoltage, 331, index: 1),
                volts(.cellVoltage, 331, index: 2), volts(.cellVoltage, 331, index: 3),
                volts(.cellVoltage, 331, index: 4), volts(.voltage, 1324), .int(.temperature, 13),
            ]),
        victron(
            "charger with two outputs", "100089A308341201EB3BC5FD84B9B7BD51CAF5E432",
            [
                .text(.chargerState, "absorption"), .text(.chargerError, "error_34"), volts(.voltage, 1_440, index: 1),
                Field(.current, .decimal(Field.Decimal(mantissa: 152, places: 1)), index: 1),
                volts(.voltage, 1_300, index: 3),
                Field(.current, .decimal(Field.Decimal(mantissa: 0, places: 1)), index: 3), .int(.temperature, 25),
                .decimal(.acCurrent, 17, places: 1),
            ]),
        victron(
            "protect", "1080b0a3093523fadedea38b1af8bcbde91ca8b6dbb60e", key: "fac570d66380b797a5b7543758be00e4",
            [
                .text(.chargerState, "active"), .binary(.powerOn, true), .text(.chargerError, "none"),
                .int(.alarmCode, 0), .int(.warningCode, 0), volts(.inputVoltage, 1_307), volts(.voltage, 1_307),
                .int(.offReason, 0),
            ]),
        victron(
            "BMS", "100089A30A341201ED41673883C3B74245CAF589B75EEFB2",
            [
                .int(.errorCode, 2), .int(.remainingTime, 36_000), volts(.voltage, 5_312),
                .decimal(.current, -123, places: 1), .int(.alarmCode, 5), .decimal(.stateOfCharge, 875, places: 1),
                .decimal(.consumedCharge, -1_000, places: 1), .int(.temperature, 22),
            ]),
        victron(
            "Multi RS", "100043a40bf4e434af0e46c3b8eb68e08e616993f70c", key: "346c410e8c824dd723c0f5b13b9eabc8",
            [
                .text(.chargerState, "inverting"), .text(.chargerError, "none"), .decimal(.current, -128, places: 1),
                volts(.voltage, 5_171), .text(.acInput, "not_connected"), .int(.acInputPower, 0), .int(.acPower, 722),
                .int(.power, 0), .int(.yieldToday, 5_320),
            ]),
        victron(
            "VE.Bus, charging", "100380270c1252dad26f0b8eb39162074d140df410", key: "da3f5fa2860cb1cf86ba7a6d1d16b9dd",
            [
                .text(.chargerState, "float"), .int(.errorCode, 0), .decimal(.current, 232, places: 1),
                volts(.voltage, 1_445), .text(.acInput, "ac_in_1"), .int(.acInputPower, 1_459), .int(.acPower, 1_046),
                .int(.alarmCode, 0), .int(.temperature, 32),
            ]),
        victron(
            "DC meter of a solar charger", "100089A30D34120118E671FD9746B346B5170A",
            [
                .int(.deviceType, -9), volts(.voltage, 1_300), .int(.alarmCode, 0), volts(.starterVoltage, 1_275),
                .decimal(.current, -2_500, places: 3),
            ]),
        victron(
            "Orion XS", "100089A30F341201EC19E9FD6347564763CD75253A60",
            [
                .text(.chargerState, "bulk"), .text(.chargerError, "none"), volts(.voltage, 1_420),
                .decimal(.current, 500, places: 1), volts(.inputVoltage, 1_310),
                .decimal(.inputCurrent, 550, places: 1),
                .int(.offReason, 128),
            ]),
    ]
}
