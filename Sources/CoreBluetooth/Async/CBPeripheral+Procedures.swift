// SPDX-License-Identifier: Apache-2.0

import ATT
import Foundation
import GATT

/// Procedures of the profile that Core Bluetooth has no call for. Core 5.4, Vol 3, Part G, 4.8.2, 4.8.4, 4.8.5 and 4.9.5.
extension CBPeripheral {
    /// The values of two or more characteristics in one answer, in order.
    nonisolated(nonsending) package func concatenatedValues(
        of characteristics: [CBCharacteristic], timeout: Duration? = nil
    ) async throws -> Data {
        for characteristic in characteristics { try check(characteristic) }
        let request = GATTRequest.readMultiple(handles: characteristics.map(\.valueHandle))
        return try await ask(.procedure, .gatt(request), timeout: timeout) { answer in
            if case .gatt(.value(let octets)) = answer { Data(octets) } else { nil }
        }
    }

    /// The values of two characteristics or more, each by itself.
    nonisolated(nonsending) package func values(
        of characteristics: [CBCharacteristic], timeout: Duration? = nil
    ) async throws -> [Data] {
        for characteristic in characteristics { try check(characteristic) }
        let request = GATTRequest.readMultipleVariable(handles: characteristics.map(\.valueHandle))
        return try await ask(.procedure, .gatt(request), timeout: timeout, Self.values)
    }

    /// All values of a type within the service's handles, without a discovery of their characteristics.
    nonisolated(nonsending) package func values(
        ofType type: CBUUID, in service: CBService, timeout: Duration? = nil
    ) async throws -> [Data] {
        guard state == .connected else { throw CBError(.notConnected) }
        guard has(service) else { throw CBError(.invalidHandle) }
        let request = GATTRequest.readAll(type.value, in: service.handles)
        return try await ask(.procedure, .gatt(request), timeout: timeout, Self.values)
    }

    /// Writes all values or none, after the peripheral has echoed them without an error.
    nonisolated(nonsending) package func writeReliably(
        _ values: [(characteristic: CBCharacteristic, value: Data)], timeout: Duration? = nil
    ) async throws {
        for (characteristic, _) in values { try check(characteristic) }
        let items = values.map { ATTPDU.AttributeValue(handle: $0.characteristic.valueHandle, value: Array($0.value)) }
        try await ask(.procedure, .gatt(.reliableWrite(items)), timeout: timeout) { answer in
            if case .gatt(.written) = answer { () } else { nil }
        }
    }

    private static let values: @Sendable (PeripheralAnswer) -> [Data]? = { answer in
        if case .gatt(.values(let items)) = answer { items.map { Data($0.value) } } else { nil }
    }
}
