// SPDX-License-Identifier: Apache-2.0

import Foundation
import Gateway
import Operations

/// The phone's way to ``OperationTable``: each of the service's frozen characteristics asks for a row, with the rights of a phone.
struct PhoneOperations: Sendable {
    typealias Own = @Sendable (OperationCall) async throws(OperationError) -> OperationRow.Result

    private let operations: any GatewayOperations
    /// Rows that the service carries out itself.
    private let own: [OperationName: Own]

    init(_ operations: any GatewayOperations, own: [OperationName: Own] = [:]) {
        (self.operations, self.own) = (operations, own)
    }

    /// Arguments of an operation that has none.
    struct Nothing: Encodable {}

    /// Asks for a row, and gives its answer; throws where a phone may not have it, too.
    func ask<Answer>(
        _ name: OperationName, _ arguments: some Encodable = Nothing(), as type: Answer.Type
    ) async throws(OperationError) -> Answer {
        let row = try Self.row(name)
        guard let data = try? ControlCoding.encode(arguments) else {
            throw OperationError(.notValid, "the arguments cannot be written")
        }
        let call = OperationCall(.phone, Data(data))
        let answer: OperationRow.Result
        if let work = own[name] {
            try row.admit(call)
            answer = try await row.within(call) { () throws(OperationError) in try await work(call) }
        } else {
            answer = try await operations.perform(row, call)
        }
        guard let answer = answer as? Answer else { throw OperationError(.failed, "the answer has another type") }
        return answer
    }

    /// Asks, and drops the answer.
    func ask(_ name: OperationName, _ arguments: some Encodable = Nothing()) async throws(OperationError) {
        _ = try await ask(name, arguments, as: OperationRow.Result.self)
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
                .identify: { _ throws(OperationError) in
                    guard parts.identify(.seconds(10)) else {
                        throw OperationError(.refused, "this gateway has no LED")
                    }
                    return true
                },
                .provision: { call throws(OperationError) in
                    switch try call.arguments(of: OperationTable.provision).action {
                    case .open: parts.window.open(by: .owner)
                    case .close: parts.window.close()
                    case .status, .label, .forget: throw OperationError(.notValid, #""action" is "open" or "close""#)
                    }
                    return true
                },
            ])
    }
}
