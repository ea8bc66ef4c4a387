// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Gateway
import Provisioning

/// Sets a gateway up by asking a person, from Wi-Fi to sensors. Every failure comes with advice, and the person may try
/// again.
struct ConfigureDialogue {
    let client: ProvisioningClient
    let person: any Person
    let report: any ConfigureReport
    let columns: Int
    /// How long to listen for sensors at a time.
    let listening: Duration

    enum Part: CaseIterable { case wireless, broker, authority, name }

    func run() async throws(ProvisioningClientError) {
        let open = try await client.presentation()
        person.tell("\(open.name) (\(open.model)), \(open.state)")
        do {
            if open.state == "staged",
                try await person.confirms("Changes wait that were not applied. Drop them?", usual: true)
            {
                try await client.dropStaged()
            }
            try await lendTime()
            _ = try await askWireless(isUsual: open.state != "provisioned")
            try await askBroker()
            try await askName(open.name)
            try await apply()
            try await askSensors()
            report.show(.status(try await client.status()))
            person.tell(
                "Done. It goes on by itself; martlet configure \(Self.word(open.name)) --status shows how it is doing.")
        } catch let error as ProvisioningClientError {
            throw error
        } catch {
            throw ProvisioningClientError(
                .passkeyWanted,
                "Nobody is there to answer: run the command in a terminal, or give it its settings. What was applied stays."
            )
        }
    }

    /// The word in the shell's syntax.
    private static func word(_ text: String) -> String {
        text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" } ? text : "'\(text)'"
    }

    /// A gateway without a network has only our clock, and TLS needs the time.
    private func lendTime() async throws {
        guard let time = try? await client.time(), time.clock != "synced" else { return }
        do throws(ProvisioningClientError) {
            try await client.setTime()
            person.tell("The gateway had no time that it could trust: it has this machine's now.")
        } catch {
            guard !error.isLinkLost else { throw error }
            tell(error)
        }
    }

    /// Runs `body` until success, or until the person gives up.
    func retrying(_ question: String, _ body: () async throws -> Void) async throws {
        while true {
            do {
                return try await body()
            } catch let error as ProvisioningClientError where !error.isLinkLost {
                tell(error)
                guard try await person.confirms(question, usual: true) else { return }
            }
        }
    }

    func tell(_ error: ProvisioningClientError) {
        for text in [error.description] + [ConfigureText.advice(error.reason)].compactMap(\.self) {
            for line in Text.wrapped(text, columns, indent: 2) { person.tell(line) }
        }
    }

    // MARK: Broker and name

    func askBroker() async throws {
        let present = try await client.broker()
        try await retrying("Enter the broker again?") {
            var broker = ConfigurePlan.Broker()
            let usual = present.host.flatMap { $0.isEmpty ? nil : $0 } ?? ""
            var place: BrokerPlace?
            while place == nil {
                let text = try await person.ask("MQTT broker, host or host:port", usual: usual)
                guard !text.isEmpty else { return person.tell("The broker stays as it is.") }
                place = BrokerPlace(text)
                if place == nil { person.tell("That is no host: write it like mqtt.local or 192.168.1.5:8883.") }
            }
            broker.host = place?.host
            let usesTLS = try await person.confirms("Does it speak TLS?", usual: present.tls ?? true)
            broker.usesTLS = usesTLS
            let isSame = place?.host == present.host && usesTLS == present.tls
            broker.port = place?.port ?? (isSame ? present.port : nil) ?? (usesTLS ? 8883 : 1883)
            broker.username = try await person.ask("User there, empty for none", usual: present.username ?? "")
            if broker.username?.isEmpty == false {
                let keeps = present.passwordSet == true ? ", empty keeps the present one" : ""
                let password = try await person.askSecret("Password\(keeps)")
                if !password.isEmpty { broker.password = Secret(password) }
            }
            if usesTLS { try await askAuthority() }
            try await client.setBroker(broker.message)
        }
    }

    private func askAuthority() async throws {
        try await retrying("Name another file?") {
            let file = try await person.ask("File with the broker's CA certificate, empty for the system's authorities")
            guard !file.isEmpty else { return }
            guard let octets = FileManager.default.contents(atPath: file) else {
                throw ProvisioningClientError(.notValid, "\(Text.plain(file)) cannot be read.")
            }
            try await client.uploadAuthority([UInt8](octets)) { report.show(.uploaded(octets: $0, size: $1)) }
        }
    }

    private func askName(_ present: String) async throws {
        try await retrying("Enter another name?") {
            let name = try await person.ask("Name of the gateway", usual: present)
            if name != present { try await client.setName(name) }
        }
    }

    // MARK: Applying

    /// Applies until success, or until the person gives up. In between, the person may correct the settings.
    func apply() async throws {
        while true {
            do throws(ProvisioningClientError) {
                return try await client.apply { report.show(.progress($0)) }
            } catch {
                guard !error.isLinkLost else { throw error }
                if error.reason == "nothing-there" { return person.tell("Nothing has changed.") }
                tell(error)
                switch try await person.ask(
                    "Enter again: 1 Wi-Fi, 2 broker, 3 nothing, try again, 4 give up", usual: usual(error))
                {
                case "1": if try await !askWireless(isUsual: true) { try await askBroker() }
                case "2": try await askBroker()
                case "4":
                    // A forgotten staged change would block other changes.
                    try? await client.dropStaged()
                    throw error
                default: break
                }
            }
        }
    }

    /// The usual answer after this failure: the settings to enter again.
    private func usual(_ error: ProvisioningClientError) -> String {
        switch error.reason {
        case "wrong-password", "password-or-signal", "network-not-found", "no-country", "no-wifi": "1"
        case "no-name", "no-connection", "tls", "certificate", "broker-refused": "2"
        default: "3"
        }
    }
}
