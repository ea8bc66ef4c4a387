// SPDX-License-Identifier: Apache-2.0

/// Numbers, dates and times as TOML 1.0 writes them. The parser stops the process at some that are nearly so, such as
/// `5x1`: those are found before it sees them.
struct TOMLScalar {
    private var rest: ArraySlice<UInt8>

    /// Whether a value that begins like a number is one, or a date or a time.
    static func isNumeric(_ text: ArraySlice<UInt8>) -> Bool {
        var (number, moment) = (TOMLScalar(rest: text), TOMLScalar(rest: text))
        return (number.readNumber() && number.rest.isEmpty) || (moment.readMoment() && moment.rest.isEmpty)
    }

    /// Whether an octet begins a number, a date or a time.
    static func begins(with octet: UInt8) -> Bool { isDigit(octet) || "+-.".utf8.contains(octet) }

    // MARK: Numbers

    private mutating func readNumber() -> Bool {
        if take("0x") { return readDigits(where: Self.isHexadecimalDigit) }
        if take("0o") { return readDigits { (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) } }
        if take("0b") { return readDigits { (UInt8(ascii: "0")...UInt8(ascii: "1")).contains($0) } }
        if !take("+") { _ = take("-") }
        if take("inf") || take("nan") { return true }
        // No zeros lead.
        guard take("0") || readDigits(where: Self.isDigit) else { return false }
        if take("."), !readDigits(where: Self.isDigit) { return false }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            return readDigits(where: Self.isDigit)
        }
        return true
    }

    /// One digit at least, and single underscores between digits.
    private mutating func readDigits(where isDigit: (UInt8) -> Bool) -> Bool {
        repeat {
            guard let first = rest.first, isDigit(first) else { return false }
            rest = rest.drop(while: isDigit)
        } while take("_")
        return true
    }

    // MARK: Dates and times

    private mutating func readMoment() -> Bool {
        if rest.dropFirst(2).first == UInt8(ascii: ":") { return readTime() }
        guard read(digits: 4), take("-"), read(digits: 2), take("-"), read(digits: 2) else { return false }
        guard !rest.isEmpty else { return true }
        guard take("T") || take("t") || take(" "), readTime() else { return false }
        if rest.isEmpty || take("Z") || take("z") { return true }
        return (take("+") || take("-")) && read(digits: 2) && take(":") && read(digits: 2)
    }

    private mutating func readTime() -> Bool {
        guard read(digits: 2), take(":"), read(digits: 2), take(":"), read(digits: 2) else { return false }
        guard take(".") else { return true }
        guard let first = rest.first, Self.isDigit(first) else { return false }
        rest = rest.drop(while: Self.isDigit)
        return true
    }

    private mutating func read(digits count: Int) -> Bool {
        guard rest.count >= count, rest.prefix(count).allSatisfy(Self.isDigit) else { return false }
        rest = rest.dropFirst(count)
        return true
    }

    // MARK: Octets

    private mutating func take(_ text: String) -> Bool {
        guard rest.starts(with: text.utf8) else { return false }
        rest = rest.dropFirst(text.utf8.count)
        return true
    }

    private static func isDigit(_ octet: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet) }

    private static func isHexadecimalDigit(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}
