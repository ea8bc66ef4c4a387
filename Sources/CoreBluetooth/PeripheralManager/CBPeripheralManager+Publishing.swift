// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import BluetoothHost
import Foundation
import GATT
import Logging
import Synchronization

/// Services coming and going.
extension CBPeripheralManager {
    /// - Parameter isBesideHost: Takes a second GAP or GATT service, too: a simulated sensor may have its own values there.
    package func publish(_ service: CBMutableService, isBesideHost: Bool = false) {
        let local: LocalService
        /// Included services that are being published as well.
        let pending: [Addition]
        let addition = Addition(service)
        do {
            guard state == .poweredOn else { throw CBError(.unknown, detail: "the manager is not powered on") }
            (local, pending) = try makeLocalService(service, isBesideHost: isBesideHost)
            let isNew = changing.withLock { state in
                let isKnown =
                    state.services.values.contains { $0 === service }
                    || state.adding.contains { $0.service === service }
                if !isKnown { state.adding.append(addition) }
                return !isKnown
            }
            guard isNew else { throw CBError(.invalidParameters, detail: "the service is published already") }
        } catch {
            queue.async { [weak self] in self?.didAdd(service, .failure(error)) }
            return
        }
        withMachine { machine, client, now in
            var local = local
            local.includedServices += pending.compactMap(\.start)
            let result = machine.publish(local, for: client, at: now)
            addition.start = try? result.get().handles.start
            return result
        } then: { manager, result in
            manager.published(addition, result.mapError { CBError($0) })
        }
    }

    /// A service on its way to the host.
    final class Addition: Sendable {
        let service: CBMutableService
        private let place = Mutex<UInt16?>(nil)

        init(_ service: CBMutableService) { self.service = service }

        /// The service's first handle, once published. Used on the radio thread, because events are in order there.
        var start: UInt16? {
            get { place.withLock { $0 } }
            set { place.withLock { $0 = newValue } }
        }
    }

    private func published(_ addition: Addition, _ result: Result<PublishedService, any Error>) {
        let isWanted = changing.withLock { state in
            let index = state.adding.firstIndex { $0 === addition }
            if let index { state.adding.remove(at: index) }
            return index != nil
        }
        // Without an entry in `adding`, the service was taken back before its publication.
        didAdd(addition.service, isWanted ? result : .failure(CBError(.operationCancelled)))
    }

    func withdraw(_ service: CBMutableService) {
        let (start, addition) = changing.withLock { state in
            let start = state.services.first { $0.value === service }?.key
            if let start { state.services.removeValue(forKey: start) }
            let index = state.adding.firstIndex { $0.service === service }
            return (start, index.map { state.adding.remove(at: $0) })
        }
        if let addition {
            withMachine { machine, client, now in
                if let start = addition.start { machine.unpublish(start, for: client, at: now) }
            }
        }
        guard let start else { return }
        forget(service)
        preserve(isNarrower: true)
        withMachine { machine, client, now in machine.unpublish(start, for: client, at: now) }
    }

    func withdrawAll() {
        clearServices(isNarrower: true)
        withMachine { machine, client, now in machine.unpublishAll(for: client, at: now) }
    }

    /// `isNarrower`: the application takes them back; else the controller is gone, and a crash now restores what was.
    func clearServices(isNarrower: Bool = false) {
        let services = changing.withLock { state in
            defer { (state.services, state.adding) = ([:], []) }
            return UncheckedReference(value: Array(state.services.values))
        }
        for service in services.value { forget(service) }
        if isNarrower { preserve(isNarrower: true) }
    }

    private func forget(_ service: CBMutableService) {
        for case let characteristic as CBMutableCharacteristic in service.characteristics ?? [] {
            changing.withLock { state in
                for (handle, known) in state.characteristics where known === characteristic {
                    state.characteristics.removeValue(forKey: handle)
                }
            }
            characteristic.unsubscribeAll()
        }
    }

    private func didAdd(_ service: CBMutableService, _ result: Result<PublishedService, any Error>) {
        switch result {
        case .success(let published): register(service, as: published)
        case .failure(let error):
            let isCancelled = (error as? CBError)?.code == .operationCancelled
            controller.logger.log(
                level: isCancelled ? .debug : .error,
                "a service cannot be published",
                metadata: ["service": "\(service.uuid)", "error": "\(error.localizedDescription)"])
            delegate?.peripheralManager(self, didAdd: service, error: error)
            return
        }
        preserve()
        delegate?.peripheralManager(self, didAdd: service, error: nil)
    }

    func register(_ service: CBMutableService, at start: UInt16, valueHandles: [UInt16]) {
        let characteristics = (service.characteristics ?? []).compactMap { $0 as? CBMutableCharacteristic }
        changing.withLock { state in
            state.services[start] = service
            for (characteristic, handle) in zip(characteristics, valueHandles) {
                state.characteristics[handle] = characteristic
            }
        }
    }

    /// Removes the service from its supposed handles; its subscribers stay.
    func unregister(_ service: CBMutableService) {
        let own = Set((service.characteristics ?? []).map(ObjectIdentifier.init))
        changing.withLock { state in
            for (start, known) in state.services where known === service { state.services.removeValue(forKey: start) }
            for (handle, known) in state.characteristics where own.contains(ObjectIdentifier(known)) {
                state.characteristics.removeValue(forKey: handle)
            }
        }
    }

    func register(_ service: CBMutableService, as published: PublishedService) {
        register(
            service, at: published.handles.start, valueHandles: published.characteristics.map(\.valueHandle))
    }

    // MARK: As the host wants it

    func makeLocalService(
        _ service: CBMutableService, isBesideHost: Bool = false
    ) throws -> (service: LocalService, pending: [Addition]) {
        // As Apple's systems do. A central reads the name and waits for Service Changed in the first service that it finds.
        if !isBesideHost, CBService.belongsToHost(service.uuid.value) {
            throw CBError(.uuidNotAllowed, detail: "the host has the service \(service.uuid) itself")
        }
        var pending: [Addition] = []
        let included = try (service.includedServices ?? []).compactMap { included -> UInt16? in
            let (start, addition) = changing.withLock { state in
                (state.services.first { $0.value === included }?.key, state.adding.first { $0.service === included })
            }
            if let start { return start }
            guard let addition else {
                throw CBError(.invalidParameters, detail: "the included service \(included.uuid) is not published")
            }
            pending.append(addition)
            return nil
        }
        let characteristics = try (service.characteristics ?? []).map { characteristic in
            guard let local = characteristic as? CBMutableCharacteristic else {
                throw CBError(.invalidParameters, detail: "\(characteristic.uuid) belongs to a remote peripheral")
            }
            return try makeLocalCharacteristic(local)
        }
        let local = LocalService(
            uuid: service.uuid.value, isPrimary: service.isPrimary, includedServices: included,
            characteristics: characteristics)
        return (local, pending)
    }

    private func makeLocalCharacteristic(_ characteristic: CBMutableCharacteristic) throws -> LocalCharacteristic {
        var (properties, permissions) = (characteristic.properties, characteristic.permissions)
        let value = characteristic.frozenValue()
        // As on Apple's systems, a value that is given is there to be read.
        if value != nil {
            properties.insert(.read)
            if permissions.isDisjoint(with: [.readable, .readEncryptionRequired]) { permissions.insert(.readable) }
        }
        let isWritable = !properties.isDisjoint(with: [.write, .writeWithoutResponse, .authenticatedSignedWrites])
        if value != nil, isWritable || permissions.contains(.writeable) {
            throw CBError(
                .invalidParameters,
                detail: "characteristics with cached values must be read-only: \(characteristic.uuid)"
            )
        }
        if properties.contains(.broadcast) {
            throw CBError(.invalidParameters, detail: "broadcast is not for local characteristics")
        }
        let needsEncryption = !properties.isDisjoint(with: [.notifyEncryptionRequired, .indicateEncryptionRequired])
        let descriptors = try (characteristic.descriptors ?? []).map { descriptor in
            try makeLocalDescriptor(descriptor)
        }
        return LocalCharacteristic(
            uuid: characteristic.uuid.value, properties: properties.onAir,
            value: value.map { Array($0) },
            read: AttributeAccess(
                permissions, allowed: [.readable, .readEncryptionRequired], encrypted: .readEncryptionRequired),
            write: AttributeAccess(
                permissions, allowed: [.writeable, .writeEncryptionRequired], encrypted: .writeEncryptionRequired),
            notify: needsEncryption ? AttributeAccess(level: permissions.level) : .open, descriptors: descriptors)
    }

    private func makeLocalDescriptor(_ descriptor: CBDescriptor) throws -> LocalDescriptor {
        switch descriptor.uuid.value.short {
        case 0x2900, 0x2902, 0x2903:
            throw CBError(.uuidNotAllowed, detail: "the host makes descriptor \(descriptor.uuid) itself")
        default: break
        }
        guard let value = descriptor.octets else {
            throw CBError(.invalidParameters, detail: "descriptor \(descriptor.uuid) needs a value")
        }
        return LocalDescriptor(uuid: descriptor.uuid.value, value: value)
    }
}

extension CBCharacteristicProperties {
    /// The octet of the declaration: the local properties become what they mean on the air.
    fileprivate var onAir: CharacteristicProperties {
        var properties = self
        if contains(.notifyEncryptionRequired) { properties.insert(.notify) }
        if contains(.indicateEncryptionRequired) { properties.insert(.indicate) }
        return CharacteristicProperties(rawValue: UInt8(truncatingIfNeeded: properties.rawValue))
    }
}

extension AttributeAccess {
    fileprivate init(
        _ permissions: CBAttributePermissions, allowed: CBAttributePermissions, encrypted: CBAttributePermissions
    ) {
        let level = permissions.contains(encrypted) ? permissions.level : .none
        self.init(isAllowed: !permissions.isDisjoint(with: allowed), level: level)
    }
}

extension CBAttributePermissions {
    /// The required strength of the encryption.
    fileprivate var level: AttributeAccess.Level {
        contains(.secureConnectionsRequired)
            ? .secureConnections : contains(.authenticationRequired) ? .authenticated : .encrypted
    }
}

extension CBError {
    init(_ error: GATTDatabaseError) {
        switch error {
        case .handlesTaken: self.init(.invalidHandle, detail: "the handles are taken")
        case .tableFull, .tooManyServices: self.init(.outOfSpace, detail: "the attribute table is full")
        case .valueTooLong(let uuid):
            self.init(.invalidParameters, detail: "the value of \(uuid) has more than 512 octets")
        case .typeNotAllowed(let uuid): self.init(.uuidNotAllowed, detail: "\(uuid) is made by the host")
        case .includeNotPublished: self.init(.invalidParameters, detail: "an included service is not published")
        case .stillIncluded: self.init(.invalidParameters, detail: "another service includes this one")
        case .notPublished: self.init(.invalidParameters, detail: "the service is not published")
        }
    }
}
