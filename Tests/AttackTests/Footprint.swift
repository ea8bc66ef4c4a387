// SPDX-License-Identifier: Apache-2.0

/// How many elements all collections of a value hold, wherever they are inside it: what has grown shows by its path.
struct Footprint: CustomStringConvertible {
    private var counts: [String: Int] = [:]

    init(of value: Any) { add(Mirror(reflecting: value), at: "") }

    private mutating func add(_ mirror: Mirror, at path: String) {
        let isCollection = [.collection, .dictionary, .set].contains(mirror.displayStyle)
        if isCollection { counts[path, default: 0] += mirror.children.count }
        for child in mirror.children {
            // Octets have nothing inside, and there are many of them.
            if child.value is UInt8 { break }
            let step = isCollection ? "" : "." + (child.label ?? "")
            add(Mirror(reflecting: child.value), at: path + step)
        }
    }

    /// Elements of the collections whose paths end so.
    func count(endingIn path: String) -> Int { counts.filter { $0.key.hasSuffix(path) }.values.reduce(0, +) }

    /// What is larger than it was.
    func growth(since earlier: Footprint) -> [String] {
        counts.filter { $0.value > earlier.counts[$0.key] ?? 0 }
            .map { "\($0.key): \(earlier.counts[$0.key] ?? 0) → \($0.value)" }.sorted()
    }

    var description: String { counts.sorted { $0.key < $1.key }.map { "\($0): \($1)" }.joined(separator: "\n") }
}
