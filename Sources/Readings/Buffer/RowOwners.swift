// SPDX-License-Identifier: Apache-2.0

/// Which gateway took which rows of a journal: a journal may move to another machine with its card, and the rows that it brings
/// keep the name under which consumers may know them.
package struct RowOwners: Equatable, Sendable {
    /// A gateway that wrote to the journal before.
    package struct Former: Equatable, Sendable {
        package var name: String
        /// The last of its rows.
        package var last: Int64
    }

    /// The key of the gateway that writes now.
    package static let currentKey = "rows:gateway"
    /// The key of those before it.
    package static let formersKey = "rows:formers"
    /// Formers that are remembered; the oldest go first, whose rows then pass for the next one's.
    static let limit = 16

    /// Nil where nobody has said.
    package private(set) var current: String?
    /// In the order of their rows.
    package private(set) var formers: [Former] = []

    package init() {}

    /// - Parameter facts: The kept facts, by their keys. Damaged facts are left out.
    package init(_ facts: (String) -> String?) {
        current = facts(Self.currentKey).flatMap { $0.isEmpty ? nil : $0 }
        for entry in (facts(Self.formersKey) ?? "").split(separator: ",").suffix(Self.limit) {
            let parts = entry.split(separator: " ")
            guard parts.count == 2, let last = Int64(parts[1]), last > formers.last?.last ?? 0 else { continue }
            formers.append(Former(name: String(parts[0]), last: last))
        }
    }

    /// Rows from now on are this gateway's.
    ///
    /// - Parameters:
    ///   - name: As configurations allow it: without spaces and commas.
    ///   - last: The greatest number that a row has or had.
    /// - Returns: Whether that is news, and has to be kept.
    package mutating func claim(_ name: String, after last: Int64) -> Bool {
        guard current != name else { return false }
        if let current, last > formers.last?.last ?? 0 {
            formers.append(Former(name: current, last: last))
            if formers.count > Self.limit { formers.removeFirst() }
        }
        current = name
        return true
    }

    /// The facts to keep, by their keys.
    package var facts: [String: String] {
        [
            Self.currentKey: current ?? "",
            Self.formersKey: formers.map { "\($0.name) \($0.last)" }.joined(separator: ","),
        ]
    }

    /// The index of the former gateway whose row it is; nil for the present one's.
    package func former(of n: Int64) -> Int? {
        guard let last = formers.last, n <= last.last else { return nil }
        return formers.firstIndex { n <= $0.last }
    }
}
