// SPDX-License-Identifier: Apache-2.0

/// Metrics in the text format of Prometheus (version 0.0.4).
struct MetricsText {
    enum Kind: String {
        case gauge, counter, histogram
    }

    private(set) var text = ""
    /// Labels of all samples, behind their own.
    private let common: [(name: String, value: String)]

    init(_ common: [(name: String, value: String)] = []) { self.common = common }

    /// Begins a metric; its samples follow.
    mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    mutating func sample(_ name: String, _ value: Double) { sample(name, [], value) }

    mutating func sample(_ name: String, _ labels: [(name: String, value: String)], _ value: Double) {
        text += name
        let labels = labels + common
        if !labels.isEmpty {
            text += "{" + labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",") + "}"
        }
        text += " \(Self.number(value))\n"
    }

    /// A metric with one sample; left out without a value.
    mutating func single(_ name: String, _ kind: Kind, _ help: String, _ value: Double?) {
        guard let value else { return }
        begin(name, kind, help)
        sample(name, value)
    }

    private static func number(_ value: Double) -> String {
        if let whole = Int64(exactly: value) { return String(whole) }
        return value.isNaN ? "NaN" : value.isInfinite ? (value < 0 ? "-Inf" : "+Inf") : "\(value)"
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
