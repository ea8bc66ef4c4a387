// SPDX-License-Identifier: Apache-2.0

/// Who a gateway is: its `<gw>`, and the machine that it was made on. Kept as a few lines of text, of which the first is the name.
package struct GatewayIdentity: Equatable, Sendable {
    package private(set) var name: String
    /// The machine that it is at home on.
    package private(set) var marks: MachineMarks
    /// The gateway whose card this is a copy of, or was; nil once the operator has said which of the two this one is.
    package private(set) var copiedFrom: String?

    /// Lines of a file that are read.
    private static let maximumLines = 16

    package init(_ name: String, on marks: MachineMarks) { (self.name, self.marks) = (name, marks) }

    /// Nil for what begins with no name. Unknown lines, which a newer version wrote, are left out.
    init?(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).prefix(Self.maximumLines)
        guard let first = lines.first, identifierComplaint(String(first)) == nil else { return nil }
        self.init(String(first), on: MachineMarks())
        for line in lines.dropFirst() {
            let parts = line.split(separator: " ").map(String.init)
            guard parts.count == 2 else { continue }
            switch parts[0] {
            case "board": marks.board = parts[1]
            case "machine": marks.machine = parts[1]
            case "copied-from" where identifierComplaint(parts[1]) == nil: copiedFrom = parts[1]
            default: break
            }
        }
    }

    var text: String {
        let lines: [String?] = [
            name, marks.board.map { "board \($0)" }, marks.machine.map { "machine \($0)" },
            copiedFrom.map { "copied-from \($0)" },
        ]
        return lines.compactMap { $0.map { $0 + "\n" } }.joined()
    }

    /// The gateway starts on a machine with these marks. On another machine than its own it is a copy, and gets a new name; the
    /// operator may say that it is the same gateway all the same.
    ///
    /// - Parameter fresh: The new name.
    mutating func start(on marks: MachineMarks, fresh: String) {
        guard marks.differ(from: self.marks) else {
            // What was not known yet is known now; what is not to be read now stays.
            self.marks.board = marks.board ?? self.marks.board
            self.marks.machine = marks.machine ?? self.marks.machine
            return
        }
        // A copy that is copied on before anybody has said anything is still one of the first gateway.
        self = GatewayIdentity(copied: copiedFrom ?? name, fresh, on: marks)
    }

    private init(copied from: String, _ name: String, on marks: MachineMarks) {
        self.init(name, on: marks)
        copiedFrom = from
    }

    /// The operator says that this is the gateway that it was: its card, or all of its disk, is in a new board.
    ///
    /// - Returns: False where it is not a copy.
    package mutating func isSameGateway() -> Bool {
        guard let former = copiedFrom else { return false }
        (name, copiedFrom) = (former, nil)
        return true
    }

    /// The operator says that this is a gateway of its own.
    ///
    /// - Parameter fresh: Its name, unless it got one of its own when it noticed that it is a copy.
    package mutating func isNewGateway(fresh: String) {
        if copiedFrom == nil { name = fresh }
        copiedFrom = nil
    }
}
