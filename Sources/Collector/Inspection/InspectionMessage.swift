// SPDX-License-Identifier: Apache-2.0

/// One line of the gateway in the dialogue that `inspect` begins, as the result of a `ControlResponse`: a step that has
/// begun, or, as the last one, the report.
package struct InspectionMessage: Codable, Equatable, Sendable {
    package var step: SensorInspection.Step?
    package var report: InspectionReport?

    package init(step: SensorInspection.Step) { self.step = step }
    package init(report: InspectionReport) { self.report = report }
}
