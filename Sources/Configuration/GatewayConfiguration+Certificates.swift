// SPDX-License-Identifier: Apache-2.0

import Libcrypto
import MQTT
import Platform
import Publisher

extension GatewayConfiguration {
    /// The configuration's files with certificates, as on the disk now. Empty: no file is named.
    ///
    /// - Parameter root: The folder in place of `/`.
    package func certificates(below root: String = "") -> [CertificateStatus] {
        // Of authorities, one that is good is enough. Lists of a system have old ones among them.
        let files: [(String, String?, CertificateDates.Need)] = [
            ("mqtt.tls.ca_file", mqtt.tls?.caFile, .any),
            ("mqtt.tls.certificate_file", mqtt.tls?.certificateFile, .all),
            ("page.certificate_file", page.listen == nil ? nil : page.certificateFile, .all),
            ("webhook.ca_file", webhook.server == nil ? nil : webhook.caFile, .any),
        ]
        return files.compactMap { key, file, need in
            file.map { Self.certificate(key, $0, need, below: root) }
        }
    }

    private static func certificate(
        _ key: String, _ file: String, _ need: CertificateDates.Need, below root: String
    ) -> CertificateStatus {
        do throws(CertificateDates.Failure) {
            let dates = try CertificateDates(path: root + file, need: need)
            return CertificateStatus(key: key, file: file, begin: dates.begin, end: dates.end)
        } catch {
            return CertificateStatus(key: key, file: file, isUnreadable: error == .unreadable ? true : nil)
        }
    }
}
