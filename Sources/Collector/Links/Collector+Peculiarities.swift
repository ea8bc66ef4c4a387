// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Logging
import Platform
import Readings

/// Points in which a sensor's attribute server departs from the specification, for `why` and for the log.
extension Collector {
    /// Asks the host about the present link. Called before the collector ends the link.
    func lookAtPeculiarities(of sensor: LinkedSensor) {
        let peripheral = sensor.peripheral
        let identifier = sensor.candidate.identifier
        Task { [weak self] in
            guard let link = try? await peripheral.linkInformation(timeout: .seconds(5)), let self else { return }
            queue.async {
                if let sensor = self.linked[identifier] { self.recordPeculiarities(link.peculiarities, of: sensor) }
            }
        }
    }

    private func recordPeculiarities(_ told: [String], of sensor: LinkedSensor) {
        let isLeftOut = sensor.upkeep.quest.isLeftOut(at: uptime)
        let found = told + (isLeftOut ? [CBLinkInformation.omission(of: "the question for maker and model")] : [])
        guard sensor.record.recordPeculiarities(found), !found.isEmpty else { return }
        logger.notice(
            "the sensor departs from the specification: the gateway collects as much as possible",
            metadata: sensor.metadata.merging(["points": "\(found.joined(separator: "; "))"]) { $1 })
    }
}

extension CBLinkInformation {
    /// Sentences without their full stops.
    var peculiarities: [String] {
        serverOddities
            + omittedProcedures.map { Self.omission(of: "\($0)") }
    }

    /// Why a request is left out.
    fileprivate static func omission(of procedure: String) -> String {
        "\(procedure) is left out for a day: three links in a row ended at this point"
    }
}
