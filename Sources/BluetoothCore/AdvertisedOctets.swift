// SPDX-License-Identifier: Apache-2.0

/// The octets of one advertisement and of its scan response, for people who look at an unknown device. Each part stands
/// by itself: no AD structure continues from the advertisement into the scan response.
package struct AdvertisedOctets: Equatable, Sendable {
    package let advertisement: [UInt8]
    /// Empty without a scan response.
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
