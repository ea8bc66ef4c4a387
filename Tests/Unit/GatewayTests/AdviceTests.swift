// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import HCITransport
import Readings
import TestMaterials
import Testing

@testable import Doctor
@testable import Gateway
@testable import GatewayBench
@testable import Health
@testable import martlet

/// Each command of an advice works on each installation.
struct AdviceTests {
    private static let installations =
        Installation.Kind.allCases.map { Installation($0) }
        + [
            Installation(.hand, configuration: "/tmp/my gateway.toml"),
            Installation(.container, configuration: "/etc/m.toml"),
        ] + ContainerEngine.allCases.map { Installation(.container, engine: $0) }

    private static let programs: [ContainerEngine: String] = [
        .docker: "docker", .podman: "podman", .rootlessPodman: "podman", .nerdctl: "nerdctl", .kubernetes: "kubectl",
    ]

    /// The words of a line, as a shell takes them apart.
    private static func words(_ line: String) throws -> [String] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "printf '%s\\n' " + line]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try? output.fileHandleForReading.close()
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// The arguments of the gateway's program in a line, without `sudo` and `docker exec`.
    private static func arguments(_ line: String, on installation: Installation) throws -> [String] {
        var words = try words(line.components(separatedBy: " > ").first ?? line)[...]
        if installation.kind == .container {
            if words.first == "sudo" { words = words.dropFirst() }
            let program = words.popFirst()
            #expect(program == Self.programs[installation.engine] && words.popFirst() == "exec", "\(line)")
            if words.first == "-it" { words = words.dropFirst() }
            let isDeployment = installation.engine == .kubernetes
            #expect(words.popFirst() == (isDeployment ? "deploy/martlet" : "martlet"), "its name: \(line)")
            if isDeployment { #expect(words.popFirst() == "--", "\(line)") }
        } else if words.first == "sudo" {
            #expect(installation.kind != .image, "the image has no sudo: \(line)")
            words = words.dropFirst()
        }
        #expect(words.first == "martlet", "\(line)")
        return Array(words.dropFirst())
    }

    private static func parses(_ command: AdvisedCommand, on installation: Installation) throws {
        let line = command.line(on: installation)
        let arguments = try arguments(line, on: installation)
        #expect(throws: Never.self, "\(line)") { _ = try Martlet.parseAsRoot(arguments) }
    }

    @Test(arguments: MartletVerb.allCases)
    func `the program takes each advised verb, on each installation`(verb: MartletVerb) throws {
        for installation in Self.installations { try Self.parses(.martlet(verb, verb.example), on: installation) }
    }

    @Test(arguments: MachineDeed.allCases)
    func `a shell takes each advised command of the machine`(deed: MachineDeed) throws {
        for installation in Self.installations {
            let command = AdvisedCommand.machine(deed, deed.example)
            let line = command.line(on: installation)
            #expect(!line.isEmpty && !line.hasSuffix("."))
            guard command.isCommand(on: installation) else { continue }
            let shell = Process()
            shell.executableURL = URL(fileURLWithPath: "/bin/sh")
            shell.arguments = ["-n", "-c", line]
            try shell.run()
            shell.waitUntilExit()
            #expect(shell.terminationStatus == 0, "\(line)")
            if installation.kind == .image { #expect(!line.contains("sudo"), "\(line)") }
            let isOfService = [
                .start, .stop, .restart, .reload, .enable, .log, .controllerHelper, .networkHelper, .updateHelper,
                .machineLog,
            ].contains(deed)
            if installation.kind == .container {
                let program = try #require(Self.programs[installation.engine])
                #expect((line.hasPrefix("\(program) ") || line.hasPrefix("sudo \(program) ")) == isOfService, "\(line)")
            }
        }
    }

    @Test(arguments: ProblemTable.rows.map(\.code))
    func `the commands of a problem's remedy work, whatever the sensor is called`(code: ProblemCode) throws {
        let row = ProblemTable.row(code)
        for subject in ["kitchen", "a b", "it's", "$(reboot)", "-x;reboot"] {
            let advice = row.remedy?.filled(["subject": subject])
            for installation in Self.installations {
                for command in advice?.commands ?? [] {
                    guard case .martlet(_, let given) = command else { continue }
                    let arguments = try Self.arguments(command.line(on: installation), on: installation)
                    let line = command.line(on: installation)
                    for word in given { #expect(arguments.contains(word) || line.hasSuffix(" > \(word)"), "\(line)") }
                    if !subject.hasPrefix("-") { try Self.parses(command, on: installation) }
                }
            }
        }
    }

    @Test func `an advice names the command of the installation`() {
        let advice: Advice = "Run \(.martlet(.doctor)), then \(.machine(.restart)): \("words")."
        #expect(
            advice.text(on: .package) == "Run sudo martlet doctor, then sudo systemctl restart martlet: words.")
        #expect(advice.text(on: Installation(.image)) == "Run martlet doctor, then systemctl restart martlet: words.")
        #expect(
            advice.text(on: Installation(.container))
                == "Run docker exec martlet martlet doctor, then docker restart martlet: words.")
        #expect(
            advice.text(on: Installation(.hand, configuration: "/tmp/m.toml"))
                == "Run sudo martlet doctor --config /tmp/m.toml, then end the gateway and start it again: words.")
        #expect(
            AdvisedCommand.martlet(.pair, "x").line(on: Installation(.container))
                == "docker exec -it martlet martlet pair x")
    }

    @Test(arguments: [
        (ContainerEngine.docker, "docker exec martlet martlet status", "docker restart martlet", "docker stop martlet"),
        (.podman, "sudo podman exec martlet martlet status", "sudo podman restart martlet", "sudo podman stop martlet"),
        (.rootlessPodman, "podman exec martlet martlet status", "podman restart martlet", "podman stop martlet"),
        (
            .nerdctl, "sudo nerdctl exec martlet martlet status", "sudo nerdctl restart martlet",
            "sudo nerdctl stop martlet"
        ),
        (
            .kubernetes, "kubectl exec deploy/martlet -- martlet status", "kubectl rollout restart deploy/martlet",
            "kubectl scale --replicas=0 deploy/martlet"
        ),
    ])
    func `a container's commands are those of its engine`(
        engine: ContainerEngine, status: String, restart: String, stop: String
    ) {
        let installation = Installation(.container, engine: engine)
        #expect(AdvisedCommand.martlet(.status).line(on: installation) == status)
        #expect(AdvisedCommand.machine(.restart).line(on: installation) == restart)
        #expect(AdvisedCommand.machine(.stop).line(on: installation) == stop)
    }

    @Test func `the words of the library are those of a package`() {
        let deeds: [TransportDeed] = [
            .freeAdapter, .unblockBluetooth, .loadBluetooth, .kernelOnBluetooth, .adapterDown("hci0"),
            .kernelOnAdapter("hci0"), .allowAdapter(program: "/usr/bin/martlet"), .listSerial, .joinSerial,
            .serialUsers(device: "/dev/serial0"), .gatewayStatus, .stopGateway, .restartHelper, .machineLog,
        ]
        for deed in deeds { #expect(deed.advised.line(on: .package) == deed.command) }
    }

    @Test func `the installation is known by the files of the machine`() {
        func found(
            _ files: Set<String>, users: String = "0 0 4294967295", _ path: String = "/etc/martlet/martlet.toml"
        ) -> Installation {
            let engine = ContainerEngine.found({ files.contains($0) }) { $0 == "/proc/self/uid_map" ? users : nil }
            return .found(configuration: path, standard: "/etc/martlet/martlet.toml", engine: engine) {
                files.contains($0)
            }
        }
        let unit = "/usr/lib/systemd/system/martlet.service"
        #expect(found([unit]) == .package)
        #expect(found([unit, "/etc/rauc/system.conf"]) == Installation(.image))
        #expect(found([unit, "/.dockerenv"]) == Installation(.container))
        let podman: Set<String> = ["/run/.containerenv", ContainerEngine.image]
        #expect(found(podman) == Installation(.container, engine: .podman))
        #expect(found(podman, users: "  0  1000  1\n") == Installation(.container, engine: .rootlessPodman))
        #expect(found(["/.dockerenv"], users: "0 1000 1") == Installation(.container))
        let pod = podman.union(["/.dockerenv", "/var/run/secrets/kubernetes.io"])
        #expect(found(pod) == Installation(.container, engine: .kubernetes))
        #expect(found([ContainerEngine.image]) == Installation(.container, engine: .nerdctl))
        #expect(found([]) == Installation(.hand))
        #expect(found([unit], users: "", "/home/me/m.toml") == Installation(.hand, configuration: "/home/me/m.toml"))
    }

    @Test func `the account and the doctor show the commands of their installation`() throws {
        var status = GatewayHealthTests.status { ($0.journal.problem, $0.journal.isFull) = ("no room", true) }
        var health = GatewayHealth(isPatient: false, on: Installation(.container))
        _ = health.judge(&status, at: 0)
        #expect(status.problems?.first?.remedy?.contains("docker exec martlet martlet buffer stats") == true)
        let finding = Finding("disk", .failure, "it is full", "Start it: \(.machine(.enable))")
        #expect(finding.remedy == "Start it: sudo systemctl enable --now martlet")
        #expect(finding.shown(on: Installation(.image)).remedy == "Start it: systemctl enable --now martlet")
        let read = try JSONDecoder().decode(Finding.self, from: JSONEncoder().encode(finding))
        #expect(read.remedy == finding.remedy && read.shown(on: Installation(.image)).remedy == finding.remedy)
    }

    private static var table: String {
        let heads = "| package | flashed image | container | by hand |\n| --- | --- | --- | --- |\n"
        func row(_ command: AdvisedCommand) -> String {
            let cells = Installation.Kind.allCases.map { kind in
                let installation = Installation(kind)
                let line = command.line(on: installation).replacing("|", with: "\\|")
                return command.isCommand(on: installation) ? "`\(line)`" : line
            }
            return "| " + cells.joined(separator: " | ") + " |\n"
        }
        let verbs = MartletVerb.allCases.map { row(.martlet($0, $0.example)) }
        let deeds = MachineDeed.allCases.map { row(.machine($0, $0.example)) }
        let commands = MachineDeed.allCases.map { AdvisedCommand.machine($0, $0.example) }
            .filter { $0.isCommand(on: .package) }.map { $0.line(on: .package) }
        return heads + (verbs + deeds).joined() + "\n```sh\n" + commands.joined(separator: "\n") + "\n```\n"
    }

    @Test func `the documentation has each advised command`() throws {
        let remedy = "MARTLET_WRITE=1 make unit TEST=AdviceTests"
        #expect(
            try MadeFile.holds(
                Self.table, at: "docs/doctor.md", from: "<!-- made from the table: \(remedy) -->\n", to: "<!-- end -->"),
            "\(remedy)")
    }
}
