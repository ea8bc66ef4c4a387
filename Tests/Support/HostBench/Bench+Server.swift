// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import GATT

/// The services of our host's client.
extension Bench {
    @discardableResult
    func publish(_ service: LocalService) throws -> PublishedService {
        try host.publish(service, for: Self.client, at: now).get()
    }

    func withdraw(serviceAt handle: UInt16) { host.unpublish(handle, for: Self.client, at: now) }
}
