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
    /// The configuration's file, if commands have to name the file.
    package var configuration: String?

    package init(_ kind: Kind, configuration: String? = nil) {
        (self.kind, self.configuration) = (kind, configuration)
    }

    package static let package = Installation(.package)

    /// The installation of another machine, which this program does not know: advice has the plain words of the program.
    package static let elsewhere = Installation(.package)

    /// The installation of this machine, for parts that know no configuration. These files do not change while a program runs.
    package static let local = found(
        configuration: "", standard: "", isContainer: containerMarks.contains(where: isThere), isThere)

    /// Files that engines of containers put into each container.
    package static let containerMarks = ["/.dockerenv", "/run/.containerenv"]

    private static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// The installation of this machine.
    ///
    /// - Parameters:
    ///   - configuration: The configuration's file.
    ///   - standard: The file of commands without `--config`.
    ///   - isThere: Whether there is something at a path.
    package static func found(
        configuration: String, standard: String, isContainer: Bool, _ isThere: (String) -> Bool
    ) -> Self {
        let named = configuration == standard ? nil : configuration
        if isContainer { return Self(.container, configuration: named) }
        guard named == nil else { return Self(.hand, configuration: named) }
        if isThere("/etc/rauc/system.conf") { return Self(.image) }
        let units = ["/usr/lib/systemd/system/martlet.service", "/lib/systemd/system/martlet.service"]
        return Self(units.contains(where: isThere) ? .package : .hand)
    }
}
