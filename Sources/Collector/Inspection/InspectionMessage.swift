// SPDX-License-Identifier: Apache-2.0

/// A line of the gateway in the dialogue of `inspect`, as the result of a `ControlResponse`: a step that has begun, or
/// the report as the last line.
package struct InspectionMessage: Codable, Equatable, Sendable {
    package var step: SensorInspection.Step?
    package var report: InspectionReport?

    package init(step: SensorInspection.Step) { self.step = step }
    package init(report: InspectionReport) { self.report = report }
}
