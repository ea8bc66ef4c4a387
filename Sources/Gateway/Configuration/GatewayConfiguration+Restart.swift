// SPDX-License-Identifier: Apache-2.0

extension GatewayConfiguration {
    /// The settings that a running gateway cannot take over, where they differ.
    func differencesThatNeedRestart(to new: GatewayConfiguration) -> [String] {
        var names: [String] = []
        if new.gateway != gateway { names.append("gateway.id") }
        if new.bluetooth != bluetooth { names.append("bluetooth") }
        if new.journal != journal || new.confirmationLimit != confirmationLimit { names.append("journal") }
        if new.clock != clock { names.append("clock") }
        if new.controlSocket != controlSocket { names.append("control.socket") }
        return names
    }
}
