// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Whether a monitor shows passkeys: a monitor is connected, and the service that draws on it runs. The service keeps a
/// file (`/run/martlet/screen`) while it runs.
package struct MonitorProbe: Sendable {
    private let connectors: String
    private let service: String

    package init(connectors: String = "/sys/class/drm", service: String = "/run/martlet/screen") {
        self.connectors = connectors
        self.service = service
    }

    package var isThere: Bool {
        guard access(service, F_OK) == 0 else { return false }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: connectors)) ?? []
        return names.contains { name in
            let status = try? String(contentsOfFile: "\(connectors)/\(name)/status", encoding: .utf8)
            return status?.split(separator: "\n").first == "connected"
        }
    }
}
