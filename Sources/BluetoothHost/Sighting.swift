// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// What was last heard of one device.
struct Sighting: Sendable {
    /// What to do after an advertisement.
    enum Next {
        case deliver
        /// Wait for the scan response, and look again later.
        case wait
        /// More of the advertisement has to come.
        case hold
    }

    let address: DeviceAddress
    private(set) var data: [UInt8] = []
    private(set) var scanResponse: [UInt8] = []
    private(set) var rssi: Int8 = 127
    private(set) var isConnectable = false
    private(set) var facts = AdvertisingFacts()
    private(set) var hasScanResponse = false
    private var respondedAt = MonotonicTime.zero
    /// What a scan response said longer ago is no part of an advertisement of now.
    static let responseLife: Duration = .seconds(30)
    private(set) var lastSeen = MonotonicTime.zero
    /// What came so far of advertisements and scan responses whose rest is still to come. An advertiser with several sets
    /// may have several of them under way.
    private var partials: [UInt8: [UInt8]] = [:]
    private static let partialsLimit = 4
    /// Octets of memory that are worth keeping for another device: a legacy advertisement's, and not the longest one's.
    private static let keptOctets = 64
    /// The advertisement is held back until its scan response comes.
    var isWaiting = false
    /// Until when its scan response is waited for, if it is.
    var responseDue = MonotonicTime.zero
    /// Who was told of the device, and who was told with its scan response.
    var told: ClientSet = []
    var toldWithResponse: ClientSet = []

    init(address: DeviceAddress) { self.address = address }

    /// In the memory of another device's octets: among strangers, each advertisement is somebody else's.
    init(address: DeviceAddress, inPlaceOf old: inout Sighting) {
        self.init(address: address)
        guard old.data.capacity <= Self.keptOctets else { return }
        swap(&data, &old.data)
        data.removeAll(keepingCapacity: true)
    }

    mutating func takeAdvertisement(_ report: AdvertisingReport, _ octets: RawSpan, at now: MonotonicTime) -> Next {
        rssi = report.rssi
        lastSeen = now
        guard Self.assemble(report, octets, &partials, into: &data) else { return .hold }
        facts = report.facts
        isConnectable = report.properties.contains(.connectable)
        if hasScanResponse, now - respondedAt > Self.responseLife {
            (scanResponse, hasScanResponse) = ([], false)
        } else if !report.properties.contains(.legacy), !report.properties.contains(.scannable) {
            // An extended advertiser that was scannable before is so no more: its scan response is out of date.
            (scanResponse, hasScanResponse) = ([], false)
        }
        isWaiting = report.properties.contains(.scannable) && !hasScanResponse
        return isWaiting ? .wait : .deliver
    }

    /// True when the scan response is worth telling at once.
    mutating func takeResponse(_ report: AdvertisingReport, _ octets: RawSpan, at now: MonotonicTime) -> Bool {
        lastSeen = now
        let isNews = isWaiting || !hasScanResponse
        guard Self.assemble(report, octets, &partials, into: &scanResponse) else { return false }
        hasScanResponse = true
        respondedAt = now
        return isNews
    }

    /// Puts the parts of a report together; true when it is whole.
    private static func assemble(
        _ report: AdvertisingReport, _ octets: RawSpan, _ partials: inout [UInt8: [UInt8]], into place: inout [UInt8]
    ) -> Bool {
        let isIncomplete = report.properties.contains(.incomplete)
        if !isIncomplete, partials.isEmpty {
            octets.withUnsafeBytes { octets in
                // As long as the last one, as most are.
                if place.count == octets.count {
                    place.withUnsafeMutableBytes { $0.copyMemory(from: octets) }
                } else {
                    place.removeAll(keepingCapacity: true)
                    place.append(contentsOf: octets)
                }
            }
            return true
        }
        let key = (report.facts.setID ?? 0x10) | (report.properties.contains(.scanResponse) ? 0x20 : 0)
        var whole = partials.removeValue(forKey: key) ?? []
        if whole.count + octets.byteCount <= ScanMachine.maximumDataLength {
            octets.withUnsafeBytes { whole.append(contentsOf: $0) }
        }
        guard isIncomplete else {
            place = whole
            return true
        }
        if partials.count >= partialsLimit { partials = [:] }
        partials[key] = whole
        return false
    }
}
