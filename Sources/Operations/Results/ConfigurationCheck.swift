// SPDX-License-Identifier: Apache-2.0

/// Mistakes and warnings of a text that a client wants to use as martlet.toml.
package struct ConfigurationCheck: Codable, Equatable, Sendable {
    package struct Problem: Codable, Equatable, Sendable {
        /// From 1; 0 for a problem without a line.
        package var line: Int
        package var message: String

        package init(line: Int, message: String) { (self.line, self.message) = (line, message) }
    }

    package var problems: [Problem]
    package var warnings: [String]

    package init(problems: [Problem], warnings: [String]) { (self.problems, self.warnings) = (problems, warnings) }
}
