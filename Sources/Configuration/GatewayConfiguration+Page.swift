// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation

extension GatewayConfiguration {
    /// Reads the page's password, and refuses a page that is open to the network without a password.
    static func checkPage(_ reader: inout ConfigurationReader, environment: [String: String]) {
        let page = reader.configuration.page
        func issue(_ key: String, _ text: String) -> ConfigurationIssue { reader.issue(at: ["page", key], text) }
        if (page.certificateFile == nil) != (page.keyFile == nil) {
            let (given, missing) =
                page.keyFile == nil ? ("certificate_file", "key_file") : ("key_file", "certificate_file")
            reader.fail(issue(given, "page.\(given) is given without page.\(missing)"))
        }
        readPagePassword(&reader, environment: environment)
        readMetricsToken(&reader, environment: environment)
        let configuration = reader.configuration.page
        guard let address = configuration.address, !address.isLoopback, configuration.password == nil,
            configuration.passwordFile == nil
        else { return }
        reader.fail(
            issue(
                "listen",
                "page.listen \(quoted(configuration.listen ?? "")) is open to the network, so that it needs a password: "
                    + "write password_file = \"/etc/martlet/credentials/page.password\" below [page]"))
    }

    /// The fault of the page's certificate or key file, as far as it shows before use.
    static func pageFileIssue(in reader: ConfigurationReader) -> ConfigurationIssue? {
        let page = reader.configuration.page
        for (key, file) in [("certificate_file", page.certificateFile), ("key_file", page.keyFile)] {
            guard let file, let reason = unreadable(file) else { continue }
            return reader.issue(at: ["page", key], "page.\(key) \(quoted(file)): \(reason)")
        }
        return nil
    }

    /// Octets of the shortest token: a guess must be hopeless.
    private static let shortestToken = 16

    private static func readMetricsToken(_ reader: inout ConfigurationReader, environment: [String: String]) {
        guard reader.foreign == nil else { return }
        let page = reader.configuration.page
        let text: String
        if let file = page.metricsTokenFile {
            switch contents(of: file) {
            case .success(let contents): text = contents
            case .failure(let issue):
                let message = "page.metrics_token_file \(quoted(file)): \(issue.reason)"
                return reader.fail(reader.issue(at: ["page", "metrics_token_file"], message))
            }
        } else if page.listen != nil, let folder = environment["CREDENTIALS_DIRECTORY"],
            case .success(let contents) = contents(of: folder + "/page.metrics_token")
        {
            text = contents
        } else {
            return
        }
        let token = secret(in: text)
        guard token.revealed.utf8.count >= shortestToken, token.revealed != page.password?.revealed else {
            let message =
                "the metrics' token has to have \(shortestToken) characters or more, and to be another than the page's password"
            return reader.fail(reader.issue(at: ["page", "metrics_token_file"], message))
        }
        reader.update { $0.page.metricsToken = token }
    }

    private static func readPagePassword(_ reader: inout ConfigurationReader, environment: [String: String]) {
        let page = reader.configuration.page
        if page.password != nil, page.passwordFile != nil {
            reader.fail(
                reader.issue(
                    at: ["page", "password"], "page.password and page.password_file are both given; keep one"))
            return
        }
        let text: String
        if let file = page.passwordFile {
            guard reader.foreign == nil else { return }
            switch contents(of: file) {
            case .success(let contents): text = contents
            case .failure(let issue):
                reader.fail(
                    reader.issue(
                        at: ["page", "password_file"], "page.password_file \(quoted(file)): \(issue.reason)"))
                return
            }
        } else if page.password == nil, page.listen != nil, let folder = environment["CREDENTIALS_DIRECTORY"],
            case .success(let contents) = contents(of: folder + "/page.password")
        {
            text = contents
        } else {
            return
        }
        let password = secret(in: text)
        guard password.revealed.utf8.count >= 8 else {
            reader.fail(
                reader.issue(
                    at: ["page", "password_file"], "the page's password has fewer than 8 octets in its file"))
            return
        }
        reader.update { $0.page.password = password }
    }
}
