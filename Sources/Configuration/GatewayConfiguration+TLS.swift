// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Glibc
import MQTT
import Publisher

extension GatewayConfiguration {
    static func checkTLS(_ reader: inout ConfigurationReader, environment: [String: String]) {
        if reader.configuration.tls.isEnabled { findCredentials(&reader, environment: environment) }
        let tls = reader.configuration.tls
        if (tls.options.certificateFile == nil) != (tls.options.keyFile == nil) {
            let (given, missing) =
                tls.options.keyFile == nil ? ("certificate_file", "key_file") : ("key_file", "certificate_file")
            let message = "mqtt.tls.\(given) is given without mqtt.tls.\(missing)"
            reader.fail(reader.issue(at: ["mqtt", "tls", given], message))
        }
        if tls.isEnabled {
            reader.update { $0.mqtt.tls = tls.options }
        } else if let key = ["ca_file", "certificate_file", "key_file", "server_name"].first(where: {
            reader.has(["mqtt", "tls", $0])
        }) {
            // The reader does not guess whether passwords may go in the clear.
            let message = "mqtt.tls.\(key) is given, but mqtt.tls.enabled is not true"
            reader.fail(reader.issue(at: ["mqtt", "tls", key], message))
        }
    }

    /// Takes credentials from systemd for files that the configuration does not name (systemd.exec(5),
    /// LoadCredential=).
    private static func findCredentials(_ reader: inout ConfigurationReader, environment: [String: String]) {
        guard let folder = environment["CREDENTIALS_DIRECTORY"] else { return }
        func path(_ name: String) -> String? {
            let path = folder + "/" + name
            return FileManager.default.fileExists(atPath: path) ? path : nil
        }
        let options = reader.configuration.tls.options
        if options.caFile == nil, let file = path("mqtt.ca") { reader.update { $0.tls.options.caFile = file } }
        if options.certificateFile == nil, options.keyFile == nil, let certificate = path("mqtt.certificate"),
            let key = path("mqtt.key")
        {
            reader.update {
                $0.tls.options.certificateFile = certificate
                $0.tls.options.keyFile = key
            }
        }
    }

    /// The fault of the files of `[mqtt.tls]`, as far as it shows without a broker.
    static func tlsFileIssue(in reader: ConfigurationReader) -> ConfigurationIssue? {
        guard let options = reader.configuration.mqtt.tls else { return nil }
        let files = [
            ("ca_file", options.caFile), ("certificate_file", options.certificateFile), ("key_file", options.keyFile),
        ]
        for (key, file) in files {
            guard let file, let reason = unreadable(file) else { continue }
            return reader.issue(at: ["mqtt", "tls", key], "mqtt.tls.\(key) \(quoted(file)): \(reason)")
        }
        return TLSContext.fault(in: options).map { reader.issue(at: ["mqtt", "tls", $0.key], $0.text) }
    }

    /// Why a file cannot be read; nil if it can.
    static func unreadable(_ file: String) -> String? {
        var information = stat()
        // stat before open: to open a pipe would wait for its writer.
        guard stat(file, &information) == 0 else {
            return errno == ENOENT ? "there is no such file" : String(cString: strerror(errno))
        }
        guard information.st_mode & S_IFMT == S_IFREG else { return "is no regular file" }
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "cannot be read: \(String(cString: strerror(errno)))" }
        close(descriptor)
        return nil
    }
}
