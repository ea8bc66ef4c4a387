// SPDX-License-Identifier: Apache-2.0

import HCITransport
import Health

extension TransportWords {
    /// The commands of this machine's installation.
    package static let here = TransportWords { $0.advised.line(on: .local) }
}

extension TransportDeed {
    /// The command of this work, for an advice.
    package var advised: AdvisedCommand {
        switch self {
        case .freeAdapter: .machine(.freeAdapter)
        case .unblockBluetooth: .machine(.unblockBluetooth)
        case .loadBluetooth: .machine(.loadBluetooth)
        case .kernelOnBluetooth: .machine(.kernelOnBluetooth)
        case .adapterDown(let adapter): .machine(.adapterDown, adapter)
        case .kernelOnAdapter(let adapter): .machine(.kernelOnAdapter, adapter)
        case .allowAdapter(let program): .machine(.allowAdapter, program)
        case .listSerial: .machine(.listSerial)
        case .joinSerial: .machine(.joinSerial)
        case .serialUsers(let device): .machine(.serialUsers, device)
        case .gatewayStatus: .martlet(.status)
        case .stopGateway: .machine(.stop)
        case .restartHelper: .machine(.controllerHelper)
        case .machineLog: .machine(.machineLog)
        }
    }
}
