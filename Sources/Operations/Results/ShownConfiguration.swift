// SPDX-License-Identifier: Apache-2.0

/// The configuration's files for a viewer: without secrets, else as they are, with comments and order.
package struct ShownConfiguration: Codable, Equatable, Sendable {
    package struct File: Codable, Equatable, Sendable {
        package var path: String
        package var text: String
        /// Why the file cannot be read; nil if it can.
        package var problem: String?

        package init(path: String, text: String, problem: String? = nil) {
            (self.path, self.text, self.problem) = (path, text, problem)
        }
    }

    package var files: [File]
    /// Faults that are no mistakes; in sentences.
    package var warnings: [String]

    package init(files: [File], warnings: [String]) { (self.files, self.warnings) = (files, warnings) }
}
