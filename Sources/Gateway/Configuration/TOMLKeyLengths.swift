// SPDX-License-Identifier: Apache-2.0

/// Finds keys with too many parts before the parser gets them: it makes a table of each part, one in the other, and takes stack for
/// all of them, and memory by their square.
///
/// It reads strings and comments as TOML does (TOML 1.0, String, Comment). What it counts are points between two words or strings,
/// with nothing but blanks around them: no value has those, but a number, once.
struct TOMLKeyLengths {
    static let limit = 32

    /// The line of the first key, or table's name, that is too long; nil where there is none.
    static func lineOfLongKey(_ text: String) -> Int? {
        var scan = TOMLKeyLengths(octets: Array(text.utf8))
        return scan.run()
    }

    private let octets: [UInt8]
    private var place = 0
    private var line = 1
    /// Points of the key so far.
    private var points = 0
    /// A part stands before this place, or a point.
    private var follows = Follows.nothing

    private enum Follows { case nothing, part, point }

    private init(octets: [UInt8]) { self.octets = octets }

    private func octet(at place: Int) -> UInt8? { place < octets.count ? octets[place] : nil }

    private mutating func run() -> Int? {
        while let octet = octet(at: place) {
            switch octet {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): place += 1
            case UInt8(ascii: "\n"):
                (line, place) = (line + 1, place + 1)
                end()
            case UInt8(ascii: "#"):
                while let octet = self.octet(at: place), octet != UInt8(ascii: "\n") { place += 1 }
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                skipString(octet)
                part()
            case UInt8(ascii: "."):
                place += 1
                points = follows == .part ? points + 1 : 0
                follows = .point
                if points >= Self.limit { return line }
            case UInt8(ascii: "="), UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"),
                UInt8(ascii: "}"):
                place += 1
                end()
            default:
                skipWord()
                part()
            }
        }
        return nil
    }

    private mutating func end() { (points, follows) = (0, .nothing) }

    /// A word or a string has been read.
    private mutating func part() {
        if follows != .point { points = 0 }
        follows = .part
    }

    private mutating func skipWord() {
        let ends = Array(" \t\r\n#\"'.=,[]{}".utf8)
        while let octet = octet(at: place), !ends.contains(octet) { place += 1 }
    }

    private mutating func skipString(_ quote: UInt8) {
        let isLong = octet(at: place + 1) == quote && octet(at: place + 2) == quote
        place += isLong ? 3 : 1
        while let octet = octet(at: place) {
            if octet == UInt8(ascii: "\n") {
                // A short string does not go on in another line: what is wrong there, the parser says.
                if !isLong { return }
                line += 1
            }
            if octet == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
                place += 1
                if self.octet(at: place) == UInt8(ascii: "\n") { line += 1 }
                place += 1
                continue
            }
            guard octet == quote else {
                place += 1
                continue
            }
            if !isLong {
                place += 1
                return
            }
            if self.octet(at: place + 1) == quote, self.octet(at: place + 2) == quote {
                place += 3
                // One or two quotes may belong to the string's end.
                while self.octet(at: place) == quote { place += 1 }
                return
            }
            place += 1
        }
    }
}
