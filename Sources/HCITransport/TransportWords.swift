// SPDX-License-Identifier: Apache-2.0

/// A person's work against a failed transport, as a value. Each program says it in its own words: ``TransportWords``.
package enum TransportDeed: Equatable, Sendable {
    // The adapter
    case freeAdapter, unblockBluetooth, loadBluetooth, kernelOnBluetooth
    case adapterDown(String), kernelOnAdapter(String)
    /// The program with this path gets the right to take adapters over.
    case allowAdapter(program: String)
    // A serial line
    case listSerial, joinSerial
    case serialUsers(device: String)
    // The gateway that has the adapter, and the helper that opens adapters for it
    case gatewayStatus, stopGateway, restartHelper, machineLog

    /// The command on an ordinary Linux.
    package var command: String {
        switch self {
        case .freeAdapter: "sudo systemctl disable --now bluetooth"
        case .unblockBluetooth: "sudo rfkill unblock bluetooth"
        case .loadBluetooth: "sudo modprobe bluetooth"
        case .kernelOnBluetooth: "sudo dmesg | grep -iE 'bluetooth|hci|brcm'"
        case .adapterDown(let adapter): "sudo hciconfig \(adapter) down"
        case .kernelOnAdapter(let adapter): "sudo dmesg | grep \(adapter)"
        case .allowAdapter(let program): "sudo setcap cap_net_admin+ep \(program)"
        case .listSerial: "find /dev -maxdepth 1 -name 'serial*' -o -name 'tty[A-Z]*'"
        case .joinSerial: "sudo usermod -aG dialout \"$USER\""
        case .serialUsers(let device): "sudo fuser -v \(device)"
        case .gatewayStatus: "martlet status"
        case .stopGateway: "sudo systemctl stop martlet"
        case .restartHelper: "sudo systemctl restart martlet-controller.socket"
        case .machineLog: "sudo journalctl -b -n 50"
        }
    }
}

/// The words of a program for what a person does against a failed transport.
package struct TransportWords: Sendable {
    /// The command, or words in its place.
    let command: @Sendable (TransportDeed) -> String

    /// The words of a program that knows no installation.
    package static let library = TransportWords { $0.command }

    package init(_ command: @escaping @Sendable (TransportDeed) -> String) { self.command = command }
}
