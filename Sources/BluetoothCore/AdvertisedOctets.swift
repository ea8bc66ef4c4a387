// SPDX-License-Identifier: Apache-2.0

/// The octets of one advertisement and of the scan response that belongs to it, for people who look at a device that nobody here
/// understands. Each is one data by itself: no AD structure goes on from the one into the other.
package struct AdvertisedOctets: Equatable, Sendable {
    package let advertisement: [UInt8]
    /// Empty where there was none.
    package let scanResponse: [UInt8]

    package init(advertisement: [UInt8], scanResponse: [UInt8] = []) {
        (self.advertisement, self.scanResponse) = (advertisement, scanResponse)
    }

    /// - Parameters:
    ///   - octets: The advertisement, and the scan response behind it.
    ///   - responseAt: How many of the octets are the advertisement's.
    package init(_ octets: RawSpan, responseAt: Int) {
        let border = min(max(0, responseAt), octets.byteCount)
        advertisement = octets.array(0..<border)
        scanResponse = octets.array(border..<octets.byteCount)
    }
}
