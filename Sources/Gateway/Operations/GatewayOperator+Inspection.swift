// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector
import Operations
import Synchronization

extension GatewayOperator {
    package func inspect(
        _ address: String, within limit: Duration, progress: @escaping @Sendable (SensorInspection.Step) -> Void
    ) async throws(OperationError) -> InspectionReport {
        let wanted = try Self.address(address)
        guard gateway.exclusive.begin(.inspection) else {
            throw OperationError(.busy, "another sensor is being inspected: ask again when that is done")
        }
        defer { gateway.exclusive.end(.inspection) }
        let known = await gateway.collector.collected(at: wanted.value, within: Self.patience)
        let inspection = SensorInspection(
            of: wanted.description, identifier: known.linked, by: gateway.controller, patience: limit,
            on: gateway.inquiries.health.installation, progress: progress)
        do throws(SensorInspection.Failure) {
            var report = try await inspection.run()
            report.acceptedAs = known.id
            // Its id stays: topics have it.
            report.entry = report.suggestedEntry
            return report
        } catch {
            throw OperationError(.failed, error.text)
        }
    }
}
