// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BluetoothCore
import Dispatch
import Gateway
import Glibc
import VirtualRadio

struct VirtualRadioCommand: ListedCommand {
    static let place = HelpPlace(.developer, 20)
    static let configuration = CommandConfiguration(
        commandName: "virtual-radio",
        abstract: "Serve virtual controllers and simulated sensors to any Bluetooth host that speaks H4.",
        discussion: """
            Everyone who connects gets a controller of their own, all in one simulated air. TCP is on 127.0.0.1 only; \
            port 0 picks a free one.

            Each has a public address that nobody had before. Hosts that keep bonds, or remember a controller by its \
            address, need the same one again: --address.
            """,
        examples: [
            "martlet virtual-radio --listen tcp:7400": "for hosts on this machine",
            "martlet virtual-radio --listen tcp:7400 --address C4:7C:8D:00:11:22": "for bonds",
            "martlet virtual-radio --listen unix:radio.sock --sensors 20": "more of them",
            "martlet virtual-radio --listen tcp:7400 --advertiser bthome": "no link",
            "martlet virtual-radio --listen tcp:7400 --controller bcm43455": "as on a Raspberry Pi 4",
            "martlet virtual-radio --listen tcp:7400 --fault frozen@60": "a minute of good health",
            "martlet virtual-radio --list-faults": "what there is",
        ])

    @Option(help: ArgumentHelp("A place to listen at; may be given more than once.", valueName: "tcp:PORT|unix:PATH"))
    var listen: [ListenArgument] = []

    @Option(
        help: ArgumentHelp(
            "A public address, like C4:7C:8D:00:11:22; may be given more than once. A host gets the first one "
                + "that is free.", valueName: "address"))
    var address: [PublicAddressArgument] = []

    @Option(help: ArgumentHelp("Simulated sensors.", valueName: "count"))
    var sensors = VirtualSensor.demonstration.count

    @Option(
        help: ArgumentHelp(
            "All of them are of this kind: \(VirtualSensor.Kind.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "kind"))
    var kind: VirtualSensor.Kind?

    @Option(help: ArgumentHelp("Services that each sensor has behind its own five.", valueName: "count"))
    var furtherServices = 0

    @Option(
        help: ArgumentHelp(
            "A sensor that advertises its values; may be given more than once: "
                + "\(SimulatedFamily.allCases.map(\.rawValue).joined(separator: ", ")).", valueName: "family"))
    var advertiser: [SimulatedFamily] = []

    @Flag(help: "Offer extended advertising.")
    var extendedAdvertising = false

    @Option(
        help: ArgumentHelp(
            "A controller like one that people have: "
                + "\(ControllerPreset.allCases.map(\.rawValue).joined(separator: ", ")).", valueName: "preset"))
    var controller = ControllerPreset.standard

    @Option(help: ArgumentHelp("Links that each controller bears at once.", valueName: "count"))
    var links: Int?

    @Option(
        help: ArgumentHelp(
            "A fault of the controllers; may be given more than once. With @SECONDS it strikes once, so long after the "
                + "first host has connected.", valueName: "name[@seconds]"))
    var fault: [FaultArgument] = []

    @Flag(help: "List the presets of controllers and the faults, and end.")
    var listFaults = false

    @Flag(help: "With --list-faults: as JSON.")
    var json = false

    func validate() throws {
        guard !json || listFaults else { throw ValidationError("--json belongs to --list-faults") }
        if listFaults { return }
        guard !listen.isEmpty else { throw ValidationError("Say where to listen: --listen tcp:PORT or unix:PATH") }
        guard (0...500).contains(sensors) else { throw ValidationError("--sensors is 0 to 500") }
        guard advertiser.count <= 256 else { throw ValidationError("--advertiser is given at most 256 times") }
        guard links.map({ (1...255).contains($0) }) ?? true else { throw ValidationError("--links is 1 to 255") }
        guard (0...64).contains(furtherServices) else { throw ValidationError("--further-services is 0 to 64") }
    }

    func run() throws {
        guard !listFaults else { return try VirtualRadioFaults.printAll(asJSON: json) }
        let radio = VirtualRadio()
        var settings = controller.settings
        if extendedAdvertising { settings.extendedAdvertising = true }
        if let links { settings.maximumLinks = links }
        settings.faults.formUnion(fault.filter { $0.plan.delay == nil }.map(\.plan.fault))
        let addresses = address.map(\.address)
        let plans = fault.map(\.plan)
        let onFault = { @Sendable (fault: ControllerFault) in Output.line("fault \(fault.rawValue)") }
        do {
            for place in listen {
                switch place {
                case .tcp(let port):
                    let port = try radio.listen(
                        tcpPort: port, settings: settings, addresses: addresses, faults: plans, onFault: onFault)
                    Output.line("listening on tcp:127.0.0.1:\(port)")
                case .unix(let path):
                    try radio.listen(
                        unixPath: path, settings: settings, addresses: addresses, faults: plans, onFault: onFault)
                    Output.line("listening on unix:\(path)")
                }
            }
        } catch {
            Output.error("cannot listen: \(error)")
            throw ExitStatus.failure
        }
        for var sensor in VirtualSensor.demonstration(count: sensors) {
            sensor.furtherServices = furtherServices
            if let kind { sensor.kind = kind }
            radio.addSensor(sensor)
            Output.line("sensor \(sensor.address) \(sensor.kind.rawValue) \"\(sensor.name)\"")
        }
        for (number, family) in advertiser.enumerated() {
            let address = DeviceAddress(kind: .public, value: 0xA4_C138_00_12_00 + UInt64(number))
            _ = radio.addBroadcaster(family.configuration(at: address.value))
            let key = family.isEncrypted ? " key \(SimulatedFamily.key.hexadecimal)" : ""
            Output.line("advertiser \(address) \(family.rawValue)\(key)")
        }
        let end = DispatchSemaphore(value: 0)
        let signals = SignalWatch()
        signals.on(SIGTERM, SIGINT, queue: DispatchQueue(label: "martlet.signals")) { end.signal() }
        end.wait()
        withExtendedLifetime(signals) { radio.stop() }
    }
}

/// `tcp:PORT` or `unix:PATH`.
enum ListenArgument: ExpressibleByArgument, Equatable {
    case tcp(UInt16)
    case unix(String)

    init?(argument: String) {
        if argument.hasPrefix("tcp:"), let port = UInt16(argument.dropFirst(4)) {
            self = .tcp(port)
        } else if argument.hasPrefix("unix:"), argument.count > 5 {
            self = .unix(String(argument.dropFirst(5)))
        } else {
            return nil
        }
    }
}

/// `C4:7C:8D:00:11:22`.
struct PublicAddressArgument: ExpressibleByArgument, Equatable {
    let address: DeviceAddress

    init?(argument: String) {
        guard let address = DeviceAddress(argument, kind: .public) else { return nil }
        self.address = address
    }
}

extension VirtualSensor.Kind: ExpressibleByArgument {}
extension SimulatedFamily: ExpressibleByArgument {}

extension VirtualSensor {
    /// The sensors of the demonstration, and variations of these up to `count`.
    static func demonstration(count: Int) -> [Configuration] {
        let models = demonstration
        return (0..<count).map { index in
            var sensor = models[index % models.count]
            let round = index / models.count
            sensor.address = DeviceAddress(
                kind: sensor.address.kind, value: sensor.address.value + UInt64(round * 0x10))
            if round > 0 { sensor.name += " \(round + 1)" }
            return sensor
        }
    }
}

extension DeviceAddress {
    /// The gateway's address in the simulated air: locally administered.
    static let demonstrationController = DeviceAddress(kind: .public, value: 0x02_4D_41_52_54_4C)
}
