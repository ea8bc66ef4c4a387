// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import GATT
import Synchronization

extension CBPeripheral {
    /// Additive: reads a value. Unlike ``readValue(for:)-(CBCharacteristic)``, whose answers arrive among the
    /// notifications, the caller gets what the peripheral answered to this read.
    ///
    /// ```swift
    /// let level = try await peripheral.value(for: batteryLevel, timeout: .seconds(5)).first
    /// ```
    nonisolated(nonsending) public func value(
        for characteristic: CBCharacteristic, timeout: Duration? = nil
    ) async throws -> Data {
        try check(characteristic)
        return try await ask(
            .read(characteristic), .gatt(.read(handle: characteristic.valueHandle)), timeout: timeout,
            Self.octets)
    }

    /// Additive: reads a descriptor's octets; ``CBDescriptor/value`` has them in their type.
    nonisolated(nonsending) public func value(
        for descriptor: CBDescriptor, timeout: Duration? = nil
    ) async throws -> Data {
        if let characteristic = descriptor.characteristic { try check(characteristic) }
        return try await ask(
            .readDescriptor(descriptor), .gatt(.read(handle: descriptor.handle)), timeout: timeout, Self.octets)
    }

    /// Additive: writes a value.
    ///
    /// With response, the call returns when the peripheral has accepted the value. Without response, it returns when
    /// the controller has room, so that a loop of writes runs as fast as the link and loses no write. Calls are carried
    /// out in their order.
    ///
    /// `data` has at most ``maximumWriteValueLength(for:)`` octets; more throws
    /// ``CBATTError/Code/invalidAttributeValueLength``.
    nonisolated(nonsending) public func write(
        _ data: Data, for characteristic: CBCharacteristic, type: CBCharacteristicWriteType = .withResponse,
        timeout: Duration? = nil
    ) async throws {
        try check(characteristic)
        guard data.count <= maximumWriteValueLength(for: type) else { throw CBATTError(.invalidAttributeValueLength) }
        switch type {
        case .withResponse:
            let request = GATTRequest.write(handle: characteristic.valueHandle, value: Array(data))
            try await ask(.write(characteristic), .gatt(request), timeout: timeout) { _ in }
        case .withoutResponse:
            try await command(Array(data), to: characteristic.valueHandle, timeout: timeout)
        }
    }

    /// Additive: writes a descriptor; not the client characteristic configuration, for which there are
    /// ``notifications(for:bufferingPolicy:)`` and ``setNotifyValue(_:for:)``.
    nonisolated(nonsending) public func write(
        _ data: Data, for descriptor: CBDescriptor, timeout: Duration? = nil
    ) async throws {
        if let characteristic = descriptor.characteristic { try check(characteristic) }
        guard descriptor.uuid.value.short != GATTAttributeType.clientCharacteristicConfiguration else {
            throw CBError(.uuidNotAllowed)
        }
        guard data.count <= 512 else { throw CBATTError(.invalidAttributeValueLength) }
        let request = GATTRequest.write(handle: descriptor.handle, value: Array(data))
        try await ask(.writeDescriptor(descriptor), .gatt(request), timeout: timeout) { _ in }
    }

    /// Additive: the signal strength of the connection in dBm.
    nonisolated(nonsending) public func rssi(timeout: Duration? = nil) async throws -> Int {
        try await ask(.rssi, .rssi, timeout: timeout) { answer in
            if case .rssi(let rssi) = answer { Int(rssi) } else { nil }
        }
    }

    private static let octets: @Sendable (PeripheralAnswer) -> Data? = { answer in
        if case .gatt(.value(let octets)) = answer { Data(octets) } else { nil }
    }

    /// A characteristic of an earlier connection may share its handle with another one of this.
    func check(_ characteristic: CBCharacteristic) throws {
        guard state == .connected else { throw CBError(.notConnected) }
        guard has(characteristic) else {
            throw CBError(.invalidHandle, detail: "the characteristic is of the past; discover it again")
        }
    }

    private nonisolated(nonsending) func command(
        _ value: [UInt8], to handle: UInt16, timeout: Duration?
    ) async throws {
        guard let manager else { throw CBError(.unknownDevice) }
        defer { withExtendedLifetime(manager) {} }
        try await PendingCall<Void>.run(timeout: timeout) { [self] call in
            changing.withLock { $0.observers.writes.removeAll { $0.call === call } }
        } _: { call in
            // In the lock, so that of two writes the first goes first.
            changing.withLock { state in
                guard state.state == .connected, let link = state.link else {
                    call.finish(.failure(CBError(.notConnected)))
                    return
                }
                let hasRoom = state.writeCommands.hasRoom && state.observers.writes.isEmpty
                guard hasRoom else {
                    state.observers.writes.append(.init(value: value, handle: handle, call: call))
                    return
                }
                guard call.finish(.success(())) else { return }
                state.writeCommands.wrote()
                manager.writeCommand(value, to: handle, on: link)
            }
        }
    }
}
