// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// What one client wants to hear of.
package struct ScanDemand: Equatable, Sendable {
    /// Any of these services; nil: everything.
    package var services: Set<BluetoothUUID>?
    /// Or any of these solicited services.
    package var solicitedServices: Set<BluetoothUUID>
    /// Every advertisement instead of one a device.
    package var allowsDuplicates: Bool

    package init(
        services: Set<BluetoothUUID>?, solicitedServices: Set<BluetoothUUID> = [], allowsDuplicates: Bool = false
    ) {
        self.services = services
        self.solicitedServices = solicitedServices
        self.allowsDuplicates = allowsDuplicates
    }
}

/// Merges advertisements with scan responses, filters and coalesces them for each client.
///
/// The controller's own duplicate filter stays off: those tables are small and freeze the RSSI.
package struct ScanMachine: Sendable {
    /// Devices that are remembered at once.
    package static let capacity = 1024
    /// How long an advertisement waits for its scan response.
    package static let responseWait: Duration = .milliseconds(100)
    /// Octets of one advertisement. Core 5.4, Vol 6, Part B, 2.3.4.9.
    package static let maximumDataLength = 1650

    private struct Sighting {
        var data: [UInt8] = []
        var scanResponse: [UInt8] = []
        var rssi: Int8 = 127
        var isConnectable = false
        /// The advertisement is held back until its scan response comes.
        var isWaiting = false
        /// It is in ``waiting``: at most one entry a device.
        var isQueued = false
        /// Parts of an extended advertisement are still to come.
        var isPartial = false
        var lastSeen = MonotonicTime.zero
        var hasScanResponse = false
        /// Who was told of the device, and who was told with its scan response.
        var told: ClientSet = []
        var toldWithResponse: ClientSet = []
    }

    private var demands: [(client: ClientID, demand: ScanDemand)] = []
    private var sightings: [DeviceAddress: Sighting] = [:]
    private var waiting: [(address: DeviceAddress, until: MonotonicTime)] = []

    package init() {}

    package var hasDemand: Bool { !demands.isEmpty }

    /// When ``advance(to:into:)`` has to be called.
    package var deadline: MonotonicTime? { waiting.first?.until }

    /// Replaces what `client` wants; nil: nothing any more. A new demand hears of every device again.
    package mutating func set(_ demand: ScanDemand?, for client: ClientID) {
        demands.removeAll { $0.client == client }
        if let demand { demands.append((client, demand)) }
        for address in sightings.keys {
            sightings[address]?.told.remove(ClientSet(client))
            sightings[address]?.toldWithResponse.remove(ClientSet(client))
        }
        if demands.isEmpty { forget() }
    }

    package mutating func forget() {
        sightings.removeAll(keepingCapacity: true)
        waiting.removeAll()
    }

    /// When `address` was last heard.
    package func lastSeen(_ address: DeviceAddress) -> MonotonicTime? { sightings[address]?.lastSeen }

    package mutating func received(
        _ report: AdvertisingReport, in packet: RawSpan, at now: MonotonicTime, into batch: inout HostEventBatch
    ) {
        if sightings[report.address] == nil, sightings.count >= Self.capacity { evictOldest() }
        let data = packet.extracting(report.data)
        if report.properties.contains(.scanResponse) {
            receivedResponse(report, data, at: now, into: &batch)
        } else {
            receivedAdvertisement(report, data, at: now, into: &batch)
        }
    }

    private mutating func receivedAdvertisement(
        _ report: AdvertisingReport, _ data: RawSpan, at now: MonotonicTime, into batch: inout HostEventBatch
    ) {
        // The scan response of the previous advertisement never came.
        if sightings[report.address]?.isWaiting == true { deliver(report.address, into: &batch) }
        let isIncomplete = report.properties.contains(.incomplete)
        let mayBeAnswered = report.properties.contains(.scannable)
        let (deliverNow, queue) = Self.update(&sightings[report.address, default: Sighting()]) { sighting in
            if !sighting.isPartial { sighting.data.removeAll(keepingCapacity: true) }
            if sighting.data.count + data.byteCount <= Self.maximumDataLength {
                data.withUnsafeBytes { sighting.data.append(contentsOf: $0) }
            }
            sighting.isPartial = isIncomplete
            sighting.rssi = report.rssi
            sighting.isConnectable = report.properties.contains(.connectable)
            sighting.lastSeen = now
            guard !isIncomplete else { return (false, false) }
            sighting.isWaiting = mayBeAnswered && !sighting.hasScanResponse
            let queue = sighting.isWaiting && !sighting.isQueued
            if queue { sighting.isQueued = true }
            return (!sighting.isWaiting, queue)
        }
        if deliverNow { deliver(report.address, into: &batch) }
        if queue { waiting.append((report.address, now + Self.responseWait)) }
    }

    private mutating func receivedResponse(
        _ report: AdvertisingReport, _ data: RawSpan, at now: MonotonicTime, into batch: inout HostEventBatch
    ) {
        // A scan response alone says too little: its advertisement comes again soon.
        guard sightings[report.address] != nil else { return }
        let news = Self.update(&sightings[report.address, default: Sighting()]) { sighting in
            let isNews = sighting.isWaiting || !sighting.hasScanResponse
            sighting.scanResponse.removeAll(keepingCapacity: true)
            data.withUnsafeBytes { sighting.scanResponse.append(contentsOf: $0) }
            sighting.hasScanResponse = true
            sighting.lastSeen = now
            return isNews
        }
        if news { deliver(report.address, into: &batch) }
    }

    /// Delivers what has waited long enough for its scan response.
    package mutating func advance(to now: MonotonicTime, into batch: inout HostEventBatch) {
        guard let first = waiting.first, first.until <= now else { return }
        let due = waiting.prefix { $0.until <= now }
        waiting.removeFirst(due.count)
        for item in due {
            sightings[item.address]?.isQueued = false
            if sightings[item.address]?.isWaiting == true { deliver(item.address, into: &batch) }
        }
    }

    private mutating func deliver(_ address: DeviceAddress, into batch: inout HostEventBatch) {
        let demands = demands
        Self.update(&sightings[address, default: Sighting()]) { sighting in
            sighting.isWaiting = false
            var clients: ClientSet = []
            for (client, demand) in demands {
                let member = ClientSet(client)
                if !demand.allowsDuplicates {
                    let told = sighting.hasScanResponse ? sighting.toldWithResponse : sighting.told
                    guard !told.contains(member) else { continue }
                }
                guard Self.matches(demand, sighting) else { continue }
                sighting.told.insert(member)
                if sighting.hasScanResponse { sighting.toldWithResponse.insert(member) }
                clients.insert(member)
            }
            guard !clients.isEmpty else { return }
            batch.appendAdvertisement(
                address, isConnectable: sighting.isConnectable, rssi: sighting.rssi, data: sighting.data,
                scanResponse: sighting.scanResponse, for: clients)
        }
    }

    private static func matches(_ demand: ScanDemand, _ sighting: Sighting) -> Bool {
        guard let services = demand.services else { return true }
        return has(services, demand.solicitedServices, in: sighting.data)
            || has(services, demand.solicitedServices, in: sighting.scanResponse)
    }

    private static func has(
        _ services: Set<BluetoothUUID>, _ solicited: Set<BluetoothUUID>, in data: [UInt8]
    ) -> Bool {
        AdvertisingData(data).contains { structure in
            if let width = structure.type.serviceUUIDWidth {
                return structure.uuids(width: width).contains(where: services.contains)
            }
            if let width = structure.type.solicitedUUIDWidth {
                return structure.uuids(width: width).contains(where: solicited.contains)
            }
            return false
        }
    }

    private mutating func evictOldest() {
        // A quarter at a time, so that a flood of new addresses does not search the table for each.
        let oldest = sightings.sorted { $0.value.lastSeen < $1.value.lastSeen }.prefix(Self.capacity / 4)
        for (address, _) in oldest { sightings.removeValue(forKey: address) }
    }

    /// Changes a sighting where it is, without copying its octets.
    private static func update<Result>(_ sighting: inout Sighting, _ body: (inout Sighting) -> Result) -> Result {
        body(&sighting)
    }
}
