// SPDX-License-Identifier: Apache-2.0

/// A gateway's identity: its `<gw>`, and the marks of its machine. Kept as a few lines of text; the first line is the
/// name.
package struct GatewayIdentity: Equatable, Sendable {
    package private(set) var name: String
    /// The marks of the gateway's own machine.
    package private(set) var marks: MachineMarks
    /// The gateway on the original of this copied card; nil once the operator has decided which of the two this gateway
    /// is.
    package private(set) var copiedFrom: String?

    /// The gateway is back from another board, which may have given numbers to readings since this card was copied. Its next start leaps
    /// over such numbers.
    package private(set) var leaps = false

    /// Further lines of the file are not read.
    private static let maximumLines = 16

    package init(_ name: String, on marks: MachineMarks) { (self.name, self.marks) = (name, marks) }

    /// Nil unless the first line is a name. Ignores unknown lines, which a newer version wrote.
    package init?(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).prefix(Self.maximumLines)
        guard let first = lines.first, identifierComplaint(String(first)) == nil else { return nil }
        self.init(String(first), on: MachineMarks())
        for line in lines.dropFirst() {
            let parts = line.split(separator: " ").map(String.init)
            guard parts.count == 2 else { continue }
            switch parts[0] {
            case "board": marks.board = parts[1]
            case "machine": marks.machine = parts[1]
            case "numbers" where parts[1] == "leap": leaps = true
            case "copied-from" where identifierComplaint(parts[1]) == nil: copiedFrom = parts[1]
            default: break
            }
        }
    }

    package var text: String {
        let lines: [String?] = [
            name, marks.board.map { "board \($0)" }, marks.machine.map { "machine \($0)" },
            copiedFrom.map { "copied-from \($0)" }, leaps ? "numbers leap" : nil,
        ]
        return lines.compactMap { $0.map { $0 + "\n" } }.joined()
    }

    /// Starts the gateway on a machine with these marks. On a machine other than its own, the gateway is a copy and
    /// gets a new name. The operator may still declare it the same gateway.
    ///
    /// - Parameter fresh: The new name.
    package mutating func start(on marks: MachineMarks, fresh: String) {
        guard marks.differ(from: self.marks) else {
            // New marks are added. A mark that cannot be read now is kept.
            self.marks.board = marks.board ?? self.marks.board
            self.marks.machine = marks.machine ?? self.marks.machine
            return
        }
        // A copy of a copy, made before the operator's decision, is still a copy of the first gateway.
        self = GatewayIdentity(copied: copiedFrom ?? name, fresh, on: marks)
    }

    /// The gateway goes on upon another machine: an operator has brought its state there.
    package mutating func moves(to marks: MachineMarks) { self.marks = marks }

    private init(copied from: String, _ name: String, on marks: MachineMarks) {
        self.init(name, on: marks)
        copiedFrom = from
    }

    /// The operator declares this gateway the former gateway: its card, or its whole disk, is in a new board.
    ///
    /// - Returns: False if it is no copy.
    package mutating func isSameGateway() -> Bool {
        guard let former = copiedFrom else { return false }
        (name, copiedFrom, leaps) = (former, nil, true)
        return true
    }

    /// The numbers have leapt.
    package mutating func hasLeapt() { leaps = false }

    /// The operator declares this a gateway of its own.
    ///
    /// - Parameter fresh: Its new name. A detected copy keeps the new name that it has got already.
    package mutating func isNewGateway(fresh: String) {
        if copiedFrom == nil { name = fresh }
        copiedFrom = nil
    }
}
