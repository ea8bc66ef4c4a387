// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// The advertisements that a client wants.
package struct ScanDemand: Equatable, Sendable {
    /// Any of these services; nil: everything.
    package var services: Set<BluetoothUUID>?
    /// Or any of these solicited services.
    package var solicitedServices: Set<BluetoothUUID>
    /// Only devices with these addresses, whether public or random; nil: any.
    package var addresses: Set<UInt64>?
    /// Every advertisement instead of one per device.
    package var allowsDuplicates: Bool
    /// A device is reported again after a change of its advertisement, at most once in ``ScanMachine/changePause``.
    package var reportsChanges: Bool
    /// Only devices with the right flags. Other devices may be known already, but are not to be found.
    package var discoverability: Discoverability
    /// Listens without scan requests. Holds only while no other client needs scan responses.
    package var isPassive: Bool
    /// No user waits for results, so the host listens rarely. Holds only while no other client is in more of a hurry.
    package var isBackground: Bool

    /// Any device will do.
    var isForEverything: Bool { services == nil && addresses == nil && discoverability == .any }

    /// The Flags that a device must have. Core 5.4, Vol 3, Part C, 9.2.
    package enum Discoverability: Sendable {
        case any
        /// General or limited discoverable mode.
        case general
        /// Limited discoverable mode alone: a person has just pressed the device's button.
        case limited
    }

    package init(
        services: Set<BluetoothUUID>?, solicitedServices: Set<BluetoothUUID> = [], addresses: Set<UInt64>? = nil,
        allowsDuplicates: Bool = false, reportsChanges: Bool = true, discoverability: Discoverability = .any,
        isPassive: Bool = false,
        isBackground: Bool = false
    ) {
        self.addresses = addresses
        self.discoverability = discoverability
        self.isPassive = isPassive
        self.isBackground = isBackground

        self.services = services
        self.solicitedServices = solicitedServices
        self.allowsDuplicates = allowsDuplicates
        self.reportsChanges = reportsChanges
    }
}

/// Merges advertisements with scan responses, filters and coalesces them for each client.
///
/// The controller's own duplicate filter stays off: its table is small and freezes the RSSI.
package struct ScanMachine: Sendable {
    /// Limit of remembered devices.
    package static let capacity = 1024
    /// How long an advertisement waits for its scan response.
    package static let responseWait: Duration = .milliseconds(100)
    /// The time between two reports of changes of a device. Counters change with each packet.
    package static let changePause: Duration = .seconds(1)
    /// The longest advertisement, in octets. Core 5.4, Vol 6, Part B, 2.3.4.9.
    package static let maximumDataLength = 1650

    private var listeners: [ScanListener] = []
    /// Clients that want reports of changes. Without such clients, advertisements are not compared.
    private var watchers: ClientSet = []
    /// The index in ``sightings`` of each device: one look-up an advertisement.
    private var slots: [DeviceAddress: Int] = [:]
    private var sightings: [Sighting] = []
    /// Devices in the order of their last sighting.
    private var order = RecencyOrder()
    /// Devices that wait for a scan response, the longest first. In a crowd, each device leaves the list in its own
    /// time.
    private var waiting = RecencyOrder()

    package init() {}

    package var hasDemand: Bool { !listeners.isEmpty }
    /// A client wants scan responses.
    package var isActive: Bool { listeners.contains { !$0.demand.isPassive } }
    package var isBackground: Bool { listeners.allSatisfy(\.demand.isBackground) }

    /// When ``advance(to:into:)`` has to be called.
    package var deadline: MonotonicTime? {
        var deadline = waiting.oldest.map { sightings[$0].responseDue }
        guard !watchers.isEmpty else { return deadline }
        for listener in listeners { if let due = listener.changeDue { deadline = min(deadline ?? due, due) } }
        return deadline
    }

    /// Replaces the demand of `client`; nil: none any more. A new demand hears of every device again.
    package mutating func set(_ demand: ScanDemand?, for client: ClientID) {
        listeners.removeAll { $0.client == client }
        if let demand { listeners.append(ScanListener(client, demand)) }
        watchers = listeners.reduce(into: []) { if $1.reportsChanges { $0.insert($1.member) } }
        for slot in sightings.indices {
            sightings[slot].told.remove(ClientSet(client))
            sightings[slot].toldWithResponse.remove(ClientSet(client))
            sightings[slot].owed.remove(ClientSet(client))
        }
        if listeners.isEmpty { forget() }
    }

    package mutating func forget() {
        slots.removeAll(keepingCapacity: true)
        sightings.removeAll(keepingCapacity: true)
        order.removeAll()
        waiting.removeAll()
        for index in listeners.indices { listeners[index].forget() }
    }

    /// When `address` was last heard.
    package func lastSeen(_ address: DeviceAddress) -> MonotonicTime? { slots[address].map { sightings[$0].lastSeen } }

    package mutating func received(
        _ report: AdvertisingReport, in packet: RawSpan, at now: MonotonicTime, into batch: inout HostEventBatch
    ) {
        let data = packet.extracting(report.data)
        if report.properties.contains(.scanResponse) {
            // A scan response alone says too little: its advertisement comes again soon.
            guard let slot = slots[report.address] else { return }
            order.use(slot)
            let isNews = sightings[slot].receiveResponse(report, data, at: now, comparing: !watchers.isEmpty)
            if isNews { deliver(slot, at: now, into: &batch) }
            return
        }
        let slot: Int
        if let known = slots[report.address] {
            slot = known
            order.use(slot)
        } else {
            slot = makeSlot(for: report.address, at: now, into: &batch)
        }
        // The scan response of the previous advertisement never came.
        if sightings[slot].isWaiting { deliver(slot, at: now, into: &batch) }
        switch sightings[slot].receiveAdvertisement(report, data, at: now, comparing: !watchers.isEmpty) {
        case .deliver: deliver(slot, at: now, into: &batch)
        case .wait where waiting.contains(slot): break
        case .wait:
            sightings[slot].responseDue = now + Self.responseWait
            waiting.insert(slot)
        case .hold: break
        }
    }

    private mutating func makeSlot(
        for address: DeviceAddress, at now: MonotonicTime, into batch: inout HostEventBatch
    ) -> Int {
        if sightings.count >= Self.capacity, let oldest = order.oldest {
            forget(oldest, at: now, into: &batch)
            sightings[oldest] = Sighting(address: address, inPlaceOf: &sightings[oldest])
            order.insert(oldest)
            slots[address] = oldest
            return oldest
        }
        sightings.append(Sighting(address: address))
        let slot = order.append()
        waiting.addSlot()
        slots[address] = slot
        return slot
    }

    /// Makes room for another device, one at a time, so a crowd costs each advertisement the same.
    private mutating func forget(_ slot: Int, at now: MonotonicTime, into batch: inout HostEventBatch) {
        if sightings[slot].isWaiting { deliver(slot, at: now, into: &batch) }
        for index in listeners.indices { listeners[index].wake(slot) }
        // The last chance to report the device's changes.
        if !sightings[slot].owed.isEmpty {
            deliver(slot, isOwedAlone: true, at: now, into: &batch)
            for index in listeners.indices { listeners[index].wake(slot) }
        }
        waiting.remove(slot)
        slots.removeValue(forKey: sightings[slot].address)
        order.remove(slot)
    }

    /// Delivers advertisements that have waited long enough for a scan response, and changes that have waited for their
    /// second.
    package mutating func advance(to now: MonotonicTime, into batch: inout HostEventBatch) {
        while let slot = waiting.oldest, sightings[slot].responseDue <= now {
            waiting.remove(slot)
            if sightings[slot].isWaiting { deliver(slot, at: now, into: &batch) }
        }
        guard !watchers.isEmpty else { return }
        for index in listeners.indices {
            while let slot = listeners[index].takeRested(at: now) {
                // If the device waits for its scan response, the change is delivered with the response.
                guard sightings[slot].owed.contains(listeners[index].member), !sightings[slot].isWaiting else {
                    continue
                }
                deliver(slot, isOwedAlone: true, at: now, into: &batch)
            }
        }
    }

    /// - Parameter isOwedAlone: Nothing was heard now. Only clients that wait for a change are told.
    private mutating func deliver(
        _ slot: Int, isOwedAlone: Bool = false, at now: MonotonicTime, into batch: inout HostEventBatch
    ) {
        Self.deliver(
            &sightings[slot], at: slot, to: &listeners, watchers, isOwedAlone: isOwedAlone, at: now, into: &batch)
    }

    private static func deliver(
        _ sighting: inout Sighting, at slot: Int, to listeners: inout [ScanListener], _ watchers: ClientSet,
        isOwedAlone: Bool, at now: MonotonicTime, into batch: inout HostEventBatch
    ) {
        sighting.isWaiting = false
        let told = sighting.hasScanResponse ? sighting.toldWithResponse : sighting.told
        if sighting.hasChanged {
            sighting.hasChanged = false
            let owed = sighting.told.intersection(watchers).subtracting(sighting.owed)
            sighting.owed.formUnion(owed)
            for index in listeners.indices where owed.contains(listeners[index].member) {
                listeners[index].owesChange()
            }
        }
        var clients: ClientSet = []
        for index in listeners.indices {
            let member = listeners[index].member
            let isOwed = sighting.owed.contains(member)
            guard
                !isOwedAlone && (listeners[index].allowsDuplicates || !told.contains(member))
                    || isOwed && !listeners[index].rests(slot, at: now)
            else { continue }
            if isOwed {
                sighting.owed.remove(member)
                listeners[index].hearsChange()
            }
            guard listeners[index].isForEverything || matches(listeners[index].demand, sighting) else { continue }
            clients.insert(member)
            if listeners[index].reportsChanges { listeners[index].rest(slot, from: now) }
        }
        guard !clients.isEmpty else { return }
        sighting.told.formUnion(clients)
        if sighting.hasScanResponse { sighting.toldWithResponse.formUnion(clients) }
        batch.appendAdvertisement(of: sighting, for: clients)
    }

    private static func matches(_ demand: ScanDemand, _ sighting: Sighting) -> Bool {
        if let addresses = demand.addresses, !addresses.contains(sighting.address.value) { return false }
        guard isDiscoverable(sighting, demand.discoverability) else { return false }
        guard let services = demand.services else { return true }
        return has(services, demand.solicitedServices, in: sighting.data)
            || has(services, demand.solicitedServices, in: sighting.scanResponse)
    }

    private static func isDiscoverable(_ sighting: Sighting, _ wanted: ScanDemand.Discoverability) -> Bool {
        let mask: UInt8
        switch wanted {
        case .any: return true
        case .general: mask = 0b11
        case .limited: mask = 0b01
        }
        return AdvertisingData(sighting.data).contains { $0.type == .flags && ($0.value.first ?? 0) & mask != 0 }
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
}
