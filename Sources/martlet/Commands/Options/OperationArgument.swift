// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Operations

/// The help and the completion of a verb's arguments are those of the operation's row.
extension ArgumentHelp {
    /// The meaning of an operation's argument, as a sentence.
    init(_ operation: OperationName, _ argument: String) {
        let meaning = OperationTable.row(operation)?.arguments.first { $0.name == argument }?.meaning ?? ""
        let text = meaning.replacing("`", with: "")
        self.init(
            "\(text.prefix(1).uppercased())\(text.dropFirst()).",
            valueName: argument.replacing("_", with: "-"))
    }
}

extension CompletionKind {
    fileprivate static func of(_ argument: String) -> CompletionKind? {
        switch argument {
        case "sensor": SensorCompletion.kind
        case "problem": SensorCompletion.problemKind
        default: nil
        }
    }
}

extension Argument where Value == String {
    init(_ operation: OperationName, _ argument: String) {
        self.init(help: ArgumentHelp(operation, argument), completion: .of(argument))
    }
}

extension Argument where Value == String? {
    init(_ operation: OperationName, _ argument: String) {
        self.init(help: ArgumentHelp(operation, argument), completion: .of(argument))
    }
}

extension Option where Value == String? {
    init(_ operation: OperationName, _ argument: String) {
        self.init(help: ArgumentHelp(operation, argument), completion: .of(argument))
    }
}
