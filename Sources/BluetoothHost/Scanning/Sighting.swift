// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// The last sighting of a device.
struct Sighting: Sendable {
    /// The next step after an advertisement.
    enum Next {
        case deliver
        /// Wait for the scan response, and look again later.
        case wait
        /// More fragments of the advertisement have to come.
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
    /// An older scan response no longer belongs to the present advertisement.
    static let responseLife: Duration = .seconds(30)
    private(set) var lastSeen = MonotonicTime.zero
    /// Fragments of advertisements and scan responses whose rest is still to come. An advertiser with several sets may
    /// have several of them under way.
    private var partials: [UInt8: [UInt8]] = [:]
    private static let partialsLimit = 4
    /// Memory worth keeping for another device, in octets: enough for a legacy advertisement, but not for the longest
    /// advertisement.
    private static let keptOctets = 64
    /// The advertisement is held back until its scan response comes.
    var isWaiting = false
    /// The end of the wait for the scan response, during a wait.
    var responseDue = MonotonicTime.zero
    /// The device's octets have changed, and the clients to tell are not determined yet. Kept while a client wants
    /// reports of changes.
    var hasChanged = false
    /// Clients that have not heard of the last change yet.
    var owed: ClientSet = []
    /// Clients that were told of the device, and clients that were told with its scan response.
    var told: ClientSet = []
    var toldWithResponse: ClientSet = []

    init(address: DeviceAddress) { self.address = address }

    /// Reuses the memory of another device's octets: among strangers, each advertisement is from a new device.
    init(address: DeviceAddress, inPlaceOf old: inout Sighting) {
        self.init(address: address)
        guard old.data.capacity <= Self.keptOctets else { return }
        swap(&data, &old.data)
        data.removeAll(keepingCapacity: true)
    }

    mutating func receiveAdvertisement(
        _ report: AdvertisingReport, _ octets: RawSpan, at now: MonotonicTime, comparing: Bool
    ) -> Next {
        rssi = report.rssi
        lastSeen = now
        switch Self.assemble(report, octets, &partials, into: &data, comparing: comparing) {
        case .partial: return .hold
        case .other: hasChanged = true
        case .whole: break
        }
        facts = report.facts
        isConnectable = report.properties.contains(.connectable)
        if hasScanResponse, now - respondedAt > Self.responseLife {
            (scanResponse, hasScanResponse) = ([], false)
        } else if !report.properties.contains(.legacy), !report.properties.contains(.scannable) {
            // An extended advertiser that is no longer scannable: its scan response is out of date.
            (scanResponse, hasScanResponse) = ([], false)
        }
        isWaiting = report.properties.contains(.scannable) && !hasScanResponse
        return isWaiting ? .wait : .deliver
    }

    /// True if the scan response is worth telling at once.
    mutating func receiveResponse(
        _ report: AdvertisingReport, _ octets: RawSpan, at now: MonotonicTime, comparing: Bool
    ) -> Bool {
        lastSeen = now
        var isNews = isWaiting || !hasScanResponse
        switch Self.assemble(report, octets, &partials, into: &scanResponse, comparing: comparing) {
        case .partial: return false
        case .other where hasScanResponse: (hasChanged, isNews) = (true, true)
        case .other, .whole: break
        }
        hasScanResponse = true
        respondedAt = now
        return isNews
    }

    private enum Assembly {
        case partial
        case whole
        /// The report is whole, and differs from the last report.
        case other
    }

    /// Puts the parts of a report together. `comparing`: compares with the last report. Without the comparison, the
    /// reports count as equal.
    private static func assemble(
        _ report: AdvertisingReport, _ octets: RawSpan, _ partials: inout [UInt8: [UInt8]], into place: inout [UInt8],
        comparing: Bool
    ) -> Assembly {
        let isIncomplete = report.properties.contains(.incomplete)
        if !isIncomplete, partials.isEmpty {
            return octets.withUnsafeBytes { octets in
                // Most reports are as long as the last report.
                guard place.count == octets.count else {
                    place.removeAll(keepingCapacity: true)
                    place.append(contentsOf: octets)
                    return comparing ? .other : .whole
                }
                return place.withUnsafeMutableBytes { place in
                    let isOther = comparing && !place.elementsEqual(octets)
                    place.copyMemory(from: octets)
                    return isOther ? .other : .whole
                }
            }
        }
        let key = (report.facts.setID ?? 0x10) | (report.properties.contains(.scanResponse) ? 0x20 : 0)
        var whole = partials.removeValue(forKey: key) ?? []
        // Data beyond the limit is cut. If a fragment were left out, the next fragment would begin inside a structure.
        let room = max(0, ScanMachine.maximumDataLength - whole.count)
        octets.withUnsafeBytes { whole.append(contentsOf: $0.prefix(room)) }
        guard isIncomplete else {
            let isOther = comparing && place != whole
            place = whole
            return isOther ? .other : .whole
        }
        if partials.count >= partialsLimit { partials = [:] }
        partials[key] = whole
        return .partial
    }
}
