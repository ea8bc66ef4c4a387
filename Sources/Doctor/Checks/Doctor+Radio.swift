// SPDX-License-Identifier: Apache-2.0

import Configuration
import Gateway
import HCITransport
import Health

extension Doctor {
    /// CAP_NET_ADMIN, by its number in capabilities(7).
    private static let netAdmin: UInt64 = 1 << 12

    /// Whether this user could take the adapter. The service has a helper for this.
    func rights() -> [Finding] {
        guard case .hci = TransportAddress(settings.bluetooth.controller), status == nil else { return [] }
        if surroundings.exists("/run/martlet/controller.sock") {
            return [
                Finding("rights", .fine, "as a service, the gateway gets its adapter from martlet-controller.socket")
            ]
        }
        let mask = surroundings.text("/proc/self/status")?.split(separator: "\n").first { $0.hasPrefix("CapEff:") }
            .flatMap { $0.split(separator: "\t").last }.flatMap { UInt64($0, radix: 16) }
        guard let mask else { return [Finding("rights", .unknown, "the rights of this process cannot be read")] }
        guard mask & Self.netAdmin == 0 else {
            return [Finding("rights", .fine, "this user may take adapters over (CAP_NET_ADMIN)")]
        }
        return [
            Finding(
                "rights", surroundings.user == 0 ? .failure : .warning,
                "this user may not take adapters over: CAP_NET_ADMIN is missing",
                surroundings.isContainer
                    ? "\(.machine(.allowAdapter))"
                    : "Run it as a service, or with sudo, or once: \(.machine(.allowAdapter))")
        ]
    }

    /// Switches that block Bluetooth (rfkill).
    func switches() -> [Finding] {
        let folder = "/sys/class/rfkill"
        // The blocked switch is for another adapter if the gateway's adapter works, or is not the kernel's.
        var isOthers = status?.controller.state == "powered on"
        if case .hci = TransportAddress(settings.bluetooth.controller) {} else { isOthers = true }
        var findings: [Finding] = []
        for name in surroundings.names(in: folder) where surroundings.line("\(folder)/\(name)/type") == "bluetooth" {
            let label = surroundings.line("\(folder)/\(name)/name") ?? name
            let isHard = surroundings.line("\(folder)/\(name)/hard") == "1"
            if isOthers {
                guard isHard || surroundings.line("\(folder)/\(name)/soft") == "1" else { continue }
                findings.append(Finding("rfkill", .note, "\(label) is blocked, and not what the gateway uses"))
            } else if isHard {
                findings.append(
                    Finding(
                        "rfkill", blockedVerdict, "\(label) is blocked by a switch of the machine",
                        "Turn that switch, or allow Bluetooth in the firmware's settings."))
            } else if surroundings.line("\(folder)/\(name)/soft") == "1" {
                findings.append(
                    Finding("rfkill", blockedVerdict, "\(label) is blocked", "\(.machine(.unblockBluetooth))"))
            }
        }
        return findings.isEmpty ? [Finding("rfkill", .fine, "no switch blocks Bluetooth")] : findings
    }

    /// Wi-Fi on the same antenna takes a share of the time.
    func wirelessNetwork() -> [Finding] {
        let folder = "/sys/class/net"
        let networks = surroundings.names(in: folder).filter {
            surroundings.exists("\(folder)/\($0)/wireless") || surroundings.exists("\(folder)/\($0)/phy80211")
        }
        let used = networks.filter { surroundings.line("\(folder)/\($0)/operstate") == "up" }
        guard let network = used.first else {
            return [Finding("wi-fi", .fine, networks.isEmpty ? "there is no Wi-Fi here" : "Wi-Fi is not in use")]
        }
        guard surroundings.isRaspberryPi, isOnBoard else { return [Finding("wi-fi", .fine, "\(network) is in use")] }
        return [
            Finding(
                "wi-fi", .note, "\(network) is in use, on the antenna that the board's Bluetooth has, too",
                "If advertisements are missed: use a network of 5 GHz, a cable, or a Bluetooth adapter on USB.")
        ]
    }

    /// The adapter is part of the board.
    private var isOnBoard: Bool {
        guard case .hci(let index) = TransportAddress(settings.bluetooth.controller) else { return false }
        return surroundings.target(of: "/sys/class/bluetooth/hci\(index)/device")
            .flatMap { surroundings.target(of: "\($0)/subsystem") }?.hasSuffix("/serial") ?? false
    }
}
