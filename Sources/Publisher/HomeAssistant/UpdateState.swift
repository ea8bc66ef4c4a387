// SPDX-License-Identifier: Apache-2.0

import Foundation
import Readings

/// The state of image updates, with Home Assistant's keys. https://www.home-assistant.io/integrations/update.mqtt
struct UpdateState: Encodable {
    var installed_version: String
    var latest_version: String
    var title = "Martlet"
    var in_progress: Bool
    /// 0…100; nil while unknown: Home Assistant needs an explicit null.
    var update_percentage: Int?

    init(_ update: ImageUpdate) {
        installed_version = update.installed
        latest_version = update.available ?? update.installed
        in_progress = update.isUnderway
        update_percentage = update.isUnderway ? update.progress.map { Int(($0 * 100).rounded()) } : nil
    }

    private enum CodingKeys: CodingKey { case installed_version, latest_version, title, in_progress, update_percentage }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(installed_version, forKey: .installed_version)
        try container.encode(latest_version, forKey: .latest_version)
        try container.encode(title, forKey: .title)
        try container.encode(in_progress, forKey: .in_progress)
        try container.encode(update_percentage, forKey: .update_percentage)
    }

    var payload: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { [UInt8]($0) } ?? []
    }
}
