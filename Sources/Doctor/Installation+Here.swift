// SPDX-License-Identifier: Apache-2.0

import Configuration
import Health

extension Installation {
    /// The installation of this machine.
    ///
    /// - Parameter configuration: The configuration's file.
    package static func here(configuration: String, _ surroundings: Surroundings = Surroundings()) -> Self {
        found(
            configuration: configuration, standard: GatewayConfiguration.defaultPath,
            engine: surroundings.engine, surroundings.exists)
    }
}
