// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Aranet4, Aranet2, Aranet Radiation and Aranet Radon.
///
/// A record is the data after the company identifier. It begins with a type octet, which the Aranet4 leaves out on the
/// air. The age of the sample is set to 0, because the sensor repeats an unchanged sample again and again. A reading
/// has the time when its sample was first heard, as with all sensors. With the age subtracted, a sample of some minutes
/// ago would be too old to go out live.
enum AranetDecoder: RecordDecoder {
    static let records = RecordTable(.aranet)
    static let carriers: [AdvertisementCarrier] = [.manufacturer(0x0702)]

    static func recognise(_ advertisement: Advertisement) -> RecognisedPacket? {
        guard let data = advertisement.manufacturerData(of: 0x0702) else { return nil }
        var value: [UInt8]
        switch (data.count, data.first ?? 0) {
        case (22, _): value = [0] + data
        case (24, 1...3): value = Array(data)
        default: return nil
        }
        // The sample's age in seconds.
        let age = value[0] == 0 ? 20 : 21
        (value[age], value[age + 1]) = (0, 0)
        guard let number = value.last, (try? decode(value)) != nil else { return nil }
        return .plain(
            AdvertisedPacket(value, number: PacketNumber(UInt32(number), bits: 8), model: records.model(of: value)))
    }

    /// An Aranet4's values on a link: the same octets, from carbon dioxide to the status.
    static func aranet4Climate(_ value: ArraySlice<UInt8>) throws(DecodeError) -> [Field] {
        guard value.count == 9 else { throw .invalid(field: "length") }
        return try decode([0, 0x20, 0, 0, 0, 0, 0, 0, 0] + value + [0, 0, 0, 0, 0]).dropLast()
    }
}
