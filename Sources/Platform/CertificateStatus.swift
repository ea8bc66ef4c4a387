// SPDX-License-Identifier: Apache-2.0

/// A file with certificates that the configuration names.
package struct CertificateStatus: Codable, Equatable, Sendable {
    /// Days before the end of a certificate from which on somebody should renew the certificate.
    package static let soon: Int64 = 30

    /// The key of the configuration: `mqtt.tls.ca_file`.
    package var key: String
    package var file: String
    /// The times between which the certificates are good, in seconds since 1970; nil for a file without a certificate.
    package var begin: Int64?
    package var end: Int64?
    /// The gateway may not read the file, or there is no file.
    package var isUnreadable: Bool?

    package init(key: String, file: String, begin: Int64? = nil, end: Int64? = nil, isUnreadable: Bool? = nil) {
        (self.key, self.file, self.begin, self.end) = (key, file, begin, end)
        self.isUnreadable = isUnreadable
    }
}
