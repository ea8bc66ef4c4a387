// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// An alternative of a definition's condition as a form of `decoders.d`.
struct TheengsForm {
    private let tests: [TheengsTest]
    private let properties: [(key: String, entries: [String: TheengsValue])]
    private let source: TheengsTest.Source
    private let prefix: String

    init(
        _ tests: [TheengsTest], _ properties: [(key: String, entries: [String: TheengsValue])], hasOthers: Bool
    ) throws(TheengsError) {
        (self.tests, self.properties) = (tests, properties)
        prefix = hasOthers ? "form." : ""
        let used = properties.compactMap { $0.entries["decoder"]?.list }.compactMap { list in
            list.dropFirst().first?.text.flatMap { TheengsTest.Source(rawValue: $0) }
        }
        guard let source = used.first(where: { $0 == .service || $0 == .manufacturer }) else {
            throw TheengsError("no property is about servicedata or manufacturerdata")
        }
        self.source = source
    }

    /// The pattern of half-octets, with `?` for any value.
    private var pattern: [Character] {
        var pattern: [Character] = []
        for test in tests where test.source == source && !test.isNegated {
            guard case .digits(let text, let place) = test.kind, place + text.count <= 64 else { continue }
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
            guard let uuid else {
                throw TheengsError(
                    "its condition has servicedata without a uuid, and decoders.d looks for Service Data by UUID")
            }
            lines.append("service_data = \(quoted(uuid))")
        default:
            // With any company, places count from the company's first octet, as in the definition.
            lines.append("manufacturer = \"any\"")
            if let uuid { lines.append("service = \(quoted(uuid))") }
        }
        let pattern = pattern
        let (fields, end, notes) = TheengsFields(properties, source, "\(prefix)field").lines()
        lines.append("length = \(length(atLeast: max(pattern.count / 2, end, 1)))")
        if pattern.contains(where: { $0 != "?" }) { lines.append("prefix = \(quoted(String(pattern)))") }
        lines += others()
        return lines + notes.map { "# not converted: \($0)" } + fields
    }

    private func length(atLeast shortest: Int) -> String {
        var (least, most) = (shortest, 254)
        for test in tests where test.source == source {
            guard case .length(let comparison, let digits) = test.kind else { continue }
            let octets = digits / 2
            switch comparison {
            case "=": return String(max(octets, 1))
            case ">=": least = max(octets, 1)
            case ">": least = octets + 1
            case "<=": most = max(octets, 1)
            default: most = max(octets - 1, 1)
            }
        }
        return least >= most ? String(least) : "[\(least), \(most)]"
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
        for test in tests {
            switch (test.source, test.kind) {
            case (.uuid, _), (source, .length): continue
            case (.name, .contains(let text)) where !test.isNegated: lines.append("local_name = \(quoted("*\(text)*"))")
            case (.name, .digits(let text, 0)) where !test.isNegated: lines.append("local_name = \(quoted("\(text)*"))")
            case (source, .contains(let text)) where !test.isNegated && text.count % 2 == 0:
                lines.append("contains = \(quoted(text))")
            case (source, .address(let place, let isReversed)) where place % 2 == 0:
                lines.append("address_at = \(place / 2)")
                if isReversed { lines.append("address_order = \"reversed\"") }
            case (source, .digits(let text, let place)) where !test.isNegated && place + text.count <= 64: continue
            case (source, _):
                if let when = test.when {
                    conditions.append(when)
                } else {
                    lines.append("# not converted: a condition on \(test.source.rawValue)")
                }
            default: lines.append("# not converted: a condition on \(test.source.rawValue)")
            }
        }
        if !conditions.isEmpty { lines.append("when = [\(conditions.joined(separator: ", "))]") }
        // Each key may occur once.
        var seen: Set<String> = []
        return lines.filter { $0.hasPrefix("#") || seen.insert(String($0.prefix { $0 != " " })).inserted }
    }
}
