// SPDX-License-Identifier: Apache-2.0

import Foundation
import Health
import Platform

/// Whether a sensor has a link for further requests.
package enum SensorLink: Equatable, Sendable {
    /// By its name in topics, and its identifier.
    case present(device: String, UUID)
    /// Why the sensor has no link at the moment, and how to change this.
    case absent(String)
    /// No collected sensor has this name, or several have this name.
    case unknown(String)
}

extension Collector {
    /// The link of a collected sensor; `text`: its id, address, identifier or name. Nil if no answer comes within
    /// `limit`.
    package func link(of text: String, within limit: Duration) async -> SensorLink? {
        await Waiting.answer(within: limit) { (answer: @escaping @Sendable (SensorLink) -> Void) in
            queue.async { [self] in answer(link(of: text)) }
        }
    }

    private func link(of text: String) -> SensorLink {
        let sources: [SensorSource] = linked.values.filter { !$0.life.isRemoved } + Array(listened.values)
        do throws(DeviceName.Unclear) {
            let name = try DeviceName(text).pick(sources.map(Self.known))
            guard let sensor = linked[name.identifier] else {
                return .absent("the sensor advertises its values, and has no link")
            }
            switch sensor.link {
            case .collecting where sensor.life.isProven && !sensor.pairing.isUnderway:
                return .present(device: sensor.device, sensor.candidate.identifier)
            case .resting:
                return .absent("the sensor has no link until its next read: give its entry link = \"hold\"")
            case .queued:
                return .absent(
                    "the sensor waits for its turn, because the controller has too few links; try again in a moment")
            default:
                return .absent(advise("the sensor has no link now: \(.martlet(.why, sensor.device)) says why"))
            }
        } catch {
            return .unknown(error.description)
        }
    }
}
