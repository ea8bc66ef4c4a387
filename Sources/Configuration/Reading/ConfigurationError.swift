// SPDX-License-Identifier: Apache-2.0

/// A mistake in a configuration file.
package struct ConfigurationIssue: Equatable, Sendable, CustomStringConvertible {
    package var file: String
    /// From 1; 0 for a mistake of the whole file.
    package var line: Int
    package var message: String

    init(file: String, line: Int, _ message: String) {
        self.file = file
        self.line = line
        self.message = message
    }

    /// The mistake is in the folder of decoders beside the configuration.
    package var isInDecoders: Bool { file.split(separator: "/").contains("decoders.d") }

    /// `/etc/martlet/martlet.toml:12: unknown key…`.
    package var description: String { line > 0 ? "\(file):\(line): \(message)" : "\(file): \(message)" }
}

/// All mistakes of a configuration, in the order of files and lines.
package struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
    package let issues: [ConfigurationIssue]

    package init(_ issues: [ConfigurationIssue]) { self.issues = issues }

    package var description: String { issues.map(\.description).joined(separator: "\n") }
}

/// The reason why a value is invalid; the reader adds file, line and key.
package struct InvalidValue: Error, Equatable {
    package let reason: String
    /// The key of the table at which the value is wrong.
    package let key: String?

    package init(_ reason: String, at key: String? = nil) {
        self.reason = reason
        self.key = key
    }
}
