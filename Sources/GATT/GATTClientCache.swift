// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore

/// A client's knowledge of a server's database, so that a later link needs no discovery. Core 5.4, Vol 3, Part G, 2.5.2
/// and 7.3.
package struct GATTClientCache: Equatable, Sendable {
    /// The result of the search for Service Changed.
    package enum Watch: Equatable, Sendable {
        /// The server's services never change.
        case absent
        case present(RemoteCharacteristic, configuration: UInt16)
    }

    /// The Database Hash of all entries: 16 octets; nil if the server has none.
    package internal(set) var databaseHash: [UInt8]?
    /// The octets of the GAP service's Device Name. The hash says nothing of it: a new name shows when the cache is
    /// dropped.
    package internal(set) var deviceName: [UInt8]?
    /// Primary services, in the order of their handles.
    package internal(set) var services: [RemoteService] = []
    /// ``services`` are all there are.
    package internal(set) var hasAllServices = false
    /// The UUIDs that were searched, found or not.
    package internal(set) var soughtServices: Set<BluetoothUUID> = []
    /// By the handles of the including service.
    package internal(set) var includedServices: [ATTPDU.HandleRange: [RemoteService]] = [:]
    /// All characteristics of a service, by its handles.
    package internal(set) var characteristics: [ATTPDU.HandleRange: [RemoteCharacteristic]] = [:]
    /// By the searched range.
    package internal(set) var descriptors: [ATTPDU.HandleRange: [ATTPDU.AttributeInformation]] = [:]
    /// Client Characteristic Configuration descriptors, by value handle.
    package internal(set) var configurations: [UInt16: UInt16] = [:]
    package internal(set) var watch: Watch?
    /// Indications of Service Changed were switched on while there was a bond: the server keeps them on.
    package internal(set) var isWatched = false

    /// The server has no Service Changed, as a search has shown.
    var hasNoServiceChanged: Bool {
        let service = BluetoothUUID(GATTAttributeType.genericAttributeService)
        return watch == .absent || answer(to: .discoverServices([service])) == .services([])
    }

    /// Entries of all kinds that one cache holds; further entries of the server are discovered anew on each link.
    package static let capacity = 1024

    package init() {}

    /// The answer, if known.
    func answer(to request: GATTRequest) -> GATTResponse? {
        switch request {
        case .discoverServices(nil):
            hasAllServices ? .services(services) : nil
        case .discoverServices(let wanted?):
            hasAllServices || soughtServices.isSuperset(of: wanted)
                // In the order in which they are asked for, as a discovery finds them.
                ? .services(wanted.flatMap { uuid in services.filter { $0.uuid == uuid } }) : nil
        case .discoverIncludedServices(let handles):
            includedServices[handles].map { .services($0) }
        case .discoverCharacteristics(let handles, let wanted):
            characteristics[handles].map { known in
                .characteristics(known.filter { wanted?.contains($0.uuid) ?? true })
            }
        case .discoverDescriptors(let handles):
            descriptors[handles].map { .descriptors($0) }
        case .readByType(let type) where type.short == GATTAttributeType.deviceName:
            deviceName.map { .value($0) }
        default: nil
        }
    }

    /// Keeps the response's items, except contradictions and items beyond the capacity.
    ///
    /// - Parameter configuration: the descriptor that a `.configure` has found.
    mutating func record(_ response: GATTResponse, to request: GATTRequest, configuration: UInt16? = nil) {
        var new = self
        switch (request, response) {
        case (.discoverServices(nil), .services(let found)):
            (new.services, new.hasAllServices) = (found, true)
        case (.discoverServices(let wanted?), .services(let found)):
            let added = found.filter { !services.contains($0) }
            new.services = (services + added).sorted { $0.handles.start < $1.handles.start }
            new.soughtServices.formUnion(wanted)
        case (.discoverIncludedServices(let handles), .services(let found)):
            new.includedServices[handles] = found
        case (.discoverCharacteristics(let handles, nil), .characteristics(let found)):
            new.characteristics[handles] = found
        case (.discoverDescriptors(let handles), .descriptors(let found)):
            new.descriptors[handles] = found
        case (.configure(let valueHandle, _, _), .written):
            new.configurations[valueHandle] = configuration
        case (.readByType(let type), .value(let value)) where type.short == GATTAttributeType.deviceName:
            new.deviceName = value
        default: return
        }
        if new.isSound { self = new }
    }

    /// The configuration descriptor of a characteristic, if a search has found one.
    func configuration(of valueHandle: UInt16, endHandle: UInt16) -> UInt16? {
        if let found = configurations[valueHandle] { return found }
        guard valueHandle < endHandle else { return nil }
        return descriptors[ATTPDU.HandleRange(start: valueHandle + 1, end: endHandle)]?.first {
            $0.type.short == GATTAttributeType.clientCharacteristicConfiguration
        }?.handle
    }

    /// Forgets the entries that a change of these handles may have made wrong.
    mutating func drop(_ changed: ATTPDU.HandleRange) {
        func isHit(_ range: ATTPDU.HandleRange) -> Bool { range.start <= changed.end && range.end >= changed.start }
        databaseHash = nil
        services.removeAll { isHit($0.handles) }
        hasAllServices = false
        soughtServices = []
        includedServices = includedServices.filter { service, found in
            !isHit(service) && !found.contains { isHit($0.handles) }
        }
        characteristics = characteristics.filter { !isHit($0.key) }
        descriptors = descriptors.filter { !isHit($0.key) }
        configurations = configurations.filter { valueHandle, descriptor in
            !isHit(ATTPDU.HandleRange(start: valueHandle, end: descriptor))
        }
        if case .present(let characteristic, _) = watch,
            !isHit(ATTPDU.HandleRange(start: characteristic.valueHandle, end: characteristic.endHandle))
        {
            return
        }
        (watch, isWatched) = (nil, false)
    }
}

extension GATTClientCache {
    private var count: Int {
        services.count + soughtServices.count + configurations.count + includedServices.count + characteristics.count
            + descriptors.count + includedServices.values.reduce(0) { $0 + $1.count }
            + characteristics.values.reduce(0) { $0 + $1.count } + descriptors.values.reduce(0) { $0 + $1.count }
    }

    /// Handles are in order and in their ranges, and no size is above its limit: data from the disk get no more trust
    /// than data from the air.
    var isSound: Bool {
        count <= Self.capacity && (databaseHash?.count ?? 16) == 16
            && (deviceName?.count ?? 0) <= GATTLimit.valueLength && services.map(\.handles).areOrdered
            && includedServices.allSatisfy { $0.key.isSound && $0.value.allSatisfy { $0.handles.isSound } }
            && characteristics.allSatisfy { service, found in
                let ranges = found.map { ATTPDU.HandleRange(start: $0.valueHandle, end: $0.endHandle) }
                return service.isSound && ranges.areOrdered
                    && ranges.allSatisfy { service.start < $0.start && $0.end <= service.end }
            }
            && descriptors.allSatisfy { range, found in
                range.isSound && found.map { ATTPDU.HandleRange(start: $0.handle, end: $0.handle) }.areOrdered
                    && found.allSatisfy { range.start <= $0.handle && $0.handle <= range.end }
            }
            && configurations.allSatisfy { $0.key > 0 && $0.key < $0.value } && isWatchSound
    }

    private var isWatchSound: Bool {
        guard case .present(let characteristic, let configuration) = watch else { return true }
        return characteristic.valueHandle > 0 && characteristic.valueHandle < configuration
            && configuration <= characteristic.endHandle
    }
}

extension ATTPDU.HandleRange {
    fileprivate var isSound: Bool { start > 0 && start <= end }
}

extension [ATTPDU.HandleRange] {
    /// Each range ends before the next one begins.
    fileprivate var areOrdered: Bool {
        allSatisfy(\.isSound) && zip(self, dropFirst()).allSatisfy { $0.end < $1.start }
    }
}
