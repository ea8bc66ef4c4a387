// SPDX-License-Identifier: Apache-2.0

extension OperationTable {
    /// Arguments of an operation without arguments.
    package struct Nothing: Codable, Sendable {
        package init() {}
    }

    /// The columns of a row, without the type of its arguments.
    struct Shape {
        var name: OperationName
        var purpose: String
        var arguments: [OperationRow.Argument]
        var effect: OperationRow.Effect
        var callers: Set<OperationRow.Caller>
        var pace: OperationRow.Pace
        var bounds: OperationRow.Bounds
        var steps: [String]
        var aliases: [OperationRow.Alias]
        var control: OperationRow.Control?

        init(
            _ name: OperationName, _ purpose: String, _ arguments: [OperationRow.Argument] = [],
            effect: OperationRow.Effect = .looks, for callers: Set<OperationRow.Caller>,
            pace: OperationRow.Pace = .looking, bounds: OperationRow.Bounds = .init(), steps: [String] = [],
            aliases: [OperationRow.Alias] = [], control: OperationRow.Control? = nil
        ) {
            (self.name, self.purpose, self.arguments) = (name, purpose, arguments)
            (self.effect, self.callers, self.pace) = (effect, callers, pace)
            (self.bounds, self.steps, self.aliases, self.control) = (bounds, steps, aliases, control)
        }
    }

    /// A row that the module `Gateway` carries out, with the type of its arguments.
    static func operation<Arguments: Decodable & SendableMetatype>(
        _ shape: Shape, taking type: Arguments.Type
    ) -> TypedOperation<Arguments> {
        TypedOperation(OperationRow(shape, .answer, taking: type))
    }

    /// A row without arguments that the module `Gateway` carries out.
    static func operation(_ shape: Shape, form: OperationRow.Form = .answer) -> TypedOperation<Nothing> {
        TypedOperation(OperationRow(shape, form, taking: Nothing.self))
    }

    /// A row that another module carries out, or that begins a dialogue.
    static func elsewhere(_ shape: Shape, form: OperationRow.Form) -> OperationRow {
        OperationRow(shape, form, taking: nil)
    }
}

/// A row, with the type of its arguments.
package struct TypedOperation<Arguments: Decodable & SendableMetatype>: Sendable {
    package let row: OperationRow

    init(_ row: OperationRow) { self.row = row }
}

extension OperationRow {
    init(
        _ shape: OperationTable.Shape, _ form: Form, taking type: (any (Decodable & SendableMetatype).Type)? = nil
    ) {
        self.init(
            name: shape.name, purpose: shape.purpose, arguments: shape.arguments, takes: type, effect: shape.effect,
            callers: shape.callers, pace: shape.pace, bounds: shape.bounds, steps: shape.steps,
            aliases: shape.aliases, form: form, control: shape.control)
    }
}
