// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation

/// The server that is told of crossed limits: the `[webhook]` table.
package struct WebhookConfiguration: Equatable, Sendable {
    /// Beginning with `https://`; nil tells no server. Servers often tell their users apart by it: a secret.
    package var url: Secret?
    package var urlFile: String?
    /// `Name: value`; nil for no more header.
    package var header: Secret?
    package var headerFile: String?
    /// Certificates of the authorities to trust, in PEM; nil: those of the system.
    package var caFile: String?
    package var timeout: Duration = .seconds(15)

    package init() {}

    /// The name of the server, and its port where it is not 443; nil without a server. No secret.
    package var server: String? {
        url.map { url in
            let host = url.revealed.dropFirst(Self.scheme.count).prefix { !"/?#".contains($0) }
            return String(host.hasSuffix(":443") ? host.dropLast(4) : host)
        }
    }

    fileprivate static let scheme = "https://"
}

extension GatewayConfiguration {
    static let webhookSection = ConfigurationSection<GatewayConfiguration>(
        path: ["webhook"],
        help: "A server that is told of crossed limits over HTTPS; see [limits](limits.md#the-webhook).", effect: .live,
        keys: [
            .secret(
                "post_url", \.webhook.url, type: "string, `https://…`", check: webhookURLComplaint,
                "The address for a POST of each event. A secret, since addresses of webhooks often hold a key; better kept in a "
                    + "file of its own, see `post_url_file`."),
            .text(
                "post_url_file", \.webhook.urlFile, check: pathComplaint,
                "File whose first line is the address. Without this key, `$CREDENTIALS_DIRECTORY/webhook.url` is used, if "
                    + "present."),
            .secret(
                "header", \.webhook.header, type: "string, `Name: value`", check: webhookHeaderComplaint,
                "One more header of each POST, like `Authorization: Bearer …`; better kept in a file of its own, see "
                    + "`header_file`."),
            .text(
                "header_file", \.webhook.headerFile, check: pathComplaint,
                "File whose first line is that header. Without this key, `$CREDENTIALS_DIRECTORY/webhook.header` is used, if "
                    + "present."),
            .text(
                "ca_file", \.webhook.caFile, check: pathComplaint,
                "Certificates of the trusted authorities, in PEM; the system's when not given. The server's certificate is "
                    + "always checked."),
            .seconds(
                "timeout_s", \.webhook.timeout, 1...120,
                "Time limit of a POST, in seconds. A late POST is tried again."),
        ])

    /// Reads the secrets of `[webhook]` from their files.
    static func checkWebhook(_ reader: inout ConfigurationReader, environment: [String: String]) {
        let webhook = reader.configuration.webhook
        let folder = environment["CREDENTIALS_DIRECTORY"]
        if let url = secret(
            &reader, "post_url", webhook.url, webhook.urlFile, folder.map { $0 + "/webhook.url" }, webhookURLComplaint)
        {
            reader.update { $0.webhook.url = url }
        }
        let hasServer = reader.configuration.webhook.url != nil
        let credential = hasServer ? folder.map { $0 + "/webhook.header" } : nil
        if let header = secret(
            &reader, "header", webhook.header, webhook.headerFile, credential, webhookHeaderComplaint)
        {
            reader.update { $0.webhook.header = header }
        }
        guard !hasServer, webhook.urlFile == nil else { return }
        for key in ["header", "header_file", "ca_file"] where reader.has(["webhook", key]) {
            reader.fail(
                reader.issue(at: ["webhook", key], "webhook.\(key) is given without webhook.post_url or post_url_file"))
        }
    }

    /// The fault of the file with certificates, as far as it shows before use.
    static func webhookFileIssue(in reader: ConfigurationReader) -> ConfigurationIssue? {
        guard let file = reader.configuration.webhook.caFile, let reason = unreadable(file) else { return nil }
        return reader.issue(at: ["webhook", "ca_file"], "webhook.ca_file \(quoted(file)): \(reason)")
    }

    /// A secret from its file; nil where there is none, or where it is wrong.
    private static func secret(
        _ reader: inout ConfigurationReader, _ key: String, _ given: Secret?, _ file: String?, _ credential: String?,
        _ complaint: (String) -> String?
    ) -> Secret? {
        if given != nil, file != nil {
            reader.fail(
                reader.issue(
                    at: ["webhook", key], "webhook.\(key) and webhook.\(key)_file are both given; keep one"))
            return nil
        }
        guard let file else {
            guard given == nil, let credential, case .success(let text) = contents(of: credential) else { return nil }
            let found = secret(in: text)
            return complaint(found.revealed) == nil ? found : nil
        }
        guard reader.foreign == nil else { return nil }
        func fail(_ reason: String) {
            let message = "webhook.\(key)_file \(quoted(file)): \(reason)"
            reader.fail(reader.issue(at: ["webhook", "\(key)_file"], message))
        }
        switch secretContents(of: file) {
        case .failure(let issue): fail(issue.reason)
        case .success(let (text, isOpen)):
            if isOpen {
                reader.update {
                    $0.warnings.append(
                        "webhook.\(key)_file \(quoted(file)): others can read it; run chmod 600 on it")
                }
            }
            let found = secret(in: text)
            if let reason = complaint(found.revealed) { fail("its first line \(reason)") } else { return found }
        }
        return nil
    }
}

/// The texts do not repeat the secrets.
@Sendable private func webhookURLComplaint(_ text: String) -> String? {
    let isPlain = text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }
    guard text.hasPrefix(WebhookConfiguration.scheme), isPlain, text.utf8.count <= 2_048 else {
        return "is no URL of https, without spaces"
    }
    let authority = text.dropFirst(WebhookConfiguration.scheme.count).prefix { !"/?#".contains($0) }
    guard !authority.isEmpty else { return "names no server" }
    return authority.contains("@") ? "has a name or password before its server: put these into header" : nil
}

@Sendable private func webhookHeaderComplaint(_ text: String) -> String? {
    guard let colon = text.firstIndex(of: ":"), colon != text.startIndex, text.utf8.count <= 4_096 else {
        return "is no header; wanted is a name, a colon and a value, like Authorization: Bearer …"
    }
    let isName = text[..<colon].utf8.allSatisfy { octet in
        Character(UnicodeScalar(octet)).isLetter && octet < 0x80 || (0x30...0x39).contains(octet) || octet == 0x2D
            || octet == 0x5F
    }
    let isValue = text[colon...].utf8.allSatisfy { (0x20...0x7E).contains($0) }
    let value = text[text.index(after: colon)...].filter { $0 != " " }
    return isName && isValue && !value.isEmpty
        ? nil : "is no header: its name has letters, digits and -, its value printable characters of ASCII"
}
