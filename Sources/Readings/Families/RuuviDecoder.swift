// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// RuuviTag and Ruuvi Air. A record is the data after the company identifier, without the zeros at its end.
enum RuuviDecoder: RecordDecoder {
    static let records = RecordTable(.ruuvi)
    static let carriers: [AdvertisementCarrier] = [.manufacturer(0x0499)]

    private struct Format {
        /// Octets, with the format's own octet.
        var length: Int
        /// The last octets of the sensor's address in a packet.
        var address: Range<Int>?
        var number: Range<Int>?
        var edition = AdvertisedPacket.Edition.only
    }

    private static let formats: [UInt8: Format] = [
        0x03: Format(length: 14), 0x05: Format(length: 24, address: 18..<24, number: 16..<18),
        0x06: Format(length: 20, address: 17..<20, number: 15..<16, edition: .short),
        0xC5: Format(length: 18, address: 12..<18, number: 10..<12),
        0xE1: Format(length: 40, address: 34..<40, number: 25..<28, edition: .long),
    ]

    static func recognise(_ advertisement: Advertisement) -> RecognisedPacket? {
        guard var data = advertisement.manufacturerData(of: 0x0499).map(Array.init), let first = data.first,
            let format = formats[first], data.count >= format.length
        else { return nil }
        // Only format 6 may grow. Other formats are filled up with zeros.
        if first != 0x06 {
            guard data[format.length...].allSatisfy({ $0 == 0 }) else { return nil }
            data.removeLast(data.count - format.length)
        }
        if let place = format.address {
            guard let address = advertisement.addressOctets, data[place].elementsEqual(address.suffix(place.count))
            else { return nil }
        }
        guard (try? decode(data)) != nil else { return nil }
        return .plain(
            AdvertisedPacket(data, number: format.number.flatMap { number(data[$0]) }, edition: format.edition))
    }

    /// Nil if the sensor does not know the number: all ones, in more octets than one.
    private static func number(_ octets: ArraySlice<UInt8>) -> PacketNumber? {
        guard octets.count == 1 || octets.contains(where: { $0 != .max }) else { return nil }
        return PacketNumber(octets.reduce(0) { $0 << 8 | UInt32($1) }, bits: octets.count * 8)
    }
}
