// SPDX-License-Identifier: Apache-2.0

extension OperationTable {
    /// Arguments of an operation without arguments, and the result of one that has nothing to tell: `{}`.
    package struct Nothing: Codable, Sendable {
        package init() {}
    }

    /// The columns of a row, without the types of its arguments and its result.
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

    /// A row. Its work is in the module `Gateway`, or another module has it: `GatewayService.provide`.
    ///
    /// - Parameters:
    ///   - arguments: The type of the arguments.
    ///   - result: The type of the result; of a dialogue, the type of its lines.
    static func operation<Arguments: Decodable & SendableMetatype, Result: Codable & Sendable>(
        _ shape: Shape, taking arguments: Arguments.Type = Nothing.self, giving result: Result.Type = Nothing.self,
        form: OperationRow.Form = .answer
    ) -> TypedOperation<Arguments, Result> {
        TypedOperation(OperationRow(shape, form, taking: arguments, giving: result))
    }
}

/// A row, with the types of its arguments and its result. Works, clients and other modules get both types from here.
package struct TypedOperation<Arguments: Decodable & SendableMetatype, Result: Codable & Sendable>: Sendable {
    package let row: OperationRow

    init(_ row: OperationRow) { self.row = row }

    package var name: OperationName { row.name }
}

extension OperationRow {
    init(
        _ shape: OperationTable.Shape, _ form: Form, taking arguments: any (Decodable & SendableMetatype).Type,
        giving result: any (Codable & Sendable).Type
    ) {
        self.init(
            name: shape.name, purpose: shape.purpose, arguments: shape.arguments, takes: arguments, gives: result,
            effect: shape.effect, callers: shape.callers, pace: shape.pace, bounds: shape.bounds, steps: shape.steps,
            aliases: shape.aliases, form: form, control: shape.control)
    }
}
