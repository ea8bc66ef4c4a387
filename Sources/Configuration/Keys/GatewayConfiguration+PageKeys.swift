// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Glibc

/// The keys of `[page]`.
extension GatewayConfiguration {
    static let pageSection = ConfigurationSection<GatewayConfiguration>(
        path: ["page"], help: "The gateway's own page, and its metrics for Prometheus.", effect: .restart,
        keys: [
            .text(
                "listen", \.page.listen, check: listenComplaint,
                "Serve both here: `127.0.0.1:8080` for this machine alone, `0.0.0.0:8443` for everybody, with TLS and a "
                    + "password."),
            .list(
                "hosts", \.page.hosts, of: "list of names", parse: pageHost,
                "Names under which the page is asked for, beside those of this machine; requests for others are refused."
            ),
            .secret(
                "password", \.page.password, check: pagePasswordComplaint,
                "The visitors' password, at least 8 characters; better kept in a file of its own, see "
                    + "`password_file`."),
            .text(
                "password_file", \.page.passwordFile, check: pathComplaint,
                "File whose first line is the password. Without it `$CREDENTIALS_DIRECTORY/page.password` is used where "
                    + "it exists."),
            .text(
                "metrics_token_file", \.page.metricsTokenFile, check: pathComplaint,
                "File whose first line is a token of 16 characters or more. A program with the token, as `Authorization: Bearer …`, reads "
                    + "`/metrics` and nothing else. Without it `$CREDENTIALS_DIRECTORY/page.metrics_token` is used where it exists."
            ),
            .text(
                "certificate_file", \.page.certificateFile, check: pathComplaint,
                "The page's certificate, in PEM, with those that it depends on; together with `key_file`. Beyond this "
                    + "machine the gateway makes one of its own where none is given."),
            .text("key_file", \.page.keyFile, check: pathComplaint, "The key of that certificate, in PEM."),
        ])
}

@Sendable private func pageHost(_ text: String) throws(InvalidValue) -> String {
    let isName =
        (1...253).contains(text.utf8.count)
        && text.utf8.allSatisfy { isalnum(Int32($0)) != 0 && $0 < 0x80 || $0 == 0x2D || $0 == 0x2E }
    guard isName else { throw InvalidValue("holds \(quoted(text)); wanted is a name like \"gateway.example.org\"") }
    return text.lowercased()
}

private func listenComplaint(_ text: String) -> String? {
    PageAddress(text) != nil
        ? nil : "is \(quoted(text)); wanted is an address and a port, like \"127.0.0.1:8080\" or \"[::1]:8080\""
}

/// The text does not repeat the password.
private func pagePasswordComplaint(_ text: String) -> String? {
    (8...1024).contains(text.utf8.count) ? nil : "has \(text.utf8.count) octets; wanted are 8 to 1024"
}
