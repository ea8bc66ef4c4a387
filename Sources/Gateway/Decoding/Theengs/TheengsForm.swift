// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// An alternative of a definition's condition as a form of `decoders.d`.
struct TheengsForm {
    private let tests: [TheengsTest]
    private let properties: [TheengsDefinition.Property]
    private let source: TheengsTest.Source
    private let serviceData: String?
    private let prefix: String
    /// A pattern has at most so many hexadecimal digits.
    private static let maximumPattern = 64

    init(
        _ tests: [TheengsTest], _ properties: [TheengsDefinition.Property], _ serviceData: String?, hasOthers: Bool
    ) throws(TheengsError) {
        (self.tests, self.properties, self.serviceData) = (tests, properties, serviceData)
        prefix = hasOthers ? "form." : ""
        let used = properties.filter { $0.name != "mac" }.compactMap { $0.entries["decoder"]?.list }.compactMap {
            list in
            list.dropFirst().first?.text.flatMap { TheengsTest.Source(rawValue: $0) }
        }
        // A form is about one of both; the other's properties become notes.
        let counts = (service: used.count { $0 == .service }, manufacturer: used.count { $0 == .manufacturer })
        guard counts.service + counts.manufacturer > 0 else {
            throw TheengsError("no property is about servicedata or manufacturerdata")
        }
        let hasUUID = serviceData != nil || tests.contains { $0.source == .uuid && !$0.isNegated }
        let isManufacturer = counts.manufacturer > counts.service || counts.manufacturer > 0 && !hasUUID
        let source = isManufacturer ? TheengsTest.Source.manufacturer : .service
        self.source = source
    }

    /// A test that the pattern of the form has.
    private func isInPattern(_ test: TheengsTest) -> Bool {
        guard test.source == source, !test.isNegated, case .digits(let text, let place) = test.kind else {
            return false
        }
        return place + text.count <= Self.maximumPattern && text.allSatisfy { $0.isASCII && $0.isHexDigit }
    }

    /// The pattern of half-octets, with `?` for any value.
    private var pattern: [Character] {
        var pattern: [Character] = []
        for test in tests where isInPattern(test) {
            guard case .digits(let text, let place) = test.kind else { continue }
            while pattern.count < place + text.count { pattern.append("?") }
            pattern.replaceSubrange(place..<(place + text.count), with: Array(text.uppercased()))
        }
        if pattern.count % 2 == 1 { pattern.append("?") }
        return pattern
    }

    func lines() throws(TheengsError) -> [String] {
        var lines = [prefix.isEmpty ? "[match]" : "[[form]]"]
        let uuid = tests.first { $0.source == .uuid && !$0.isNegated }.flatMap(Self.text)
        switch source {
        case .service:
            guard let uuid = uuid ?? serviceData else {
                throw TheengsError(
                    "its condition has servicedata without a uuid, and decoders.d looks for Service Data by UUID: "
                        + "say which with --service-data")
            }
            lines.append("service_data = \(quoted(uuid))")
        default:
            // With any company, places count from the company's first octet, as in the definition.
            lines.append("manufacturer = \"any\"")
            if let uuid { lines.append("service = \(quoted(uuid))") }
        }
        let pattern = pattern
        let (fields, end, notes) = TheengsFields(properties, source, tests, "\(prefix)field").lines()
        guard !fields.isEmpty else {
            throw TheengsError("no property can be converted: \(notes.joined(separator: "; "))")
        }
        let length = try length(atLeast: max(pattern.count / 2, end, 1))
        let others = others()
        try checkStrict(pattern, others, length)
        lines.append(
            "length = \(length.count == 1 ? "\(length.lowerBound)" : "[\(length.lowerBound), \(length.upperBound)]")")
        if pattern.contains(where: { $0 != "?" }) { lines.append("prefix = \(quoted(String(pattern)))") }
        lines += others
        return lines + notes.map { "# not converted: \($0)" } + fields
    }

    /// `decoders.d` takes no form that anything could be taken for.
    private func checkStrict(_ pattern: [Character], _ others: [String], _ length: ClosedRange<Int>)
        throws(TheengsError)
    {
        if others.contains(where: { $0.hasPrefix("local_name") || $0.hasPrefix("address_at") }) { return }
        let bits = 4 * pattern.count { $0 != "?" }
        let isStrict =
            source == .service
            ? bits > 0 || length.count == 1 || others.contains { !$0.hasPrefix("#") }
            : bits >= 12 || tests.contains { $0.source == .uuid && !$0.isNegated }
                || others.contains { $0.hasPrefix("contains") }
        guard isStrict else {
            let words = tests.map(\.words).joined(separator: " & ")
            throw TheengsError(
                "its condition \(words) is too loose for decoders.d: the octets at the beginning are not given")
        }
    }

    private func length(atLeast shortest: Int) throws(TheengsError) -> ClosedRange<Int> {
        var (least, most) = (shortest, 254)
        for test in tests where test.source == source {
            guard case .length(let comparison, let digits) = test.kind else { continue }
            let octets = TheengsTest.octets(comparison, digits)
            if let bound = octets.least { least = max(least, bound) }
            if let bound = octets.most { most = min(most, bound) }
        }
        guard least <= most else {
            throw TheengsError("its properties need \(least) octets, and its condition allows \(most)")
        }
        return least...most
    }

    private static func text(_ test: TheengsTest) -> String? {
        switch test.kind {
        case .contains(let text), .digits(let text, _): text
        default: nil
        }
    }

    /// Lines for names, contents, the address, and tests other than prefixes.
    private func others() -> [String] {
        var (lines, conditions): ([String], [String]) = ([], [])
        var isUUIDGiven = false
        for test in tests {
            switch (test.source, test.kind) {
            case (.uuid, _) where !test.isNegated && !isUUIDGiven: isUUIDGiven = true
            case (source, .length): continue
            case (.name, .contains(let text)) where !test.isNegated: lines.append("local_name = \(quoted("*\(text)*"))")
            case (.name, .digits(let text, 0)) where !test.isNegated: lines.append("local_name = \(quoted("\(text)*"))")
            case (source, .contains(let text)) where !test.isNegated && text.count % 2 == 0:
                lines.append("contains = \(quoted(text))")
            case (source, .address(let place, let isReversed)) where place % 2 == 0:
                lines.append("address_at = \(place / 2)")
                if isReversed { lines.append("address_order = \"reversed\"") }
            case (source, _):
                if isInPattern(test) { continue }
                if let when = test.when {
                    conditions.append(when)
                } else {
                    lines.append("# not converted: the condition \(test.words)")
                }
            default: lines.append("# not converted: the condition \(test.words)")
            }
        }
        if !conditions.isEmpty { lines.append("when = [\(conditions.joined(separator: ", "))]") }
        // Each key may occur once.
        var seen: Set<String> = []
        return lines.map { line in
            guard !line.hasPrefix("#") else { return line }
            return seen.insert(String(line.prefix { $0 != " " })).inserted ? line : "# not converted: a second \(line)"
        }
    }
}
