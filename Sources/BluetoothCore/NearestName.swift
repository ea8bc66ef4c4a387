// SPDX-License-Identifier: Apache-2.0

/// Finds the name that a person meant to write.
package enum NearestName {
    /// The candidate with the fewest edits from `text`, if the edits are few enough for a slip of the hand.
    package static func of(_ text: String, among candidates: some Sequence<String>) -> String? {
        var best: (name: String, distance: Int)?
        for name in candidates {
            guard let distance = slip(text, name), distance < best?.distance ?? .max else { continue }
            best = (name, distance)
        }
        return best?.name
    }

    /// How many edits turn `text` into `name`; nil if the edits are too many for a slip of the hand, or if `text` is
    /// empty. Both texts may come from anywhere: only their first 64 octets are compared.
    package static func slip(_ text: String, _ name: String) -> Int? {
        let wanted = Array(text.lowercased().utf8.prefix(64))
        guard !wanted.isEmpty else { return nil }
        let distance = distance(wanted, Array(name.lowercased().utf8.prefix(64)))
        return distance <= max(1, wanted.count / 3) ? distance : nil
    }

    /// Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment).
    static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var before: [Int] = []
        var previous = Array(0...right.count)
        for (row, a) in left.enumerated() {
            var current = [row + 1]
            for (column, b) in right.enumerated() {
                var cost = min(previous[column] + (a == b ? 0 : 1), previous[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, a == right[column - 1], left[row - 1] == b {
                    cost = min(cost, before[column - 1] + 1)
                }
                current.append(cost)
            }
            (before, previous) = (previous, current)
        }
        return previous[right.count]
    }
}
