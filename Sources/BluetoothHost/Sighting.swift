// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// What was last heard of one device.
struct Sighting: Sendable {
    /// What to do after an advertisement.
    enum Next {
        case deliver
        /// Wait for the scan response, and look again later.
        case queue
        /// More of the advertisement has to come, or it is queued already.
        case hold
    }

    let address: DeviceAddress
    private(set) var data: [UInt8] = []
    private(set) var scanResponse: [UInt8] = []
    private(set) var rssi: Int8 = 127
    private(set) var isConnectable = false
    private(set) var facts = AdvertisingFacts()
    private(set) var hasScanResponse = false
    private(set) var lastSeen = MonotonicTime.zero
    /// Parts of an extended advertisement, or of its scan response, are still to come.
    private var isPartial = false
    private var isResponsePartial = false
    /// The advertisement is held back until its scan response comes.
    var isWaiting = false
    /// It is in the queue of those that wait: at most one entry a device.
    var isQueued = false
    /// Who was told of the device, and who was told with its scan response.
    var told: ClientSet = []
    var toldWithResponse: ClientSet = []

    init(address: DeviceAddress) { self.address = address }

    mutating func takeAdvertisement(_ report: AdvertisingReport, _ octets: RawSpan, at now: MonotonicTime) -> Next {
        // Parts of two sets of one advertiser may come in turns: the newer one counts.
        if report.facts.setID != facts.setID { isPartial = false }
        facts = report.facts
        if !isPartial { data.removeAll(keepingCapacity: true) }
        if data.count + octets.byteCount <= ScanMachine.maximumDataLength {
            octets.withUnsafeBytes { data.append(contentsOf: $0) }
        }
        isPartial = report.properties.contains(.incomplete)
        if !report.properties.contains(.legacy), !report.properties.contains(.scannable) {
            // An extended advertiser that was scannable before is so no more: its scan response is out of date.
            (scanResponse, hasScanResponse, isResponsePartial) = ([], false, false)
        }
        rssi = report.rssi
        isConnectable = report.properties.contains(.connectable)
        lastSeen = now
        if isPartial { return .hold }
        isWaiting = report.properties.contains(.scannable) && !hasScanResponse
        guard isWaiting else { return .deliver }
        guard !isQueued else { return .hold }
        isQueued = true
        return .queue
    }

    /// True when the scan response is worth telling at once.
    mutating func takeResponse(_ report: AdvertisingReport, _ octets: RawSpan, at now: MonotonicTime) -> Bool {
        let isNews = isWaiting || !hasScanResponse
        if !isResponsePartial { scanResponse.removeAll(keepingCapacity: true) }
        if scanResponse.count + octets.byteCount <= ScanMachine.maximumDataLength {
            octets.withUnsafeBytes { scanResponse.append(contentsOf: $0) }
        }
        isResponsePartial = report.properties.contains(.incomplete)
        lastSeen = now
        if isResponsePartial { return false }
        hasScanResponse = true
        return isNews
    }
}
