// SPDX-License-Identifier: Apache-2.0

import Foundation
import Gateway
import Operations

/// The phone's way to ``OperationTable``: each of the service's frozen characteristics asks for a row, with the rights of a phone.
struct PhoneOperations: Sendable {
    typealias Work = @Sendable (OperationCall) async throws(OperationError) -> OperationRow.Result
    typealias Own = (OperationName, Work)

    private let operations: any GatewayOperations
    /// Rows that the service carries out itself.
    private let own: [OperationName: Work]

    init(_ operations: any GatewayOperations, own: [Own] = []) {
        self.operations = operations
        self.own = Dictionary(own) { $1 }
    }

    /// A row that the service carries out itself.
    static func own<Arguments, Result>(
        _ operation: TypedOperation<Arguments, Result>,
        _ work: @escaping @Sendable (Arguments) async throws(OperationError) -> Result
    ) -> Own {
        (operation.name, { call throws(OperationError) in try await work(try call.arguments(of: operation)) })
    }

    /// Arguments of an operation that has none.
    struct Nothing: Encodable {}

    /// Asks for a row, and gives its answer; throws where a phone may not have it, too.
    func ask<Arguments, Answer>(
        _ operation: TypedOperation<Arguments, Answer>, _ arguments: some Encodable = Nothing()
    ) async throws(OperationError) -> Answer {
        let answer = try await answer(of: operation.name, arguments)
        guard let answer = answer as? Answer else { throw OperationError(.failed, "the answer has another type") }
        return answer
    }

    /// Asks, and drops the answer.
    func ask(_ name: OperationName, _ arguments: some Encodable = Nothing()) async throws(OperationError) {
        _ = try await answer(of: name, arguments)
    }

    private func answer(
        of name: OperationName, _ arguments: some Encodable
    ) async throws(OperationError) -> OperationRow.Result {
        let row = try Self.row(name)
        guard let data = try? ControlCoding.encode(arguments) else {
            throw OperationError(.notValid, "the arguments cannot be written")
        }
        let call = OperationCall(.phone, Data(data))
        guard let work = own[name] else { return try await operations.perform(row, call) }
        try row.admit(call)
        return try await row.within(call) { () throws(OperationError) in try await work(call) }
    }

    /// Throws where a phone may not have the row, whose work the service does step by step.
    func admit(_ name: OperationName) throws(OperationError) {
        try Self.row(name).admit(OperationCall(.phone, Data()))
    }

    private static func row(_ name: OperationName) throws(OperationError) -> OperationRow {
        guard let row = OperationTable.row(name) else { throw OperationError(.failed, "the operation is unknown") }
        return row
    }
}

extension ProvisioningService {
    /// The rows that the service carries out itself: its LED, and its window.
    static func phoneOperations(_ parts: Parts) -> PhoneOperations {
        PhoneOperations(
            parts.operations,
            own: [
                PhoneOperations.own(OperationTable.identify) { _ throws(OperationError) in
                    guard parts.identify(.seconds(10)) else {
                        throw OperationError(.refused, "this gateway has no LED")
                    }
                    return OperationTable.Nothing()
                },
                PhoneOperations.own(OperationTable.provision) { wish throws(OperationError) in
                    switch wish.action {
                    case .open: parts.window.open(by: .owner)
                    case .close: parts.window.close()
                    case .status, .label, .forget: throw OperationError(.notValid, #""action" is "open" or "close""#)
                    }
                    return WindowReport(parts.window.state)
                },
            ])
    }
}
