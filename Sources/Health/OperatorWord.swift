// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A problem as operators name it: its code, and its sensor behind a colon: `disk-low`, `sensor-silent:fridge`.
package struct ProblemName: Hashable, Sendable, CustomStringConvertible {
    package var code: ProblemCode
    /// Empty where the problem is of no sensor.
    package var sensor: String

    package init(_ code: ProblemCode, sensor: String = "") { (self.code, self.sensor) = (code, sensor) }

    /// The name under which an operator's word is kept. To an operator a sensor without values is one problem, however the gateway came
    /// to know of its silence; so the word outlives a restart.
    var known: ProblemName {
        switch code {
        case .sensorAwaited, .sensorNeverHeard: ProblemName(.sensorSilent, sensor: sensor)
        default: self
        }
    }

    package init(_ problem: Problem) { self.init(problem.code, sensor: problem.sensor ?? "") }

    /// Nil for a text that names no problem.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        guard let first = parts.first, let code = ProblemCode(rawValue: first) else { return nil }
        self.init(code, sensor: parts.count > 1 ? parts[1] : "")
    }

    package var description: String { sensor.isEmpty ? code.rawValue : "\(code.rawValue):\(sensor)" }
}

/// The word of operators on problems: problems that they know of, and sensors in maintenance; a value.
///
/// A known problem stays on all surfaces, as a notice. The problems of a sensor in maintenance are hidden behind a notice. All times
/// are milliseconds since boot.
package struct OperatorWord: Equatable, Sendable {
    /// Most known problems, and most sensors in maintenance.
    package static let capacity = 256
    /// An acknowledgement without an end is forgotten when the problem was away for so long.
    static let memory: Int64 = 600_000

    private struct Known: Equatable {
        /// Nil: until the problem is over.
        var until: Int64?
        var awaySince: Int64?
    }

    private var known: [ProblemName: Known] = [:]
    private var maintenance: [String: Int64] = [:]

    package init() {}

    // MARK: What operators say

    /// - Returns: False if too many problems are acknowledged.
    package mutating func acknowledge(_ problem: ProblemName, until: Int64?) -> Bool {
        guard known[problem.known] != nil || known.count < Self.capacity else { return false }
        known[problem.known] = Known(until: until)
        return true
    }

    /// - Returns: False if the problem was not acknowledged.
    package mutating func withdraw(_ problem: ProblemName) -> Bool { known.removeValue(forKey: problem.known) != nil }

    /// - Returns: False if too many sensors are in maintenance.
    package mutating func maintain(_ sensor: String, until: Int64) -> Bool {
        guard maintenance[sensor] != nil || maintenance.count < Self.capacity else { return false }
        maintenance[sensor] = until
        return true
    }

    /// - Returns: False if the sensor was not in maintenance.
    package mutating func endMaintenance(of sensor: String) -> Bool { maintenance.removeValue(forKey: sensor) != nil }

    // MARK: What becomes of it

    /// The names of acknowledged problems, with their ends.
    package var acknowledged: [ProblemName: Int64?] { known.mapValues(\.until) }
    package var sensorsInMaintenance: [String: Int64] { maintenance }

    /// Forgets words that have ended.
    ///
    /// - Parameter present: The problems that there are, shown or not.
    package mutating func review(_ present: Set<ProblemName>, at now: Int64) {
        maintenance = maintenance.filter { $0.value > now }
        let present = Set(present.map(\.known))
        for (name, word) in known {
            if let until = word.until {
                if until <= now { known[name] = nil }
            } else if present.contains(name) {
                known[name]?.awaySince = nil
            } else {
                let away = word.awaySince ?? now
                known[name]?.awaySince = away
                if now.subtractingSaturated(away) >= Self.memory { known[name] = nil }
            }
        }
    }

    /// A condition for each sensor in maintenance.
    ///
    /// - Parameter spoken: A time in milliseconds, in words.
    package func conditions(at now: Int64, _ spoken: (Int64) -> String) -> [Condition] {
        maintenance.sorted { $0.key < $1.key }.map { sensor, until in
            Condition(.sensorMaintenance, sensor, ["time": spoken(until.subtractingSaturated(now))])
        }
    }

    /// The problems with known ones as notices, the worst first.
    package func marked(_ problems: [Problem], at now: Int64, _ spoken: (Int64) -> String) -> [Problem] {
        guard !known.isEmpty else { return problems }
        let marked = problems.map { problem in
            guard let word = known[ProblemName(problem).known], problem.severity > .notice else { return problem }
            var problem = problem
            problem.severity = .notice
            problem.add(
                word.until.map { ProblemPhrase(.knownFor, ["time": spoken($0.subtractingSaturated(now))]) }
                    ?? ProblemPhrase(.known))
            return problem
        }
        // The order among problems of one severity stays.
        return marked.filter { $0.severity > .notice } + marked.filter { $0.severity == .notice }
    }
}
