// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BluetoothCore
import CoreBluetooth
import Foundation
import Gateway
import Glibc
import Provisioning

struct ConfigurePairingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The gateway's passkey, six digits; - reads it from standard input.", valueName: "digits"))
    var passkey: String?

    @Option(help: ArgumentHelp("A file with the passkey.", valueName: "file"))
    var passkeyFile: String?

    func validate() throws {
        guard passkey == nil || passkeyFile == nil else {
            throw ValidationError("--passkey or --passkey-file, not both")
        }
        if let passkey, passkey != "-", CBPasskey(passkey) == nil { throw Self.sixDigits }
    }

    func passkey(_ input: inout TerminalInput) throws -> CBPasskey? {
        guard passkey != nil || passkeyFile != nil else { return nil }
        let text: String
        if let passkey, passkey != "-" {
            text = passkey
        } else {
            text = try SecretInput.read(passkeyFile ?? "-", "Passkey: ", &input).revealed
        }
        guard let passkey = CBPasskey(text) else {
            Output.error("The passkey has six digits, zeros in front included.")
            throw ExitStatus.usage
        }
        return passkey
    }

    private static let sixDigits = ValidationError("--passkey has six digits, zeros in front included")
}

struct ConfigureSettingOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The gateway's name for people, 1 to 32 characters.", valueName: "name"))
    var name: String?

    @Option(help: ArgumentHelp("The country whose rules the Wi-Fi radio keeps, like DE.", valueName: "code"))
    var country: String?

    @Option(help: ArgumentHelp("The Wi-Fi network to join; '' leaves it.", valueName: "ssid"))
    var wifi: String?

    @Option(help: ArgumentHelp("A file with its password; without, the network is open.", valueName: "file"))
    var wifiPasswordFile: String?

    @Flag(help: "The network does not tell its name.")
    var hidden = false

    @Option(help: ArgumentHelp("The MQTT broker.", valueName: "host[:port]"))
    var broker: String?

    @Flag(inversion: .prefixedNo, help: "Whether the broker speaks TLS.")
    var tls: Bool?

    @Option(
        help: ArgumentHelp("The certificates, in PEM, of the authority that the broker's is from.", valueName: "file"))
    var ca: String?

    @Flag(help: "Trust the authorities of the gateway's system again.")
    var noCA = false

    @Option(help: ArgumentHelp("The gateway's user at the broker; '' for none.", valueName: "user"))
    var username: String?

    @Flag(inversion: .prefixedNo, help: "Whether Home Assistant at that broker is told of the sensors.")
    var homeAssistant: Bool?

    @Option(help: ArgumentHelp("A file with that user's password.", valueName: "file"))
    var passwordFile: String?

    func validate() throws {
        if let name, !(1...32).contains(name.count) { throw ValidationError("--name has 1 to 32 characters") }
        if let country, country.utf8.count != 2 || !country.utf8.allSatisfy({ $0 | 0x20 >= 97 && $0 | 0x20 <= 122 }) {
            throw ValidationError("--country has two letters, like DE")
        }
        if let wifi, wifi.utf8.count > 32 { throw ValidationError("--wifi has 32 octets at most") }
        if wifi == nil, wifiPasswordFile != nil || hidden {
            throw ValidationError("--wifi-password-file and --hidden go with --wifi")
        }
        if let broker, BrokerPlace(broker) == nil { throw ValidationError("--broker is HOST or HOST:PORT") }
        if ca != nil, noCA { throw ValidationError("--ca or --no-ca, not both") }
    }

    func plan(_ input: inout TerminalInput) throws -> ConfigurePlan {
        var plan = ConfigurePlan()
        plan.name = name
        plan.country = country?.uppercased()
        if let wifi {
            plan.wireless = .init(ssid: wifi, isHidden: hidden)
            if let wifiPasswordFile {
                plan.wireless?.password = try SecretInput.read(wifiPasswordFile, "Wi-Fi password: ", &input)
            }
        }
        let place = broker.flatMap { BrokerPlace($0) }
        plan.broker.host = place?.host
        // The usual port of the protocol: a new broker does not inherit the former broker's port.
        plan.broker.port = place.map { $0.port ?? (tls == true ? 8883 : 1883) }
        plan.broker.usesTLS = tls
        plan.broker.homeAssistant = homeAssistant
        plan.broker.username = username
        if let passwordFile { plan.broker.password = try SecretInput.read(passwordFile, "Broker password: ", &input) }
        if noCA { plan.authority = [] }
        if let ca { plan.authority = try SecretInput.octets(of: ca) }
        return plan
    }
}

struct ConfigureActionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Collect from this sensor, under this id in topics; may be given more than once.",
            valueName: "address[=id]"))
    var accept: [String] = []

    @Option(
        help: ArgumentHelp(
            "A file with the passkey of a sensor of --accept; may be given more than once.", valueName: "address=file"))
    var sensorPasskeyFile: [String] = []

    @Option(help: ArgumentHelp("Collect from this sensor no more; may be given more than once.", valueName: "sensor"))
    var forget: [String] = []

    @Flag(help: "List the sensors that the gateway hears, with their values.")
    var sensors = false

    @Flag(help: "List the Wi-Fi networks that the gateway hears.")
    var networks = false

    @Flag(help: "Give the gateway this machine's time.")
    var time = false

    @Flag(help: "Show how the gateway is doing.")
    var status = false

    @Flag(help: "Show the newest lines of its log.")
    var log = false

    @Flag(help: "Blink its LED.")
    var identify = false

    @Option(
        help: ArgumentHelp("Open or close its pairing window; shows the next phone's passkey.", valueName: "open|close")
    )
    var window: String?

    @Flag(help: "Apply what was written before; settings of this call are applied anyway.")
    var apply = false

    @Flag(help: "Drop what was written and not applied; else go back to the settings before the last change.")
    var rollBack = false

    @Flag(help: "Erase the gateway's settings, keys and readings; wants --yes.")
    var factoryReset = false

    @Flag(help: "Really erase everything.")
    var yes = false

    func validate() throws {
        if factoryReset, !yes { throw ValidationError("--factory-reset erases everything. To do it, give --yes") }
        for text in accept where AcceptedSensor(text) == nil {
            throw ValidationError("--accept is an address like C4:7C:8D:00:11:22, or ADDRESS=ID")
        }
        let accepted = Set(accept.compactMap { AcceptedSensor($0)?.message.address })
        let named = passkeyFiles.map(\.address)
        guard named.count == sensorPasskeyFile.count, Set(named).count == named.count, accepted.isSuperset(of: named)
        else {
            throw ValidationError("--sensor-passkey-file is ADDRESS=FILE, once for an address that --accept has")
        }
        if let window, window != "open", window != "close" { throw ValidationError("--window is open or close") }
    }

    var passkeyFiles: [(address: String, file: String)] {
        sensorPasskeyFile.compactMap { text in
            AcceptedSensor(text).flatMap { named in named.message.id.map { (named.message.address, $0) } }
        }
    }

    func add(to plan: inout ConfigurePlan, _ input: inout TerminalInput) throws {
        plan.accepts = accept.compactMap { AcceptedSensor($0)?.message }
        for (address, file) in passkeyFiles {
            guard let index = plan.accepts.firstIndex(where: { $0.address == address }) else { continue }
            let passkey = try SecretInput.read(file, "Passkey of \(address): ", &input).revealed
            guard CBPasskey(passkey) != nil else {
                Output.error("The passkey of \(address) has six digits, zeros in front included.")
                throw ExitStatus.usage
            }
            plan.accepts[index].passkey = passkey
        }
        plan.forgets = forget
        plan.listsSensors = sensors
        plan.listsNetworks = networks
        plan.setsTime = time
        plan.showsStatus = status
        plan.showsLog = log
        plan.identifies = identify
        plan.window = window.map { $0 == "open" }
        plan.applies = apply
        plan.rollsBack = rollBack
        plan.resets = factoryReset
    }
}

/// Secrets from files, or from standard input.
enum SecretInput {
    /// Octets; no password is longer.
    private static let limit = 64 * 1024

    /// The first line of a file, or of standard input if the file is `-`.
    static func read(_ file: String, _ question: String, _ input: inout TerminalInput) throws -> Secret {
        if file == "-" {
            // A pipe needs no prompt.
            guard let line = input.ask(isatty(STDIN_FILENO) == 1 ? question : "", isSecret: true) else {
                Output.error("\(question)nothing came on standard input")
                throw ExitStatus.usage
            }
            return Secret(line)
        }
        let text = String(decoding: try octets(of: file), as: UTF8.self)
        return Secret(String(text.prefix { !$0.isNewline }))
    }

    static func octets(of file: String) throws -> [UInt8] {
        do {
            let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: file))
            defer { try? handle.close() }
            return [UInt8](try handle.read(upToCount: limit) ?? Data())
        } catch {
            Output.error("\(file) cannot be read: \(error.localizedDescription)")
            throw ExitStatus.usage
        }
    }
}
