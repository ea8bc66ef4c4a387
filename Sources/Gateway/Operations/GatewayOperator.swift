// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector
import Dispatch
import Operations
import Platform

/// Clients' view of a running gateway.
package final class GatewayOperator: GatewayOperations {
    /// How long a part of the gateway may take to answer.
    static let patience: Duration = .seconds(2)
    /// How long the disk may take to forget a bond.
    static let unpairPatience: Duration = .seconds(12)

    let gateway: GatewayService

    init(_ gateway: GatewayService) { self.gateway = gateway }

    package func status() async -> GatewayStatus { await gateway.currentStatus(within: Self.patience) }

    package func bonds() async -> BondList {
        await gateway.inquiries.bonds.answer(within: Self.patience)
            ?? BondList(bonds: [], problems: ["the collector does not answer"])
    }

    package func unpair(_ device: String) async throws(OperationError) -> BondStatus {
        let result = await gateway.collector.unpair(device, within: Self.unpairPatience)
        switch result {
        case .success(let bond): return bond
        case .failure(let error): throw OperationError(.refused, error.description)
        }
    }

    package func logTail(lines: Int) async -> [String] { gateway.log.tail(lines) }

    package func logLines() -> AsyncStream<String> { gateway.log.follow() }

    package func resetToFactory() async throws(OperationError) { try await gateway.beginFactoryReset() }

    /// Makes a change of the configuration.
    func change<Result: Sendable>(
        urgent: Bool = false,
        _ body: @escaping @Sendable (MachineSettings) throws(OperationError) -> Result
    ) async throws(OperationError) -> Result {
        guard let settings = gateway.settings else {
            throw OperationError(.refused, "this gateway has no configuration files of its own")
        }
        return try await settings.change(urgent: urgent) { [gateway] () throws(OperationError) in
            guard !gateway.isStopped else { throw OperationError(.failed, "the gateway is stopping") }
            return try body(settings)
        }
    }
}

extension GatewayService {
    /// Clients' operations on the gateway.
    package var operations: any GatewayOperations & BufferOperations { GatewayOperator(self) }
}
