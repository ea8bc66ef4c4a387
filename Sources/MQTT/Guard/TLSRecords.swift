// SPDX-License-Identifier: Apache-2.0

/// Finds the ends of the records in a TLS stream; the rest of TLS is unreadable without the keys. RFC 8446, 5.1.
struct TLSRecords: Sendable {
    private static let headerLength = 5

    /// Octets of the record's header so far.
    private var header: [UInt8] = []
    /// Octets that the record still lacks, once its header is complete.
    private var remaining = 0

    /// How many of the next octets may be handed on together: the octets to the end of the record, or all of them.
    mutating func next(_ octets: ArraySlice<UInt8>) -> Int {
        var count = 0
        if remaining == 0 {
            let missing = octets.prefix(Self.headerLength - header.count)
            header.append(contentsOf: missing)
            count = missing.count
            guard header.count == Self.headerLength else { return count }
            // OpenSSL ends the connection over a record with a forbidden length.
            remaining = Int(header[3]) << 8 | Int(header[4])
            header.removeAll(keepingCapacity: true)
        }
        let body = min(remaining, octets.count - count)
        remaining -= body
        return count + body
    }
}
