// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The way in which the gateway of this machine was installed. The commands of an advice follow from the installation.
package struct Installation: Equatable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        /// The Debian package, with its service.
        case package
        /// The flashed image, where a person is root.
        case image
        /// A container; its commands are typed on the host.
        case container
        /// A program without a service; a person starts the program.
        case hand
    }

    package var kind: Kind
    /// The engine of a container.
    package var engine: ContainerEngine
    /// The configuration's file, if commands have to name the file.
    package var configuration: String?

    package init(_ kind: Kind, configuration: String? = nil, engine: ContainerEngine = .docker) {
        (self.kind, self.configuration, self.engine) = (kind, configuration, engine)
    }

    package static let package = Installation(.package)

    /// The installation of another machine, which this program does not know: advice has the plain words of the program.
    package static let elsewhere = Installation(.package)

    /// The installation of this machine, for parts that know no configuration. These files do not change while a program runs.
    package static let local = found(
        configuration: "", standard: "", engine: ContainerEngine.found(isThere, text: text), isThere)

    private static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }

    private static func text(_ path: String) -> String? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var octets = [UInt8](repeating: 0, count: 128)
        let count = fread(&octets, 1, octets.count, file)
        return String(decoding: octets.prefix(count), as: UTF8.self)
    }

    /// The installation of this machine.
    ///
    /// - Parameters:
    ///   - configuration: The configuration's file.
    ///   - standard: The file of commands without `--config`.
    ///   - engine: The engine of this container; nil outside of containers.
    ///   - isThere: Whether there is something at a path.
    package static func found(
        configuration: String, standard: String, engine: ContainerEngine?, _ isThere: (String) -> Bool
    ) -> Self {
        let named = configuration == standard ? nil : configuration
        if let engine { return Self(.container, configuration: named, engine: engine) }
        guard named == nil else { return Self(.hand, configuration: named) }
        if isThere("/etc/rauc/system.conf") { return Self(.image) }
        let units = ["/usr/lib/systemd/system/martlet.service", "/lib/systemd/system/martlet.service"]
        return Self(units.contains(where: isThere) ? .package : .hand)
    }
}
