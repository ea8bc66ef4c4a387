// SPDX-License-Identifier: Apache-2.0

/// A person's work on the gateway's machine or service, in an advice.
package enum MachineDeed: String, CaseIterable, Sendable {
    // The gateway's service, and its helpers
    case start, stop, restart, reload, enable, log
    case controllerHelper, networkHelper, updateHelper, machineLog
    // The adapter
    case freeAdapter, unblockBluetooth, loadBluetooth, adapterDown, kernelOnAdapter, kernelOnBluetooth
    case bluetoothFirmware, allowAdapter, listSerial, serialUsers, joinSerial
    // The disk and the clock
    case room, kernelOnDisk, remount, makeFolder, allowFile, timeService
    // Programs
    case install, update, reboot

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

    /// Arguments with which the deed is a whole command.
    package var example: [String] {
        switch self {
        case .adapterDown, .kernelOnAdapter: ["hci0"]
        case .remount: ["/data"]
        case .makeFolder: ["/var/lib/martlet"]
        case .serialUsers: ["/dev/serial0"]
        case .allowFile: ["/etc/martlet/martlet.toml"]
        case .install: ["mosquitto"]
        case .update: ["https://example.org/update.raucb"]
        default: []
        }
    }

    /// - Parameter arguments: Each is quoted for a shell.
    func form(_ arguments: [String], on installation: Installation) -> Form {
        let (argument, kind) = (arguments.first ?? "", installation.kind)
        return switch self {
        case .start, .stop, .restart, .reload, .enable, .log: service(installation)
        case .controllerHelper, .networkHelper, .updateHelper, .machineLog: helper(installation)
        case .install: program(arguments.joined(separator: " "), kind)
        case .bluetoothFirmware: program("bluez-firmware", kind)
        case .update: update(argument, kind)
        case .allowAdapter: allowAdapter(argument, kind)
        case .joinSerial: joinSerial(kind)
        case .allowFile: allowFile(argument, kind)
        case .serialUsers:
            kind == .image ? .words("end the other program") : .command("sudo fuser -v \(argument)")
        default: .command(kind == .image ? image(argument) : "\(isFree ? "" : "sudo ")\(host(argument))")
        }
    }

    // MARK: The service

    private func service(_ installation: Installation) -> Form {
        switch installation.kind {
        case .package, .image: .command((installation.kind == .package && self != .log ? "sudo " : "") + unitLine)
        case .container: .command(line(of: installation.engine))
        case .hand: .words(byHand)
        }
    }

    private var unitLine: String {
        switch self {
        case .log: "journalctl -u martlet -n 50"
        case .enable: "systemctl enable --now martlet"
        default: "systemctl \(rawValue) martlet"
        }
    }

    private func line(of engine: ContainerEngine) -> String {
        switch self {
        case .log: engine.log
        case .start, .enable: engine.start
        case .stop: engine.stop
        // A container reads its configuration when it starts.
        default: engine.restart
        }
    }

    private var byHand: String {
        switch self {
        case .start: "start the gateway"
        case .stop: "end the gateway"
        case .reload: "send the gateway SIGHUP"
        case .enable: "start the gateway again"
        case .log: "see what the gateway has printed"
        default: "end the gateway and start it again"
        }
    }

    /// Helpers are services of the package and of the image; a container has none.
    private func helper(_ installation: Installation) -> Form {
        let line =
            switch self {
            case .controllerHelper: "systemctl restart martlet-controller.socket"
            case .networkHelper: "systemctl restart martlet-network.socket"
            case .updateHelper: "systemctl restart martlet-update.socket"
            default: "journalctl -b -n 50"
            }
        return switch installation.kind {
        case .package, .hand: .command("sudo " + line)
        case .image: .command(line)
        case .container:
            .command(self == .machineLog ? installation.engine.log : installation.engine.restart)
        }
    }

    // MARK: Programs and rights

    /// A package of Debian.
    private func program(_ name: String, _ kind: Installation.Kind) -> Form {
        switch kind {
        case .image: .words("install a newer image")
        // The firmware is the host's.
        case .container where self == .install: .words("use a newer image of the container")
        default: .command("sudo apt install \(name)")
        }
    }

    private func update(_ source: String, _ kind: Installation.Kind) -> Form {
        switch kind {
        case .image: .command("martlet update" + (source.isEmpty ? "" : " \(source)"))
        case .container: .words("start the container with a newer image")
        case .package, .hand: .words("install a newer package")
        }
    }

    private func allowAdapter(_ program: String, _ kind: Installation.Kind) -> Form {
        switch kind {
        // The service has the right.
        case .image: .command("systemctl restart martlet")
        case .container: .words("give the container NET_ADMIN: docs/containers.md")
        case .package, .hand:
            .command(
                "sudo setcap cap_net_admin+ep " + (program.isEmpty ? "\"$(command -v martlet)\"" : program))
        }
    }

    private func joinSerial(_ kind: Installation.Kind) -> Form {
        switch kind {
        case .image: .command("usermod -aG dialout martlet")
        case .container: .words("give the container the device: docs/containers.md")
        case .package, .hand: .command("sudo usermod -aG dialout \"$USER\"")
        }
    }

    /// The service's user may read a file.
    private func allowFile(_ path: String, _ kind: Installation.Kind) -> Form {
        switch kind {
        case .image: .command("chgrp martlet \(path) && chmod g+rX \(path)")
        case .container: .words("let the user of the container read \(path)")
        case .package, .hand: .command("sudo chgrp martlet \(path) && sudo chmod g+rX \(path)")
        }
    }

    // MARK: The machine

    /// A user needs no rights for it.
    private var isFree: Bool { [.room, .listSerial].contains(self) }

    /// Commands of the machine; around a container, of its host.
    private func host(_ argument: String) -> String {
        switch self {
        case .freeAdapter: "systemctl disable --now bluetooth"
        case .unblockBluetooth: "rfkill unblock bluetooth"
        case .loadBluetooth: "modprobe bluetooth"
        case .adapterDown: "hciconfig \(argument) down"
        case .kernelOnAdapter: "dmesg | grep \(argument)"
        case .kernelOnBluetooth: "dmesg | grep -iE 'bluetooth|hci|brcm'"
        case .kernelOnDisk: "dmesg | grep -iE 'mmc|error'"
        case .remount: "mount -o remount,rw \(argument)"
        case .makeFolder: "mkdir -p \(argument)"
        case .timeService: "timedatectl set-ntp true"
        case .listSerial: "find /dev -maxdepth 1 -name 'serial*' -o -name 'tty[A-Z]*'"
        case .reboot: "systemctl reboot"
        default: "df -h"
        }
    }

    /// The flashed image has no bluetoothd, and none of BlueZ's programs.
    private func image(_ argument: String) -> String {
        switch self {
        case .freeAdapter, .adapterDown: "systemctl reboot"
        case .unblockBluetooth: "echo 0 | tee /sys/class/rfkill/rfkill*/soft"
        default: host(argument)
        }
    }
}
