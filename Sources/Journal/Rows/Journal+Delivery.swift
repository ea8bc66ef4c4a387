// SPDX-License-Identifier: Apache-2.0

import Readings
import Synchronization

extension Journal: DeliveryJournal {
    package var greatestNumber: Int64 { state.withLock { $0.database.store }?.greatest.withLock { $0 } ?? 0 }

    package func reading<Value>(_ read: (any RowSource) throws -> Value) throws -> Value? {
        guard let store = state.withLock({ $0.database.store }) else { return nil }
        let found = try read(self)
        return state.withLock { $0.database.isOpen(store) } ? found : nil
    }
}
