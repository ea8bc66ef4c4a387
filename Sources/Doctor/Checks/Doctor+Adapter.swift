// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Configuration
import Gateway
import HCITransport
import Health

extension Doctor {
    /// Whether the controller is there, and which program has it.
    func adapter() -> [Finding] {
        if let status { return [controller(of: status)] }
        let name = settings.bluetooth.controller
        switch TransportAddress(name) {
        case .hci(let index): return kernelAdapter(index)
        case .serial(let device, _): return [serial(device)]
        case .unix(let path):
            return [
                surroundings.exists(path)
                    ? Finding("adapter", .fine, "\(path) is there")
                    : Finding(
                        "adapter", .failure, "there is no socket \(path)", "Start who serves the controller there.")
            ]
        case .tcp, .descriptor, nil:
            return [Finding("adapter", .note, "\(name) is no adapter of this machine's: it is not looked at")]
        }
    }

    private func kernelAdapter(_ index: UInt16) -> [Finding] {
        let name = "hci\(index)"
        let adapters = surroundings.names(in: "/sys/class/bluetooth").filter {
            $0.hasPrefix("hci") && !$0.contains(":")
        }
        guard adapters.contains(name) else { return [missing(name, adapters)] }
        let device = surroundings.target(of: "/sys/class/bluetooth/\(name)/device")
        let bus = device.flatMap { surroundings.target(of: "\($0)/subsystem") }?.split(separator: "/").last
        let place: String =
            switch bus {
            case "usb": ", on USB"
            case "serial": ", on the board's serial line"
            case "virtio": ", of a virtual machine"
            default: ""
            }
        var findings: [Finding] = []
        let state = surroundings.adapter(index)
        let daemon = surroundings.processes(named: "bluetoothd").first
        let gateway = surroundings.processes(named: "martlet").first { $0.arguments.dropFirst().first == "run" }
        if state?.isInSetup == true {
            findings.append(
                Finding(
                    "adapter", .warning, "\(name)\(place) is being set up by the kernel", "Ask again in a few seconds.")
            )
        } else if state?.isUp == true {
            findings.append(
                daemon.map {
                    Finding(
                        "adapter", .failure,
                        "\(name)\(place): it is up, and bluetoothd (process \($0.identifier)) runs",
                        "Perhaps bluetoothd has it powered on: \(.machine(.freeAdapter)); as a service, Martlet's package "
                            + "does that by itself")
                }
                    ?? Finding(
                        "adapter", .failure, "\(name)\(place) is up, in the hands of the kernel",
                        "\(.machine(.adapterDown, name))"))
        } else if state?.isUnfinished == true {
            findings.append(
                Finding(
                    "adapter", .failure, "\(name)\(place): the kernel could not set it up, and does not try again",
                    "Unplug it and plug it in, or start the machine anew; the reason is in the log of the kernel: \(.machine(.kernelOnAdapter, name))"
                ))
        } else if let gateway {
            findings.append(
                Finding(
                    "adapter", .note, "\(name)\(place): a gateway (process \(gateway.identifier)) has it, or wants it",
                    "Its socket does not answer at this configuration: is it run with another --config?"))
        } else {
            findings.append(Finding("adapter", .fine, "\(name)\(place) is free"))
            if let daemon {
                findings.append(
                    Finding(
                        "adapter", .warning, "bluetoothd (process \(daemon.identifier)) runs, and may take it",
                        "\(.machine(.freeAdapter))"))
            }
        }
        return findings
    }

    private func missing(_ name: String, _ adapters: [String]) -> Finding {
        if !adapters.isEmpty {
            let others = adapters.joined(separator: ", ")
            return Finding(
                "adapter", .failure, "there is no \(name); there is: \(others)",
                "Name it in the configuration: controller = \"\(adapters[0])\" below [bluetooth]")
        }
        if surroundings.isContainer {
            return Finding(
                "adapter", .failure, "no adapter is seen in this container",
                "Run the container in the host's network (--network host) with NET_ADMIN: docs/containers.md")
        }
        if surroundings.hasBluetooth() == false {
            return Finding(
                "adapter", .failure, "this kernel has no Bluetooth",
                "\(.machine(.loadBluetooth)); where that is unknown, the kernel was built without it")
        }
        guard surroundings.isRaspberryPi else {
            return Finding(
                "adapter", .failure, "there is no Bluetooth adapter",
                "Plug an adapter in; the kernel has a log: \(.machine(.kernelOnBluetooth))")
        }
        for path in ["/boot/firmware/config.txt", "/boot/config.txt"] {
            let lines = surroundings.text(path)?.split(separator: "\n") ?? []
            let isOff = lines.contains { line in
                let words = line.drop { $0 == " " }
                return words.hasPrefix("dtoverlay=disable-bt") || words.hasPrefix("dtoverlay=pi3-disable-bt")
            }
            if isOff {
                return Finding(
                    "adapter", .failure, "the board's Bluetooth is switched off in \(path)",
                    "Take the line dtoverlay=disable-bt out of it, and start the machine anew.")
            }
        }
        let firmware = ["/lib/firmware/brcm", "/usr/lib/firmware/brcm"].flatMap { surroundings.names(in: $0) }
        guard firmware.contains(where: { $0.hasSuffix(".hcd") }) else {
            return Finding(
                "adapter", .failure,
                "the firmware of the board's Bluetooth is missing (BCM….hcd below /lib/firmware/brcm)",
                "\(.machine(.bluetoothFirmware)), then start the machine anew")
        }
        return Finding(
            "adapter", .failure, "the board's Bluetooth does not come up",
            "The kernel says why: \(.machine(.kernelOnBluetooth)); is enable_uart or the serial console in the way?"
        )
    }

    private func serial(_ device: String) -> Finding {
        guard surroundings.exists(device) else {
            return Finding(
                "adapter", .failure, "there is no \(device)", "\(.machine(.listSerial)) shows what there is.")
        }
        guard surroundings.isWritable(device) else {
            return Finding(
                "adapter", .failure, "\(device) is there, and may not be used by you",
                "As a service: see serial.conf among the examples in /usr/share/doc/martlet")
        }
        return Finding("adapter", .fine, "\(device) is there")
    }
}
