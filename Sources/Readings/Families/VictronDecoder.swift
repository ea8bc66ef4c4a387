// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Victron's Instant Readout: solar chargers, battery monitors, inverters and other products with VE.Direct or VE.Smart
/// ("Extra Manufacturer Data", Victron Energy, and the Unlicense library victron-ble).
///
/// A record is the kind of the product's record, the model's two octets and the product's record itself.
enum VictronDecoder: RecordDecoder {
    static let records = RecordTable(.victron)
    static let carriers: [AdvertisementCarrier] = [.manufacturer(0x02E1)]
    static let needs = records.needs(key: .required)

    /// Smart Battery Sense: a battery monitor's record with a voltage and a temperature only. The number is ours.
    private static let batterySense: UInt8 = 0x82

    static func recognise(_ advertisement: Advertisement) -> RecognisedPacket? {
        guard let data = advertisement.manufacturerData(of: 0x02E1).map(Array.init), data.count > 8, data[0] == 0x10,
            data[4] != batterySense
        else { return nil }
        // The record type of a Battery Sense does not identify it. The models A3A4 and A3A5 are Battery Senses.
        let isBatterySense = data[3] == 0xA3 && (data[2] == 0xA4 || data[2] == 0xA5)
        let ciphertext = Array(data[8...])
        // Victron counts blocks with the low octet first. For a single block, the counter is simply the nonce.
        guard records.hasForm(beginning: data[4]),
            records.hasForm(beginning: isBatterySense ? batterySense : data[4], count: 3 + ciphertext.count)
        else { return nil }
        let block = [data[5], data[6]] + [UInt8](repeating: 0, count: 14)
        return .sealed(
            SealedPacket(
                .ctr(block: block), ciphertext: ciphertext,
                header: [isBatterySense ? batterySense : data[4], data[2], data[3]], keyCheck: data[7]))
    }

    static func unsealed(_ packet: SealedPacket, plaintext: [UInt8]) -> AdvertisedPacket? {
        let value = packet.header + plaintext
        return (try? decode(value)) == nil ? nil : AdvertisedPacket(value)
    }
}
