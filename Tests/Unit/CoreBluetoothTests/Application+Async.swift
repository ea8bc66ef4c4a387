// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Testing

/// The counter sensor of the virtual radio.
enum Counter {
    static let service = CBUUID(string: "5E4D0001-1C7B-4B5E-9B0A-3F6B2C9D7A10")
    static let value = CBUUID(string: "5E4D0002-1C7B-4B5E-9B0A-3F6B2C9D7A10")
    /// Keeps each written value.
    static let scratch = CBUUID(string: "5E4D0003-1C7B-4B5E-9B0A-3F6B2C9D7A10")
}

extension Application {
    /// The first advertising peripheral, connected, without a delegate.
    func connectAsynchronously(with manager: CBCentralManager) async throws -> CBPeripheral {
        let found = await manager.advertisements().first { _ in true }
        let peripheral = try #require(found?.peripheral)
        try await peripheral.connect(timeout: .seconds(20))
        return peripheral
    }
}
