// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BluetoothCore
import Foundation
import Gateway
import Testing

@testable import Provisioning
@testable import martlet

/// The meaning of the options of `martlet configure`.
@Suite("The options of configure") struct ConfigureOptionTests {
    private func command(_ arguments: [String]) throws -> ConfigureCommand { try ConfigureCommand.parse(arguments) }

    private func plan(_ arguments: String...) throws -> ConfigurePlan {
        let command = try command(arguments)
        var input = TerminalInput()
        var plan = try command.settings.plan(&input)
        try command.actions.add(to: &plan, &input)
        return plan
    }

    private func temporaryFile(_ text: String) throws -> String {
        let path = FileManager.default.temporaryDirectory.path + "/martlet-\(UUID().uuidString)"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test("settings and actions come to a plan") func whole() throws {
        let (password, authority) = (try temporaryFile("s3cret\nsecond line\n"), try temporaryFile("PEM"))
        let passkey = try temporaryFile("019655\n")
        defer { for file in [password, authority, passkey] { try? FileManager.default.removeItem(atPath: file) } }
        let plan = try plan(
            "attic", "--name", "Dach", "--country", "de", "--wifi", "Attic", "--wifi-password-file", password,
            "--hidden",
            "--broker", "mqtt.local", "--tls", "--ca", authority, "--username", "gw", "--password-file", password,
            "--accept", "c4:7c:8d:00:11:22=kitchen", "--accept", "C4:7C:8D:00:11:23", "--forget", "attic", "--time",
            "--sensor-passkey-file", "c4:7c:8d:00:11:23=\(passkey)",
            "--status", "--sensors", "--identify", "--window", "open")
        var wanted = ConfigurePlan()
        (wanted.name, wanted.country) = ("Dach", "DE")
        wanted.wireless = .init(ssid: "Attic", password: Secret("s3cret"), isHidden: true)
        wanted.broker = .init(
            host: "mqtt.local", port: 8883, usesTLS: true, username: "gw", password: Secret("s3cret"))
        wanted.authority = Array("PEM".utf8)
        wanted.accepts = [
            AcceptMessage(address: "C4:7C:8D:00:11:22", id: "kitchen"),
            AcceptMessage(address: "C4:7C:8D:00:11:23", passkey: "019655"),
        ]
        wanted.forgets = ["attic"]
        (wanted.setsTime, wanted.showsStatus, wanted.listsSensors) = (true, true, true)
        (wanted.identifies, wanted.window) = (true, true)
        #expect(plan == wanted)
        #expect(plan.hasSettings && !"\(plan)".contains("s3cret"))
    }

    @Test("without options there is nothing to do") func nothing() throws {
        #expect(try plan().isEmpty)
        #expect(try plan("attic", "--json").isEmpty)
        #expect(try plan("--status").hasSettings == false)
    }

    @Test(
        "a broker has the usual port of its protocol",
        arguments: [
            (["--broker", "h"], "h", 1883), (["--broker", "h", "--tls"], "h", 8883),
            (["--broker", "h", "--no-tls"], "h", 1883), (["--broker", "h:99", "--tls"], "h", 99),
            (["--broker", "[fd00::1]:99"], "fd00::1", 99), (["--broker", "[fd00::1]"], "fd00::1", 1883),
            (["--broker", "fd00::1"], "fd00::1", 1883),
        ])
    func broker(arguments: [String], host: String, port: Int) throws {
        let command = try command(arguments)
        var input = TerminalInput()
        let plan = try command.settings.plan(&input)
        #expect(plan.broker.host == host && plan.broker.port == port)
    }

    @Test(
        "senseless options are refused before anything is on the air",
        arguments: [
            ["--passkey", "12345"], ["--passkey", "123456", "--passkey-file", "f"], ["--country", "DEU"],
            ["--country", "4Z"], ["--hidden"], ["--wifi-password-file", "f"], ["--broker", ""], ["--broker", "h:0"],
            ["--broker", "h:99999"], ["--broker", "a b"], ["--broker", "[fd00::1"], ["--ca", "f", "--no-ca"],
            ["--accept", "kitchen"], ["--accept", "C4:7C:8D:00:11:22="], ["--window", "ajar"], ["--seconds", "0"],
            ["--controller", "nonsense"], ["--name", ""], ["--name", String(repeating: "n", count: 33)],
            ["--wifi", String(repeating: "w", count: 33)], ["--sensor-passkey-file", "C4:7C:8D:00:11:22=f"],
            ["--accept", "C4:7C:8D:00:11:22", "--sensor-passkey-file", "C4:7C:8D:00:11:23=f"],
            ["--accept", "C4:7C:8D:00:11:22", "--sensor-passkey-file", "f"],
            ["--accept", "C4:7C:8D:00:11:22", "--sensor-passkey-file", "C4:7C:8D:00:11:22"],
            [
                "--accept", "C4:7C:8D:00:11:22", "--sensor-passkey-file", "C4:7C:8D:00:11:22=f",
                "--sensor-passkey-file", "C4:7C:8D:00:11:22=g",
            ],
        ])
    func refused(arguments: [String]) {
        #expect(throws: (any Error).self) { try command(arguments) }
    }

    @Test("an unreadable file ends the command before anything is on the air") func missingFile() {
        #expect(throws: ExitCode(2)) { try plan("--broker", "h", "--password-file", "/nonexistent") }
        #expect(throws: ExitCode(2)) { try plan("--ca", "/nonexistent") }
        let sensor = "C4:7C:8D:00:11:22"
        for file in ["/nonexistent", "/dev/null"] {
            #expect(throws: ExitCode(2)) { try plan("--accept", sensor, "--sensor-passkey-file", "\(sensor)=\(file)") }
        }
    }

    @Test("a gateway without anything to do ends the command before anything is on the air") func nothingToDo() throws {
        #expect(throws: ExitCode(2)) { try command(["attic"]).check(ConfigurePlan()) }
        #expect(throws: Never.self) { try command([]).check(ConfigurePlan()) }
        #expect(throws: Never.self) { try command(["attic", "--status"]).check(try plan("--status")) }
        #expect(ConfigureText.calls(for: "attic").contains { $0.hasPrefix("  martlet configure attic --passkey - ") })
        #expect(ConfigureText.calls(for: "Dach boden").contains("  martlet configure 'Dach boden' --sensors"))
        #expect(ConfigureText.calls(for: "it's").contains(#"  martlet configure 'it'\''s' --sensors"#))
    }
}
