// SPDX-License-Identifier: Apache-2.0

extension OperationTable {
    /// Arguments of an operation without arguments.
    struct Nothing: Codable, Sendable {}

    /// A row with its implementation.
    static func row<Arguments: Decodable & SendableMetatype>(
        _ name: OperationName, _ purpose: String, _ arguments: [OperationRow.Argument] = [],
        effect: OperationRow.Effect = .looks, for callers: Set<OperationRow.Caller>, pace: OperationRow.Pace = .looking,
        aliases: [OperationRow.Alias] = [], taking type: Arguments.Type,
        _ work:
            @escaping @Sendable (GatewayService, Arguments, OperationCall) async throws(OperationError) ->
            OperationRow.Result
    ) -> OperationRow {
        let shape = bare(name, purpose, arguments, effect, callers, pace, aliases, .answer, nil)
        return bare(name, purpose, arguments, effect, callers, pace, aliases, .answer) {
            gateway, call throws(OperationError) in
            try await work(gateway, try call.arguments(type, of: shape), call)
        }
    }

    /// A row without arguments.
    static func plain(
        _ name: OperationName, _ purpose: String, effect: OperationRow.Effect = .looks,
        for callers: Set<OperationRow.Caller>,
        pace: OperationRow.Pace = .looking, aliases: [OperationRow.Alias] = [],
        _ work: @escaping @Sendable (GatewayService, OperationCall) async throws(OperationError) -> OperationRow.Result
    ) -> OperationRow {
        row(name, purpose, effect: effect, for: callers, pace: pace, aliases: aliases, taking: Nothing.self) {
            gateway, _, call throws(OperationError) in
            try await work(gateway, call)
        }
    }

    /// A row for another module's operation, or for a dialogue.
    static func elsewhere(
        _ name: OperationName, _ purpose: String, _ arguments: [OperationRow.Argument] = [],
        effect: OperationRow.Effect = .looks, for callers: Set<OperationRow.Caller>, pace: OperationRow.Pace = .looking,
        aliases: [OperationRow.Alias] = [], form: OperationRow.Form
    ) -> OperationRow {
        bare(name, purpose, arguments, effect, callers, pace, aliases, form, nil)
    }

    private static func bare(
        _ name: OperationName, _ purpose: String, _ arguments: [OperationRow.Argument], _ effect: OperationRow.Effect,
        _ callers: Set<OperationRow.Caller>, _ pace: OperationRow.Pace, _ aliases: [OperationRow.Alias],
        _ form: OperationRow.Form,
        _ work: OperationRow.Work?
    ) -> OperationRow {
        OperationRow(
            name: name, purpose: purpose, arguments: arguments, effect: effect, callers: callers, pace: pace,
            aliases: aliases, form: form, work: work)
    }
}
