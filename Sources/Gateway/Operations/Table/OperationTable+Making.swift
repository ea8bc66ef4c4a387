// SPDX-License-Identifier: Apache-2.0

extension OperationTable {
    /// Arguments of an operation without arguments.
    struct Nothing: Codable, Sendable {}

    /// What a row is beside its work.
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

        func row(
            _ work: OperationRow.Workings, _ form: OperationRow.Form = .answer,
            taking type: (any (Decodable & SendableMetatype).Type)? = nil
        ) -> OperationRow {
            OperationRow(
                name: name, purpose: purpose, arguments: arguments, takes: type, effect: effect, callers: callers,
                pace: pace,
                bounds: bounds, steps: steps, aliases: aliases, form: form, control: control, work: work)
        }
    }

    /// A row that every gateway can do.
    static func common<Arguments: Decodable & SendableMetatype>(
        _ shape: Shape, taking type: Arguments.Type,
        _ work:
            @escaping @Sendable (any GatewayOperations, Arguments, OperationCall) async throws(OperationError) ->
            OperationRow.Result
    ) -> OperationRow {
        let bare = shape.row(.elsewhere)
        return shape.row(
            .common { operations, call throws(OperationError) in
                try await work(operations, try call.arguments(type, of: bare), call)
            }, taking: type)
    }

    /// The same without arguments.
    static func common(
        _ shape: Shape,
        _ work:
            @escaping @Sendable (any GatewayOperations, OperationCall) async throws(OperationError) ->
            OperationRow.Result
    ) -> OperationRow {
        common(shape, taking: Nothing.self) { operations, _, call throws(OperationError) in
            try await work(operations, call)
        }
    }

    /// A row that takes a whole gateway.
    static func row<Arguments: Decodable & SendableMetatype>(
        _ shape: Shape, taking type: Arguments.Type,
        _ work:
            @escaping @Sendable (GatewayService, Arguments, OperationCall) async throws(OperationError) ->
            OperationRow.Result
    ) -> OperationRow {
        let bare = shape.row(.elsewhere)
        return shape.row(
            .gateway { gateway, call throws(OperationError) in
                try await work(gateway, try call.arguments(type, of: bare), call)
            }, taking: type)
    }

    /// The same without arguments.
    static func row(
        _ shape: Shape,
        _ work: @escaping @Sendable (GatewayService, OperationCall) async throws(OperationError) -> OperationRow.Result
    ) -> OperationRow {
        row(shape, taking: Nothing.self) { gateway, _, call throws(OperationError) in try await work(gateway, call) }
    }

    /// A row that another module carries out, or that begins a dialogue.
    static func elsewhere(_ shape: Shape, form: OperationRow.Form) -> OperationRow { shape.row(.elsewhere, form) }
}
