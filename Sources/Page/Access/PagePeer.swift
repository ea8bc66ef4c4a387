// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The sender of a request, for the count of wrong passwords. All addresses that a host can choose freely are one peer.
enum PagePeer {
    static let loopback = "this machine"

    /// - Parameter address: Numeric, from the library; any other text is a peer of its own.
    static func network(of address: String) -> String {
        var version4 = in_addr()
        if inet_pton(AF_INET, address, &version4) == 1 {
            return withUnsafeBytes(of: version4) { network(ofVersion4: Array($0)) }
        }
        var version6 = in6_addr()
        // A zone names our own interface, not the peer.
        guard inet_pton(AF_INET6, String(address.prefix { $0 != "%" }), &version6) == 1 else { return address }
        let octets = withUnsafeBytes(of: version6) { Array($0) }
        if octets.dropLast().allSatisfy({ $0 == 0 }), octets.last == 1 { return loopback }
        // ::ffff:0:0/96 (RFC 4291, 2.5.5.2).
        let isMapped = octets.prefix(10).allSatisfy { $0 == 0 } && octets[10...11].allSatisfy { $0 == 0xFF }
        if isMapped { return network(ofVersion4: Array(octets[12...])) }
        // A site has a /56 (RFC 6177), sometimes more.
        return octets.prefix(7).map { String($0, radix: 16) }.joined(separator: ":") + "/56"
    }

    private static func network(ofVersion4 octets: [UInt8]) -> String {
        octets.first == 127 ? loopback : octets.map(String.init).joined(separator: ".")
    }
}
