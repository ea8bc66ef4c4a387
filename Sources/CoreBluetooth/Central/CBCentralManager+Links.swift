// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import HCI
import Synchronization

extension CBCentralManager {
    /// Additive: asks for other parameters of a connection. The last call counts, also of several managers of the
    /// process; ``CBPeripheral/linkInformation(timeout:)`` has the result. The call has no effect without a connection.
    public func setConnectionParameters(_ parameters: CBConnectionParameters, for peripheral: CBPeripheral) {
        guard let link = peripheral.changing.withLock({ $0.link }) else { return }
        let parameters = parameters.parameters
        withMachine { machine, client, now in machine.setParameters(parameters, on: link, for: client, at: now) }
    }

    /// Additive: forgets the keys of a peripheral, and ends its connection for all managers. To read protected values,
    /// pair the peripheral again.
    public func unpair(_ peripheral: CBPeripheral) { controller.removeBond(for: peripheral) }
}

extension CBPeripheral {
    /// Additive: the present parameters of the connection. Throws ``CBError/Code/notConnected`` without a connection.
    nonisolated(nonsending) public func linkInformation(timeout: Duration? = nil) async throws -> CBLinkInformation {
        guard let manager else { throw CBError(.unknownDevice) }
        guard let link = changing.withLock({ $0.link }) else { throw CBError(.notConnected) }
        return try await PendingCall<CBLinkInformation>.run(timeout: timeout) { call in
            manager.withMachine { machine, _, now in
                guard let information = machine.information(of: link),
                    let (oddities, omitted) = machine.peculiarities(of: link, at: now)
                else {
                    call.finish(.failure(CBError(.notConnected)))
                    return
                }
                call.finish(.success(CBLinkInformation(information, oddities: oddities, omitted: omitted)))
            }
        }
    }
}
