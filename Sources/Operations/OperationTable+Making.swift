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

    /// A row with arguments. Its work is in the module `Gateway`, or another module has it: `GatewayService.provide`.
    static func operation<Arguments: Decodable & SendableMetatype>(
        _ shape: Shape, taking type: Arguments.Type, form: OperationRow.Form = .answer
    ) -> TypedOperation<Arguments> {
        TypedOperation(OperationRow(shape, form, taking: type))
    }

    /// A row without arguments.
    static func operation(_ shape: Shape, form: OperationRow.Form = .answer) -> TypedOperation<Nothing> {
        TypedOperation(OperationRow(shape, form, taking: Nothing.self))
    }
}

/// A row, with the type of its arguments.
package struct TypedOperation<Arguments: Decodable & SendableMetatype>: Sendable {
    package let row: OperationRow

    init(_ row: OperationRow) { self.row = row }
}

extension OperationRow {
    init(
        _ shape: OperationTable.Shape, _ form: Form, taking type: any (Decodable & SendableMetatype).Type
    ) {
        self.init(
            name: shape.name, purpose: shape.purpose, arguments: shape.arguments, takes: type, effect: shape.effect,
            callers: shape.callers, pace: shape.pace, bounds: shape.bounds, steps: shape.steps,
            aliases: shape.aliases, form: form, control: shape.control)
    }
}
