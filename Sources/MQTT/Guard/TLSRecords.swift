// SPDX-License-Identifier: Apache-2.0

/// Where the records of a TLS stream end, which is all of TLS that can be read without its keys. RFC 8446, 5.1.
struct TLSRecords: Sendable {
    private static let headerLength = 5

    /// Octets of the record's header that have come.
    private var header: [UInt8] = []
    /// Octets of the record that are still to come, once its header is there.
    private var remaining = 0

    /// How many of the next octets may be handed on together: to the end of the record, or all of them.
    mutating func next(_ octets: ArraySlice<UInt8>) -> Int {
        var count = 0
        if remaining == 0 {
            let missing = octets.prefix(Self.headerLength - header.count)
            header.append(contentsOf: missing)
            count = missing.count
            guard header.count == Self.headerLength else { return count }
            // Of a length that no record may have OpenSSL makes an end.
            remaining = Int(header[3]) << 8 | Int(header[4])
            header.removeAll(keepingCapacity: true)
        }
        let body = min(remaining, octets.count - count)
        remaining -= body
        return count + body
    }
}
