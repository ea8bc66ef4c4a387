// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Glibc

/// The gateway's own page and its metrics: the `[page]` table.
package struct PageConfiguration: Equatable, Sendable {
    /// `HOST:PORT`; nil serves nothing.
    package var listen: String?
    /// Names of the page in requests, beside the names of this machine; lower case.
    package var hosts: [String] = []
    /// The password of the page; nil admits everybody who reaches this machine's own address.
    package var password: Secret?
    package var passwordFile: String?
    /// The token for the metrics alone; nil: no token.
    package var metricsToken: Secret?
    package var metricsTokenFile: String?
    /// The page's certificate and its key, in PEM; nil: no TLS, or a certificate made by the gateway.
    package var certificateFile: String?
    package var keyFile: String?

    package init() {}

    package var address: PageAddress? { listen.flatMap { PageAddress($0) } }

    /// The page's address for people in the same network; nil for a page on the loopback interface.
    package var url: String? {
        guard let address, !address.isLoopback else { return nil }
        let isAny = address.host == "0.0.0.0" || address.host == "::"
        let host = hosts.first ?? (isAny ? Self.machine : address.isOfVersion6 ? "[\(address.host)]" : address.host)
        return host.map { "https://\($0):\(address.port)/" }
    }

    /// The machine's name in its network, by multicast DNS; nil for a name with characters outside of URLs.
    private static var machine: String? {
        var octets = [CChar](repeating: 0, count: 256)
        guard gethostname(&octets, octets.count - 1) == 0 else { return nil }
        let name = String(decoding: octets.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let isName =
            !name.isEmpty && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-.".contains($0)) }
        return isName ? (name.contains(".") ? name : name + ".local") : nil
    }
}

/// The address of the page: an address of this machine, not a name.
package struct PageAddress: Equatable, Sendable {
    /// Without brackets.
    package var host: String
    package var port: UInt16

    /// From `127.0.0.1:8080`, `[::1]:8080` or `localhost:8080`; nil for anything else.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0
        else { return nil }
        var host = text[..<colon]
        if host == "localhost" { host = "127.0.0.1" }
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        if isBracketed { host = host.dropFirst().dropLast() }
        guard Self.isAddress(String(host), isBracketed ? AF_INET6 : AF_INET) else { return nil }
        (self.host, self.port) = (String(host), port)
    }

    package var isLoopback: Bool { host.hasPrefix("127.") || host == "::1" }

    package var isOfVersion6: Bool { host.contains(":") }

    /// Whether a text is an address of IPv4 or IPv6, and no name.
    package static func isAddress(_ text: String, _ family: Int32) -> Bool {
        var octets = in6_addr()
        return inet_pton(family, text, &octets) == 1
    }
}
