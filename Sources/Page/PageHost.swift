// SPDX-License-Identifier: Apache-2.0

import Configuration
import Gateway
import Glibc

/// The `Host` of a request (RFC 9110, 7.2), read so strictly that no two programs understand it differently. A form
/// that browsers never send is refused, even if the grammar allows it.
struct PageHost: Equatable, Sendable {
    enum Kind: Equatable, Sendable { case name, version4, version6 }

    /// In lower case, without brackets.
    var name: String
    var kind: Kind
    /// nil: the default port of the scheme.
    var port: UInt16?

    /// From `attic`, `attic.local:8080`, `192.0.2.7` or `[::1]:8080`; nil for anything else.
    init?(_ text: String) {
        var rest = Substring(text)
        if rest.first == "[" {
            guard let end = rest.firstIndex(of: "]") else { return nil }
            let inner = String(rest[rest.index(after: rest.startIndex)..<end])
            guard PageAddress.isAddress(inner, AF_INET6) else { return nil }
            (name, kind) = (inner.lowercased(), .version6)
            rest = rest[rest.index(after: end)...]
        } else {
            let host = rest.prefix { $0 != ":" }
            guard let kind = Self.kind(of: host) else { return nil }
            (name, self.kind) = (host.lowercased(), kind)
            rest = rest[host.endIndex...]
        }
        guard !rest.isEmpty else { return }
        guard rest.first == ":", let port = Self.port(rest.dropFirst()) else { return nil }
        self.port = port
    }

    /// Labels of letters, digits, hyphens and underscores, separated by points, or four numbers.
    private static func kind(of host: Substring) -> Kind? {
        if PageAddress.isAddress(String(host), AF_INET) { return .version4 }
        guard (1...253).contains(host.utf8.count) else { return nil }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        let areLabels = labels.allSatisfy { label in
            (1...63).contains(label.utf8.count)
                && label.utf8.allSatisfy { $0 < 0x80 && (isalnum(Int32($0)) != 0 || $0 == 0x2D || $0 == 0x5F) }
        }
        // A host with a number as its last label is an address, or tries to pass for one.
        guard areLabels, let last = labels.last, !last.allSatisfy(\.isNumber) else { return nil }
        return .name
    }

    private static func port(_ text: Substring) -> UInt16? {
        guard (1...5).contains(text.utf8.count), text.first != "0",
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return UInt16(text)
    }
}
