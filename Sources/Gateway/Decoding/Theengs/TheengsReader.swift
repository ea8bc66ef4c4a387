// SPDX-License-Identifier: Apache-2.0

/// Reads JSON (RFC 8259), and keeps the order of a table's keys.
struct TheengsReader {
    private let octets: [UInt8]
    private var place = 0
    private static let maximumDepth = 16

    private init(_ octets: [UInt8]) { self.octets = octets }

    /// The value of a whole text; nil if the text is no JSON.
    static func value(of text: String) -> TheengsValue? {
        var reader = TheengsReader(Array(text.utf8))
        guard let value = reader.value(depth: 0) else { return nil }
        reader.skipSpace()
        return reader.place == reader.octets.count ? value : nil
    }

    private var next: UInt8? { place < octets.count ? octets[place] : nil }

    private mutating func skipSpace() {
        while let octet = next, [0x20, 0x09, 0x0A, 0x0D].contains(octet) { place += 1 }
    }

    private mutating func take(_ character: Character) -> Bool {
        skipSpace()
        guard let octet = next, octet == character.asciiValue else { return false }
        place += 1
        return true
    }

    private mutating func value(depth: Int) -> TheengsValue? {
        guard depth < Self.maximumDepth else { return nil }
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return table(depth: depth)
        case UInt8(ascii: "["): return list(depth: depth)
        case UInt8(ascii: "\""): return string().map { .text($0) }
        default: return word()
        }
    }

    private mutating func table(depth: Int) -> TheengsValue? {
        guard take("{") else { return nil }
        var table = TheengsValue.Table()
        if take("}") { return .table(table) }
        repeat {
            skipSpace()
            guard let key = string(), take(":"), let value = value(depth: depth + 1) else { return nil }
            table.entries.append(.init(key: key, value: value))
        } while take(",")
        return take("}") ? .table(table) : nil
    }

    private mutating func list(depth: Int) -> TheengsValue? {
        guard take("[") else { return nil }
        var list: [TheengsValue] = []
        if take("]") { return .list(list) }
        repeat {
            guard let value = value(depth: depth + 1) else { return nil }
            list.append(value)
        } while take(",")
        return take("]") ? .list(list) : nil
    }

    private mutating func string() -> String? {
        guard next == UInt8(ascii: "\"") else { return nil }
        place += 1
        var found: [UInt8] = []
        while let octet = next {
            place += 1
            switch octet {
            case UInt8(ascii: "\""): return String(decoding: found, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = next else { return nil }
                place += 1
                switch escaped {
                case UInt8(ascii: "n"): found.append(0x0A)
                case UInt8(ascii: "t"): found.append(0x09)
                case UInt8(ascii: "r"): found.append(0x0D)
                case UInt8(ascii: "u"):
                    guard place + 4 <= octets.count,
                        let code = UInt32(String(decoding: octets[place..<place + 4], as: UTF8.self), radix: 16),
                        let scalar = Unicode.Scalar(code)
                    else { return nil }
                    found += Array(String(Character(scalar)).utf8)
                    place += 4
                default: found.append(escaped)
                }
            default: found.append(octet)
            }
        }
        return nil
    }

    /// A number, or true, false or null.
    private mutating func word() -> TheengsValue? {
        let start = place
        while let octet = next, !Array(" \t\r\n,]}".utf8).contains(octet) { place += 1 }
        switch String(decoding: octets[start..<place], as: UTF8.self) {
        case "true": return .flag(true)
        case "false": return .flag(false)
        case "null": return .null
        case let word: return Double(word).flatMap { $0.isFinite ? .number($0) : nil }
        }
    }
}
