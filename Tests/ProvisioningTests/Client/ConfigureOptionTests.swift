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
        let person = TerminalPerson()
        var plan = try command.settings.plan(person)
        try command.actions.add(to: &plan)
        return plan
    }

    private func temporaryFile(_ text: String) throws -> String {
        let path = FileManager.default.temporaryDirectory.path + "/martlet-\(UUID().uuidString)"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test("settings and actions come to a plan") func whole() throws {
        let (password, authority) = (try temporaryFile("s3cret\nsecond line\n"), try temporaryFile("PEM"))
        defer { for file in [password, authority] { try? FileManager.default.removeItem(atPath: file) } }
        let plan = try plan(
            "attic", "--name", "Dach", "--country", "de", "--wifi", "Attic", "--wifi-password-file", password,
            "--hidden",
            "--broker", "mqtt.local", "--tls", "--ca", authority, "--username", "gw", "--password-file", password,
            "--accept", "c4:7c:8d:00:11:22=kitchen", "--accept", "C4:7C:8D:00:11:23", "--forget", "attic", "--time",
            "--status", "--sensors", "--identify", "--window", "open")
        var wanted = ConfigurePlan()
        (wanted.name, wanted.country) = ("Dach", "DE")
        wanted.wireless = .init(ssid: "Attic", password: Secret("s3cret"), isHidden: true)
        wanted.broker = .init(
            host: "mqtt.local", port: 8883, usesTLS: true, username: "gw", password: Secret("s3cret"))
        wanted.authority = Array("PEM".utf8)
        wanted.accepts = [
            AcceptMessage(address: "C4:7C:8D:00:11:22", id: "kitchen"), AcceptMessage(address: "C4:7C:8D:00:11:23"),
        ]
        wanted.forgets = ["attic"]
        (wanted.setsTime, wanted.showsStatus, wanted.listsSensors) = (true, true, true)
        (wanted.identifies, wanted.window) = (true, true)
        #expect(plan == wanted)
        #expect(plan.hasSettings && !"\(plan)".contains("s3cret"))
    }

    @Test("without options there is nothing to do but to ask") func nothing() throws {
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
        let plan = try command.settings.plan(TerminalPerson())
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
            ["--wifi", String(repeating: "w", count: 33)],
        ])
    func refused(arguments: [String]) {
        #expect(throws: (any Error).self) { try command(arguments) }
    }

    @Test("an unreadable file ends the command before anything is on the air") func missingFile() {
        #expect(throws: ExitCode(2)) { try plan("--broker", "h", "--password-file", "/nonexistent") }
        #expect(throws: ExitCode(2)) { try plan("--ca", "/nonexistent") }
    }

    @Test("numbers of a list are read with blanks and commas, each once") func numbers() {
        #expect(ConfigureDialogue.chosen("1, 3 3", of: 3) == [1, 3])
        for text in ["", "0", "4", "1 x", "-1"] { #expect(ConfigureDialogue.chosen(text, of: 3) == nil) }
    }

    @Test("ids and countries are guessed from the machine") func guesses() {
        #expect(ConfigureDialogue.identifier(of: "Heart-rate  strap!") == "heart-rate-strap")
        #expect(ConfigureDialogue.identifier(of: "温度計") == "")
        #expect(ConfigureDialogue.country(of: "de_DE.UTF-8") == "DE")
        for language in ["C", "C.UTF-8", "", "POSIX", "en"] { #expect(ConfigureDialogue.country(of: language) == "") }
    }
}
