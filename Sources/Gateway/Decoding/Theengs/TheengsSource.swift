// SPDX-License-Identifier: Apache-2.0

/// The JSON objects of a file: JSON itself, or a header of C++ with JSON in its string literals.
enum TheengsSource {
    static func objects(in text: String) -> [TheengsValue.Table] {
        if let table = TheengsReader.value(of: text)?.table { return [table] }
        let found = literals(in: Array(text.utf8)).compactMap { TheengsReader.value(of: $0)?.table }
        if !found.isEmpty { return found }
        // A document around one object.
        guard let start = text.firstIndex(of: "{"), let end = text.lastIndex(of: "}"), start < end else { return [] }
        return [TheengsReader.value(of: String(text[start...end]))?.table].compactMap { $0 }
    }

    /// The string literals outside of comments; literals with nothing but space between them are one (ISO C++, 5.13.5).
    private static func literals(in octets: [UInt8]) -> [String] {
        var (found, current): ([String], [UInt8]?) = ([], nil)
        var place = 0
        func octet(_ offset: Int) -> UInt8? { place + offset < octets.count ? octets[place + offset] : nil }
        func end() {
            if let text = current { found.append(String(decoding: text, as: UTF8.self)) }
            current = nil
        }
        while let first = octet(0) {
            switch (first, octet(1)) {
            case (UInt8(ascii: "/"), UInt8(ascii: "/")):
                while let next = octet(0), next != 0x0A { place += 1 }
            case (UInt8(ascii: "/"), UInt8(ascii: "*")):
                place += 2
                while octet(0) != nil, !(octet(0) == UInt8(ascii: "*") && octet(1) == UInt8(ascii: "/")) { place += 1 }
                place += 2
            case (UInt8(ascii: "R"), UInt8(ascii: "\"")):
                place += 2
                current = current ?? []
                current?.append(contentsOf: raw(octets, &place))
            case (UInt8(ascii: "\""), _):
                place += 1
                current = current ?? []
                current?.append(contentsOf: plain(octets, &place))
            case (0x20, _), (0x09, _), (0x0A, _), (0x0D, _): place += 1
            default:
                end()
                place += 1
            }
        }
        end()
        return found
    }

    /// From behind the first quotation mark to behind the last.
    private static func plain(_ octets: [UInt8], _ place: inout Int) -> [UInt8] {
        var text: [UInt8] = []
        while place < octets.count, octets[place] != UInt8(ascii: "\"") {
            guard octets[place] == UInt8(ascii: "\\"), place + 1 < octets.count else {
                text.append(octets[place])
                place += 1
                continue
            }
            switch octets[place + 1] {
            case UInt8(ascii: "n"): text.append(0x0A)
            case UInt8(ascii: "t"): text.append(0x09)
            case UInt8(ascii: "r"): text.append(0x0D)
            case 0x0A: break  // The line goes on.
            case let other: text.append(other)
            }
            place += 2
        }
        place += 1
        return text
    }

    /// A raw literal: from behind R and the quotation mark, with its delimiter.
    private static func raw(_ octets: [UInt8], _ place: inout Int) -> [UInt8] {
        var ending = [UInt8(ascii: ")")]
        while place < octets.count, octets[place] != UInt8(ascii: "("), ending.count <= 17 {
            ending.append(octets[place])
            place += 1
        }
        ending.append(UInt8(ascii: "\""))
        place += 1
        let start = min(place, octets.count)
        while place < octets.count, !octets[place...].starts(with: ending) { place += 1 }
        let text = Array(octets[start..<min(place, octets.count)])
        place += ending.count
        return text
    }
}
