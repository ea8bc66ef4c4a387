// SPDX-License-Identifier: Apache-2.0

/// The name in topics that an entry may give to a sensor.
enum SensorID {
    private static let longest = 32

    /// The sensor's name, or its family, in the letters of an id, with the end of its address: `fridge-1122`. Two equal
    /// sensors get two ids.
    static func suggested(for report: InspectionReport) -> String {
        if let known = report.acceptedAs { return known }
        let digits = report.address.filter(\.isHexDigit).lowercased()
        let end = String(digits.suffix(4))
        let name = letters(of: report.name ?? "")
        let words = name.isEmpty ? letters(of: report.family ?? "") : name
        guard !words.isEmpty else { return digits }
        if words.hasSuffix(end) { return String(words.suffix(longest)) }
        return "\(words.prefix(longest - end.count - 1))-\(end)"
    }

    /// a–z, 0–9 and single hyphens between them.
    private static func letters(of text: String) -> String {
        text.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }.joined(separator: "-")
    }
}
