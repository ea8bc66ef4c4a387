// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore

/// Finds Service Changed and switches its indications on; then writes the client's features, if the server has a place
/// for them. Core 5.4, Vol 3, Part G, 7.1 and 7.2.
///
/// A server without Service Changed has services that never change: a result, not an error.
struct ServiceWatch: GATTProcedure {
    private enum Phase {
        case service(ServicesSearch)
        case characteristics(CharacteristicDiscovery)
        case configuration(Configuration, RemoteCharacteristic)
        /// Writes Client Supported Features.
        case features(UInt16)
        case done
    }

    private var phase: Phase
    /// The value handle of Client Supported Features.
    private var features: UInt16?
    /// The result; nil if the server refused.
    private(set) var found: GATTClientCache.Watch?

    /// Robust Caching and Multiple Handle Value Notifications. Core 5.4, Vol 3, Part G, 7.2.
    static let supportedFeatures: [UInt8] = [0b101]

    init(without omitted: Set<OwnProcedure>) {
        let service = BluetoothUUID(GATTAttributeType.genericAttributeService)
        phase = .service(ServicesSearch([service], without: omitted))
    }

    /// `service`: the handles of the Generic Attribute service.
    init(in service: ATTPDU.HandleRange) {
        phase = .characteristics(CharacteristicDiscovery(service, nil))
    }

    /// Service Changed is known and has only to be switched on.
    init(_ characteristic: RemoteCharacteristic, configuration: UInt16) {
        phase = .configuration(Configuration(descriptor: configuration, .indication), characteristic)
    }

    mutating func next(mtu: Int) -> ATTPDU {
        switch phase {
        case .service(var procedure):
            defer { phase = .service(procedure) }
            return procedure.next(mtu: mtu)
        case .characteristics(var procedure):
            defer { phase = .characteristics(procedure) }
            return procedure.next(mtu: mtu)
        case .configuration(var procedure, let characteristic):
            defer { phase = .configuration(procedure, characteristic) }
            return procedure.next(mtu: mtu)
        case .features(let handle):
            return .writeRequest(handle: handle, value: Self.supportedFeatures)
        case .done:
            return .readRequest(handle: 1)
        }
    }

    mutating func received(_ response: ATTPDU, mtu: Int) -> GATTStep {
        advance { $0.received(response, mtu: mtu) }
    }

    mutating func refused(_ error: ATTErrorCode) -> GATTStep { advance { $0.refused(error) } }

    mutating func receivedMalformed() -> GATTStep { advance { $0.receivedMalformed() } }

    private mutating func advance(_ body: (inout any GATTProcedure) -> GATTStep) -> GATTStep {
        var procedure: any GATTProcedure
        switch phase {
        case .service(let current): procedure = current
        case .characteristics(let current): procedure = current
        case .configuration(let current, _): procedure = current
        // Whether the server took the features or not, there is no more to do.
        case .features, .done: return finish()
        }
        let step = body(&procedure)
        switch (phase, procedure) {
        case (.service, let current as ServicesSearch): phase = .service(current)
        case (.characteristics, let current as CharacteristicDiscovery): phase = .characteristics(current)
        case (.configuration(_, let characteristic), let current as Configuration):
            phase = .configuration(current, characteristic)
        default: break
        }
        return step == .proceed ? .proceed : follow(step)
    }

    /// The next part of the procedure.
    private mutating func follow(_ step: GATTStep) -> GATTStep {
        switch (phase, step) {
        case (.service, .finished(.services(let services))):
            guard let service = services.first else {
                found = .absent
                return finish()
            }
            phase = .characteristics(CharacteristicDiscovery(service.handles, nil))
            return .proceed
        case (.characteristics, .finished(.characteristics(let list))):
            func first(_ type: UInt16) -> RemoteCharacteristic? { list.first { $0.uuid.short == type } }
            features = first(GATTAttributeType.clientSupportedFeatures)?.valueHandle
            guard let changed = first(GATTAttributeType.serviceChanged) else {
                found = .absent
                return writeFeatures()
            }
            guard
                // No client has asked for Service Changed: the host makes no further search, and no write by guess.
                let configuration = Configuration(
                    valueHandle: changed.valueHandle, endHandle: changed.endHandle, .indication,
                    without: [.configurationSearch])
            else { return writeFeatures() }
            phase = .configuration(configuration, changed)
            return .proceed
        case (.configuration(let configuration, let characteristic), .finished):
            found = configuration.descriptor.map { .present(characteristic, configuration: $0) }
            return writeFeatures()
        case (.configuration, _):
            return writeFeatures()
        default:
            return finish()
        }
    }

    private mutating func writeFeatures() -> GATTStep {
        guard let features else { return finish() }
        phase = .features(features)
        return .proceed
    }

    private func finish() -> GATTStep {
        if case .present(let characteristic, _) = found { return .finished(.characteristics([characteristic])) }
        return .finished(.characteristics([]))
    }
}
