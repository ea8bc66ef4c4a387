// SPDX-License-Identifier: Apache-2.0

import CLibcrypto

/// The time in which the certificates of a file are good, in seconds since 1970.
package struct CertificateDates: Equatable, Sendable {
    package enum Failure: Error {
        /// The file is missing, or this process may not read the file.
        case unreadable
        /// The file has no certificate in PEM.
        case noCertificate
    }

    /// A chain needs each certificate. A list of authorities needs a single good certificate.
    package enum Need: Sendable { case all, any }

    package var begin: Int64
    package var end: Int64

    /// Reads at most 1,000 certificates.
    package init(path: String, need: Need) throws(Failure) {
        var (begin, end): (Int64, Int64) = (0, 0)
        let count = certificate_dates(path, need == .all ? 1 : 0, &begin, &end)
        guard count >= 0 else { throw .unreadable }
        guard count > 0 else { throw .noCertificate }
        (self.begin, self.end) = (begin, end)
    }
}
