// SPDX-License-Identifier: Apache-2.0

/// The answer of an operation of the form ``OperationRow/Form/file``.
package struct OperationFile: Codable, Equatable, Sendable {
    /// The media type: `image/svg+xml`.
    package var type: String
    /// The name under which a browser keeps the file; nil: the browser shows the file.
    package var name: String?
    package var octets: [UInt8]

    package init(type: String, name: String? = nil, _ octets: [UInt8]) {
        (self.type, self.name, self.octets) = (type, name, octets)
    }
}
