// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// Faults for tests and demonstrations.
extension VirtualAir {
    /// Every link of the controller or sensor ends now; both sides see `reason`.
    package func simulateDisconnection(of id: AirNodeID, reason: HCIStatus = .connectionTimeout) {
        guard let node = node(id) else { return }
        for link in links(of: node) { close(link, central: reason, peripheral: reason) }
    }

    /// The sensor indicates to its client that all its services may have changed.
    package func simulateServiceChange(of id: AirNodeID) {
        (node(id) as? VirtualSensor)?.indicateServiceChange()
    }

    /// Adds a service to the sensor, or removes it, as an update of its firmware may. ``simulateServiceChange(of:)``
    /// tells the client; otherwise the client learns nothing.
    package func simulateDatabaseChange(of id: AirNodeID) {
        (node(id) as? VirtualSensor)?.changeTable()
    }

    /// The sensor forgets its client's subscriptions without a notice.
    package func simulateForgottenSubscriptions(of id: AirNodeID) {
        (node(id) as? VirtualSensor)?.forgetSubscriptions()
    }

    /// The sensor sends no values any more until it has another link.
    package func simulateMuteness(of id: AirNodeID) { (node(id) as? VirtualSensor)?.fallMute() }

    /// Takes the node out of range; its links end after their supervision time-outs.
    package func simulateOutOfRange(_ id: AirNodeID) {
        setRange(of: id, false)
    }

    /// Brings the node back into range; a link that has not timed out continues.
    package func simulateInRange(_ id: AirNodeID) {
        setRange(of: id, true)
    }

    /// The controller reports a hardware error; its state stays until the host resets it.
    package func simulateHardwareError(_ id: AirNodeID, code: UInt8 = 0x42) {
        controller(id)?.emit(.hardwareError, [code])
    }

    /// The controller hangs: it neither answers nor sends, and its radio is dead. Only a new controller helps.
    package func simulateSilence(_ id: AirNodeID) {
        guard let controller = controller(id) else { return }
        controller.isSilent = true
        setRange(of: id, false)
    }

    /// Puts octets between two packets of the host's next read.
    package func simulateGarbage(_ octets: [UInt8], to id: AirNodeID) {
        controller(id)?.output.append(contentsOf: octets)
    }

    private func setRange(of id: AirNodeID, _ isInRange: Bool) {
        guard let node = node(id), node.isInRange != isInRange else { return }
        if let controller = node as? VirtualController, controller.isSilent, isInRange { return }
        node.isInRange = isInRange
        for link in links(of: node) { contactChanged(link) }
    }
}
