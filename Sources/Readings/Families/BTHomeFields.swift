// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Gathers the fields of BTHome's objects. Repeated fields are numbered by quantity, not by object number.
struct BTHomeFields {
    /// An entry without a value only counts for the numbering: a button that is not pressed.
    private var found: [(quantity: Quantity, value: Field.Value?)] = []
    private(set) var packetID: UInt8?
    private(set) var hasEvent = false
    /// The number of known objects.
    private(set) var count = 0

    /// Appends the octets of one number, least significant first.
    mutating func appendNumber(
        _ quantity: Quantity, _ octets: ArraySlice<UInt8>, isSigned: Bool, multiplier: Int64, places: Int
    ) throws(DecodeError) {
        guard (1...8).contains(octets.count) else { throw .invalid(field: "number") }
        let raw = octets.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let unused = UInt64(64 - 8 * octets.count)
        let value = isSigned ? Int64(bitPattern: raw << unused) >> Int64(unused) : Int64(clamping: raw)
        let (mantissa, overflow) = value.multipliedReportingOverflow(by: multiplier)
        guard !overflow else { throw .invalid(field: "number") }
        let decimal = Field.Decimal(mantissa: mantissa, places: places)
        count += 1
        found.append((quantity, places == 0 ? .int(mantissa) : .decimal(decimal)))
    }

    mutating func appendBinary(_ quantity: Quantity, _ octet: UInt8) throws(DecodeError) {
        // Any other octet only counts for the numbering.
        if octet <= 1 { count += 1 }
        found.append((quantity, octet <= 1 ? .int(Int64(octet)) : nil))
    }

    /// The first number counts, because a packet has a single number.
    mutating func set(packetID octet: UInt8) { (packetID, count) = (packetID ?? octet, count + 1) }

    /// Appends an IEEE number of 16, 32 or 64 bits, least significant octet first.
    mutating func appendFloat(
        _ quantity: Quantity, _ octets: ArraySlice<UInt8>, multiplier: Int64, places: Int
    ) throws(DecodeError) {
        let raw = octets.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let number: Double
        switch octets.count {
        case 2: number = Self.half(UInt16(truncatingIfNeeded: raw))
        case 4: number = Double(Float(bitPattern: UInt32(truncatingIfNeeded: raw)))
        case 8: number = Double(bitPattern: raw)
        default: throw .invalid(field: "float")
        }
        let mantissa = (number * Double(multiplier)).rounded()
        guard abs(mantissa) < 9e15 else { throw .invalid(field: "float") }
        count += 1
        found.append((quantity, .decimal(Field.Decimal(mantissa: Int64(mantissa), places: places))))
    }

    /// IEEE 754, binary16. Swift's type for it does not exist on all machines.
    private static func half(_ bits: UInt16) -> Double {
        let exponent = Int(bits >> 10 & 0x1F)
        let fraction = Double(bits & 0x3FF) / 1_024
        let magnitude =
            switch exponent {
            case 0: fraction / 16_384
            case 31: fraction == 0 ? Double.infinity : .nan
            default: (1 + fraction) * Double(UInt64(1) << UInt64(exponent)) / 32_768
            }
        return bits & 0x8000 == 0 ? magnitude : -magnitude
    }

    /// A text, or nil if there is none to publish.
    mutating func add(_ quantity: Quantity, text: String?, isEvent: Bool = false) {
        count += 1
        hasEvent = hasEvent || isEvent
        found.append((quantity, text.map { .string($0) }))
    }

    /// Counts an object with nothing to publish.
    mutating func skip() { count += 1 }

    var fields: [Field] {
        var fields: [Field] = []
        fields.reserveCapacity(found.count)
        // A packet has few objects, so comparing them costs less than a table of them.
        for (place, entry) in found.enumerated() {
            guard let value = entry.value else { continue }
            var (before, others) = (0, 0)
            for (other, one) in found.enumerated() where other != place && one.quantity == entry.quantity {
                others += 1
                if other < place { before += 1 }
            }
            fields.append(Field(entry.quantity, value, index: others == 0 ? 0 : UInt8(clamping: before + 1)))
        }
        return fields
    }
}
