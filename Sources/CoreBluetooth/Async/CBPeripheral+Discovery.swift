// SPDX-License-Identifier: Apache-2.0

import ATT
import Foundation
import GATT

// These functions have no names with discover…: next to Apple's methods of such names, Swift would take the
// asynchronous form in all asynchronous functions, and code for delegates would no longer compile there.
extension CBPeripheral {
    /// Additive: discovers services, and returns the found ones. Nil discovers all except GAP (0x1800) and GATT
    /// (0x1801): the host itself uses these two. A list may name them.
    ///
    /// This and the other asynchronous requests answer their caller only; the found objects are in ``services`` as
    /// well. A cancelled call, or a call after its timeout, returns at once. The library notes the late answer, and
    /// gives it to no other caller. A peripheral without an answer for 30 s loses its connection.
    nonisolated(nonsending) public func services(
        withUUIDs serviceUUIDs: [CBUUID]? = nil, timeout: Duration? = nil
    ) async throws -> [CBService] {
        let uuids = serviceUUIDs.flatMap { $0.isEmpty ? nil : $0.map(\.value) }
        return try await ask(
            .services(areAll: uuids == nil), .gatt(.discoverServices(uuids)), timeout: timeout
        ) { [self] answer in
            guard case .gatt(.services(let found)) = answer else { return nil }
            let handles = Set(found.map(\.handles.start))
            return (services ?? []).filter { handles.contains($0.handles.start) }
        }
    }

    /// Additive: discovers the included services of `service`. Nil gives all.
    nonisolated(nonsending) public func includedServices(
        withUUIDs serviceUUIDs: [CBUUID]? = nil, in service: CBService, timeout: Duration? = nil
    ) async throws -> [CBService] {
        let wanted = serviceUUIDs.flatMap { $0.isEmpty ? nil : $0 }
        return try await ask(
            .includedServices(service, wanted), .gatt(.discoverIncludedServices(service.handles)), timeout: timeout
        ) { _ in service.includedServices ?? [] }
    }

    /// Additive: discovers characteristics of `service`, and returns the found ones. Nil discovers all.
    nonisolated(nonsending) public func characteristics(
        withUUIDs characteristicUUIDs: [CBUUID]? = nil, in service: CBService, timeout: Duration? = nil
    ) async throws -> [CBCharacteristic] {
        let uuids = characteristicUUIDs.flatMap { $0.isEmpty ? nil : $0.map(\.value) }
        return try await ask(
            .characteristics(service), .gatt(.discoverCharacteristics(service.handles, uuids)), timeout: timeout
        ) { answer in
            guard case .gatt(.characteristics(let found)) = answer else { return nil }
            let handles = Set(found.map(\.valueHandle))
            return (service.characteristics ?? []).filter { handles.contains($0.valueHandle) }
        }
    }

    /// Additive: the first characteristic with this UUID in a service with the other UUID; discovers the missing parts
    /// first.
    ///
    /// ```swift
    /// let level = try await peripheral.characteristic(CBUUID(string: "2A19"), in: CBUUID(string: "180F"))
    /// ```
    ///
    /// Throws ``CBATTError/Code/attributeNotFound`` if the peripheral has no such characteristic.
    nonisolated(nonsending) public func characteristic(
        _ uuid: CBUUID, in serviceUUID: CBUUID, timeout: Duration? = nil
    ) async throws -> CBCharacteristic {
        var matching = (services ?? []).filter { $0.uuid == serviceUUID }
        if matching.isEmpty { matching = try await services(withUUIDs: [serviceUUID], timeout: timeout) }
        for service in matching {
            if let known = service.characteristics?.first(where: { $0.uuid == uuid }) { return known }
            let found = try await characteristics(withUUIDs: [uuid], in: service, timeout: timeout)
            if let first = found.first { return first }
        }
        throw CBATTError(.attributeNotFound)
    }

    /// Additive: discovers the descriptors of `characteristic`.
    nonisolated(nonsending) public func descriptors(
        of characteristic: CBCharacteristic, timeout: Duration? = nil
    ) async throws -> [CBDescriptor] {
        try await ask(
            .descriptors(characteristic), Self.discovery(ofDescriptorsOf: characteristic), timeout: timeout
        ) { _ in characteristic.descriptors ?? [] }
    }

    /// Asks, and waits for the answer; `read` is called on the manager's queue, once the answer is noted.
    nonisolated(nonsending) func ask<Value: Sendable>(
        _ request: PeripheralRequest, _ action: PeripheralRequest.Action, timeout: Duration?,
        _ read: @escaping @Sendable (PeripheralAnswer) -> Value?
    ) async throws -> Value {
        guard let manager else { throw CBError(.unknownDevice) }
        guard manager.client != nil else { throw CBError(.outOfSpace, detail: "the controller has too many users") }
        // Answers come by the manager.
        defer { withExtendedLifetime(manager) {} }
        return try await PendingCall.run(timeout: timeout) { call in
            let caller: PeripheralRequest.Caller = { result in
                call.finish(
                    result.flatMap { answer in
                        guard let value = read(answer) else {
                            return .failure(CBError(.unknown, detail: "the answer is of another kind"))
                        }
                        return .success(value)
                    })
            }
            manager.request(request, on: self, caller: caller) { action }
        }
    }
}
