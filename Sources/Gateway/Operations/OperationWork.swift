// SPDX-License-Identifier: Apache-2.0

import Operations

/// The work of an operation that this module carries out.
enum OperationWork: Sendable {
    typealias Common =
        @Sendable (any GatewayOperations, OperationCall) async throws(OperationError) -> OperationRow.Result
    typealias Own = @Sendable (GatewayService, OperationCall) async throws(OperationError) -> OperationRow.Result

    /// Each gateway can do the work, also one without files and a broker of its own, as in tests.
    case common(Common)
    /// The work takes a whole gateway.
    case gateway(Own)
}

/// The works of the rows of ``OperationTable``. Another module carries out an operation without a work here:
/// ``GatewayService/provide(_:_:)``.
enum OperationWorks {
    typealias Named = (OperationName, OperationWork)

    private static let byName = Dictionary(uniqueKeysWithValues: sensors + buffer + settingRows + machine)

    static subscript(name: OperationName) -> OperationWork? { byName[name] }

    /// A work that every gateway can do.
    static func common<Arguments, Result>(
        _ operation: TypedOperation<Arguments, Result>,
        _ work:
            @escaping @Sendable (any GatewayOperations, Arguments, OperationCall) async throws(OperationError) -> Result
    ) -> Named {
        let row = operation.row
        return (
            row.name,
            .common { operations, call throws(OperationError) in
                try await work(operations, try call.arguments(Arguments.self, of: row), call)
            }
        )
    }

    /// A work without arguments that every gateway can do.
    static func common<Result>(
        _ operation: TypedOperation<OperationTable.Nothing, Result>,
        _ work: @escaping @Sendable (any GatewayOperations, OperationCall) async throws(OperationError) -> Result
    ) -> Named {
        common(operation) { operations, _, call throws(OperationError) in try await work(operations, call) }
    }

    /// A work that takes a whole gateway.
    static func own<Arguments, Result>(
        _ operation: TypedOperation<Arguments, Result>,
        _ work: @escaping @Sendable (GatewayService, Arguments, OperationCall) async throws(OperationError) -> Result
    ) -> Named {
        let row = operation.row
        return (
            row.name,
            .gateway { gateway, call throws(OperationError) in
                try await work(gateway, try call.arguments(Arguments.self, of: row), call)
            }
        )
    }

    /// A work without arguments that takes a whole gateway.
    static func own<Result>(
        _ operation: TypedOperation<OperationTable.Nothing, Result>,
        _ work: @escaping @Sendable (GatewayService, OperationCall) async throws(OperationError) -> Result
    ) -> Named {
        own(operation) { gateway, _, call throws(OperationError) in try await work(gateway, call) }
    }
}
