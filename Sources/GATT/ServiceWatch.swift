// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore

/// Finds Service Changed and switches its indications on. Core 5.4, Vol 3, Part G, 7.1.
///
/// A server without it has services that never change: that is a result, not an error.
struct ServiceWatch: GATTProcedure {
    private enum Phase {
        case service(ServicesByUUIDDiscovery)
        case characteristic(CharacteristicDiscovery)
        case configuration(Configuration, RemoteCharacteristic)
        case none
    }

    private var phase: Phase

    init() {
        let discovery = ServicesByUUIDDiscovery([BluetoothUUID(GATTAttributeType.genericAttributeService)])
        phase = discovery.map { .service($0) } ?? .none
    }

    mutating func next(mtu: Int) -> ATTPDU {
        switch phase {
        case .service(var procedure):
            defer { phase = .service(procedure) }
            return procedure.next(mtu: mtu)
        case .characteristic(var procedure):
            defer { phase = .characteristic(procedure) }
            return procedure.next(mtu: mtu)
        case .configuration(var procedure, let found):
            defer { phase = .configuration(procedure, found) }
            return procedure.next(mtu: mtu)
        case .none:
            return .readRequest(handle: 1)
        }
    }

    mutating func received(_ response: ATTPDU, mtu: Int) -> GATTStep {
        advance { $0.received(response, mtu: mtu) }
    }

    mutating func refused(_ error: ATTErrorCode) -> GATTStep { advance { $0.refused(error) } }

    private mutating func advance(_ body: (inout any GATTProcedure) -> GATTStep) -> GATTStep {
        var procedure: any GATTProcedure
        switch phase {
        case .service(let current): procedure = current
        case .characteristic(let current): procedure = current
        case .configuration(let current, _): procedure = current
        case .none: return .finished(.characteristics([]))
        }
        let step = body(&procedure)
        switch (phase, procedure) {
        case (.service, let current as ServicesByUUIDDiscovery): phase = .service(current)
        case (.characteristic, let current as CharacteristicDiscovery): phase = .characteristic(current)
        case (.configuration(_, let found), let current as Configuration): phase = .configuration(current, found)
        default: break
        }
        return follow(step)
    }

    /// What comes after a part of the whole.
    private mutating func follow(_ step: GATTStep) -> GATTStep {
        switch (phase, step) {
        case (_, .proceed):
            return .proceed
        case (.service, .finished(.services(let found))):
            guard let service = found.first else { return .finished(.characteristics([])) }
            let wanted = [BluetoothUUID(GATTAttributeType.serviceChanged)]
            phase = .characteristic(CharacteristicDiscovery(service.handles, wanted))
            return .proceed
        case (.characteristic, .finished(.characteristics(let found))):
            guard let changed = found.first,
                let configuration = Configuration(
                    valueHandle: changed.valueHandle, endHandle: changed.endHandle, .indication)
            else { return .finished(.characteristics([])) }
            phase = .configuration(configuration, changed)
            return .proceed
        case (.configuration(_, let found), .finished):
            return .finished(.characteristics([found]))
        default:
            return .finished(.characteristics([]))
        }
    }
}
