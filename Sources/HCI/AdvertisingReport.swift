// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The fields of an extended report beside address, strength and data.
public struct AdvertisingFacts: Equatable, Sendable {
    /// The PHY of the announcement: LE 1M or LE Coded.
    public var primaryPHY = LEPHY.le1M
    /// The PHY of the data; nil: the data is in the announcement itself.
    public var secondaryPHY: LEPHY?
    /// 0…15; nil: the report has no set.
    public var setID: UInt8?
    /// dBm; nil when not given.
    public var txPower: Int8?
    /// Interval of the periodic advertising, N × 1.25 ms, 6…65,535; nil: there is no periodic advertising.
    public var periodicInterval: UInt16?

    public init() {}
}

/// One report of an LE Advertising Report or LE Extended Advertising Report event, read in place: a busy room sends
/// thousands a second. Core 5.4, Vol 4, Part E, 7.7.65.2 and 7.7.65.13.
public struct AdvertisingReport: Equatable, Sendable {
    /// Event_Type of the extended event; legacy types are mapped to it.
    public struct Properties: OptionSet, Sendable {
        public let rawValue: UInt16
        public init(rawValue: UInt16) { self.rawValue = rawValue }

        public static let connectable = Self(rawValue: 1 << 0)
        public static let scannable = Self(rawValue: 1 << 1)
        public static let directed = Self(rawValue: 1 << 2)
        public static let scanResponse = Self(rawValue: 1 << 3)
        public static let legacy = Self(rawValue: 1 << 4)
        /// More data of the same advertisement follows in another report.
        public static let incomplete = Self(rawValue: 1 << 5)
        /// The controller gave up on the rest of the data.
        public static let truncated = Self(rawValue: 1 << 6)
    }

    public let properties: Properties
    public private(set) var address: DeviceAddress
    /// The controller has found this address in its resolving list, behind a private address.
    public let isResolved: Bool
    /// dBm; 127 when not available.
    public let rssi: Int8
    /// The advertising data, as offsets into the octets that were read.
    public let data: Range<Int>
    public let facts: AdvertisingFacts

    /// This report with the identity address in place of the private address that stands for it.
    public func identified(as identity: DeviceAddress) -> AdvertisingReport {
        var report = self
        report.address = identity
        return report
    }

    /// Nil for types of later specifications.
    private static func properties(legacyType type: UInt8) -> Properties? {
        switch type {
        case 0x00: [.connectable, .scannable, .legacy]  // ADV_IND
        case 0x01: [.connectable, .directed, .legacy]  // ADV_DIRECT_IND
        case 0x02: [.scannable, .legacy]  // ADV_SCAN_IND
        case 0x03: [.legacy]  // ADV_NONCONN_IND
        case 0x04: [.scannable, .scanResponse, .legacy]  // SCAN_RSP
        default: nil
        }
    }

    /// Calls `body` for each report of a whole H4 packet that holds LE Meta with subevent 0x02 or 0x0D.
    package static func forEach(in packet: RawSpan, _ body: (AdvertisingReport) -> Void) throws(DecodeError) {
        guard packet.byteCount >= 5 else { throw .truncated(field: "Num_Reports") }
        let extended = LESubeventCode(rawValue: packet.u8(at: 3)) == .extendedAdvertisingReport
        var offset = 5
        for _ in 0..<packet.u8(at: 4) {
            let report = try extended ? readExtended(packet, &offset) : readLegacy(packet, &offset)
            if let report { body(report) }
        }
    }

    private static func readLegacy(
        _ packet: RawSpan, _ offset: inout Int
    ) throws(DecodeError) -> AdvertisingReport? {
        guard packet.byteCount >= offset + 9 else { throw .truncated(field: "Data_Length") }
        let properties = properties(legacyType: packet.u8(at: offset))
        let kind = packet.u8(at: offset + 1)
        let address = DeviceAddress(kind: kind & 1 == 0 ? .public : .random, value: packet.u48(at: offset + 2))
        let start = offset + 9
        let end = start + Int(packet.u8(at: offset + 8))
        guard packet.byteCount > end else { throw .truncated(field: "RSSI") }
        offset = end + 1
        // An unknown event type is no error of the whole event.
        guard let properties else { return nil }
        return AdvertisingReport(
            properties: properties, address: address, isResolved: kind & 2 != 0,
            rssi: Int8(bitPattern: packet.u8(at: end)), data: start..<end, facts: AdvertisingFacts())
    }

    private static func readExtended(
        _ packet: RawSpan, _ offset: inout Int
    ) throws(DecodeError) -> AdvertisingReport? {
        guard packet.byteCount >= offset + 24 else { throw .truncated(field: "Data_Length") }
        let properties = Properties(rawValue: packet.u16(at: offset) & 0x7F)
        let kind = packet.u8(at: offset + 2)
        let address = DeviceAddress(kind: kind & 1 == 0 ? .public : .random, value: packet.u48(at: offset + 3))
        let rssi = Int8(bitPattern: packet.u8(at: offset + 13))
        let start = offset + 24
        let end = start + Int(packet.u8(at: offset + 23))
        guard packet.byteCount >= end else { throw .truncated(field: "Data") }
        offset = end
        // 0xFF: an anonymous advertisement. It names no sender, so the report is of no use.
        guard kind != 0xFF else { return nil }
        let report = start - 24
        var facts = AdvertisingFacts()
        facts.primaryPHY = LEPHY(rawValue: packet.u8(at: report + 9)) ?? .le1M
        facts.secondaryPHY = LEPHY(rawValue: packet.u8(at: report + 10))
        facts.setID = packet.u8(at: report + 11) <= 0x0F ? packet.u8(at: report + 11) : nil
        let power = Int8(bitPattern: packet.u8(at: report + 12))
        facts.txPower = power == 127 ? nil : power
        let interval = packet.u16(at: report + 14)
        facts.periodicInterval = interval >= 6 ? interval : nil
        return AdvertisingReport(
            properties: properties, address: address, isResolved: kind & 2 != 0, rssi: rssi, data: start..<end,
            facts: facts)
    }
}
