// SPDX-License-Identifier: Apache-2.0

/// A person's work on the gateway's machine or service, in an advice.
package enum MachineDeed: String, CaseIterable, Sendable {
    // The gateway's service
    case start, stop, restart, reload, enable, log
    // The adapter
    case freeAdapter, unblockBluetooth, loadBluetooth, adapterDown, kernelOnAdapter, kernelOnBluetooth
    case bluetoothFirmware, allowAdapter, listSerial
    // The disk and the clock
    case room, kernelOnDisk, remount, makeFolder, timeService

    package enum Form: Equatable, Sendable {
        case command(String)
        /// Words in the place of a command.
        case words(String)

        package var text: String {
            switch self {
            case .command(let text), .words(let text): text
            }
        }
    }

    /// An argument with which the deed is a whole command.
    package var example: String {
        switch self {
        case .adapterDown, .kernelOnAdapter: "hci0"
        case .remount: "/data"
        case .makeFolder: "/var/lib/martlet"
        default: ""
        }
    }

    /// - Parameter argument: Quoted for a shell.
    func form(_ argument: String, on kind: Installation.Kind) -> Form {
        switch self {
        case .start, .stop, .restart, .reload: service(kind)
        case .enable:
            kind == .hand ? .words("start the gateway again") : service(kind, "enable --now", docker: "start")
        case .log:
            switch kind {
            case .package, .image: .command("journalctl -u martlet -n 50")
            case .container: .command("docker logs --tail 50 martlet")
            case .hand: .words("see what the gateway has printed")
            }
        case .bluetoothFirmware:
            kind == .image
                ? .words("install a newer image")
                : .command(asRoot("apt install bluez-firmware", kind))
        case .allowAdapter:
            kind == .container
                ? .words("give the container NET_ADMIN: docs/containers.md")
                : .command(asRoot("setcap cap_net_admin+ep \"$(command -v martlet)\"", kind))
        default: .command(hostLine(argument, kind))
        }
    }

    /// A command for the service, or for the container in its place.
    private func service(_ kind: Installation.Kind, _ verb: String? = nil, docker: String? = nil) -> Form {
        switch kind {
        case .package: .command("sudo systemctl \(verb ?? rawValue) martlet")
        case .image: .command("systemctl \(verb ?? rawValue) martlet")
        // A container reads its configuration when it starts.
        case .container: .command("docker \(docker ?? (self == .reload ? "restart" : rawValue)) martlet")
        case .hand:
            switch self {
            case .start: .words("start the gateway")
            case .stop: .words("end the gateway")
            case .reload: .words("send the gateway SIGHUP")
            default: .words("end the gateway and start it again")
            }
        }
    }

    /// Commands of the machine; in a container, of its host.
    private func hostLine(_ argument: String, _ kind: Installation.Kind) -> String {
        switch self {
        case .freeAdapter: asRoot("systemctl disable --now bluetooth", kind)
        case .unblockBluetooth: asRoot("rfkill unblock bluetooth", kind)
        case .loadBluetooth: asRoot("modprobe bluetooth", kind)
        case .adapterDown: asRoot("hciconfig \(argument) down", kind)
        case .kernelOnAdapter: asRoot("dmesg | grep \(argument)", kind)
        case .kernelOnBluetooth: asRoot("dmesg | grep -iE 'bluetooth|hci|brcm'", kind)
        case .kernelOnDisk: asRoot("dmesg | grep -iE 'mmc|error'", kind)
        case .remount: asRoot("mount -o remount,rw \(argument)", kind)
        case .makeFolder: asRoot("mkdir -p \(argument)", kind)
        case .timeService: asRoot("timedatectl set-ntp true", kind)
        case .listSerial: "find /dev -maxdepth 1 -name 'serial*' -o -name 'tty[A-Z]*'"
        default: "df -h"
        }
    }

    private func asRoot(_ line: String, _ kind: Installation.Kind) -> String { kind == .image ? line : "sudo " + line }
}
