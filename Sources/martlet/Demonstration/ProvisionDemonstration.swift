// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Gateway
import Glibc
import Health
import VirtualRadio

/// A gateway that is not set up yet, a phone that sets it up over the air, and a broker that receives the readings. All
/// run on this machine; gateway and phone are processes of their own.
final class ProvisionDemonstration {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static let sensorCount = 5
    /// Longer than the whole demonstration on a slow board.
    private static let patience: Duration = .seconds(60)

    private let folder: TemporaryFolder
    private let radio = VirtualRadio()
    private let credentials: DemoCredentials
    private let broker: PrivateBroker
    private let gateway: LeashedProcess
    /// A terminal with the open window.
    private var terminal: LeashedProcess?
    private let program: String
    private var step = 0

    init() throws {
        folder = try TemporaryFolder()
        program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        credentials = try DemoCredentials(folder: folder.path)
        broker = try PrivateBroker(folder: folder.path, access: credentials.access)
        // Each new connection gets the first free address: the gateway connects first.
        try radio.listen(unixPath: folder.path + "/air.sock", addresses: [.demonstrationController, Self.phone])
        for sensor in VirtualSensor.demonstration(count: Self.sensorCount) { radio.addSensor(sensor) }
        let configuration = """
            [bluetooth]
            controller = "unix:\(folder.path)/air.sock"
            state_directory = "\(folder.path)/state"
            [journal]
            path = "\(folder.path)/journal.db"
            commit_interval_ms = 200
            [clock]
            require_sync = false
            [control]
            socket = "\(folder.path)/control.sock"
            [provisioning]
            network_socket = "\(folder.path)/no-network.sock"

            """
        try Data(configuration.utf8).write(to: URL(fileURLWithPath: folder.path + "/martlet.toml"))
        gateway = try LeashedProcess(
            program, ["run", "--config", folder.path + "/martlet.toml"], signal: SIGTERM,
            output: try Self.output(folder.path + "/gateway.log"))
    }

    private static func output(_ path: String) throws -> FileHandle {
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        guard let output = FileHandle(forWritingAtPath: path) else {
            throw Failure(description: "\(path) cannot be made")
        }
        return output
    }

    private static let phone = DeviceAddress(kind: .public, value: 0x02_4D_41_52_54_50)

    /// All steps, in the order of a person's work; throws if a step fails.
    func run() throws {
        say("A new gateway, \(Self.sensorCount) sensors, and a broker here with TLS")
        say("and a password. The gateway knows none of them: its file names no broker and no sensor.")
        try waitForGateway()
        begin("A terminal at the gateway shows the passkey for the first phone", "martlet provision open")
        let passkey = try openWindow()
        say("   \(passkey)")
        begin("A phone pairs by this passkey, and sees the sensors of the gateway", "martlet configure --sensors")
        let sensors = try phone(["--passkey-file", try secret(passkey, "passkey"), "--sensors"])
        let wanted = ["C4:7C:8D:00:11:01", "C4:7C:8D:00:11:02"]
        try require(wanted.allSatisfy(sensors.text.contains), "the gateway does not hear the sensors", sensors)
        begin("The phone gives the broker, with a wrong password", "martlet configure --broker … --tls --ca …")
        let wrong = try phone(settings(password: "not the password"), succeeds: false)
        try require(wrong.text.contains("settings of before hold again"), "the wrong password was not told", wrong)
        begin("The phone gives the right password, and accepts two sensors", "martlet configure … --accept …")
        let right = try phone(
            settings(password: credentials.password) + [
                "--accept", wanted[0] + "=fridge", "--accept", wanted[1] + "=living-room",
            ])
        try require(right.text.contains("uses its new settings"), "the settings were not applied", right)
        begin("Their readings arrive at the broker", "mosquitto_sub -t 'martlet/dev/#'")
        for sensor in ["fridge", "living-room"] { say("   " + (try reading(of: sensor))) }
        begin("The phone comes back without a passkey, and sees the status", "martlet configure --status")
        let status = try phone(["--status"])
        try require(status.text.contains("2 accepted"), "the gateway does not collect", status)
        say("")
        say("The gateway is set up, and collects.")
    }

    func stop() {
        terminal?.stop()
        gateway.stop()
        radio.stop()
        broker.stop()
    }

    /// The gateway's last lines, for the search for a mistake.
    var gatewayLog: [String] {
        let text = (try? String(contentsOfFile: folder.path + "/gateway.log", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").suffix(10).map(String.init)
    }

    // MARK: Steps

    private func begin(_ what: String, _ command: String) {
        step += 1
        say("")
        say("\(step)  \(what).")
        say("   $ \(command)")
    }

    private func say(_ text: String) { Output.line(text) }

    private func require(_ isSo: Bool, _ complaint: String, _ call: Call) throws {
        guard !isSo else { return }
        throw Failure(description: "\(complaint): \(call.text)\(call.errors)")
    }

    private func settings(password: String) throws -> [String] {
        [
            "--broker", "localhost:\(broker.port)", "--tls", "--ca", credentials.access.certificate, "--username",
            credentials.username, "--password-file", try secret(password, "password"),
        ]
    }

    private func secret(_ text: String, _ name: String) throws -> String {
        let path = "\(folder.path)/\(name)"
        try Data((text + "\n").utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    private var control: [String] { ["--socket", folder.path + "/control.sock"] }

    private func waitForGateway() throws {
        let answer = try wait { () -> Call? in
            let status = try call(["provision", "status"] + control)
            return status.isGood ? status : nil
        }
        guard answer != nil else { throw Failure(description: "the gateway does not answer") }
    }

    private func openWindow() throws -> String {
        let path = folder.path + "/terminal"
        terminal = try LeashedProcess(
            program, ["provision", "open", "--json"] + control, signal: SIGTERM, output: try Self.output(path))
        var text = ""
        let passkey = try wait { () -> String? in
            text = try String(contentsOfFile: path, encoding: .utf8)
            return text.firstMatch(of: /"passkey" ?: ?"(?<digits>[0-9]{6})"/).map { String($0.digits) }
        }
        guard let passkey else { throw Failure(description: "the gateway shows no passkey: \(text)") }
        return passkey
    }

    /// Asks again until an answer comes; nil after the time limit.
    private func wait<Answer>(for answer: () throws -> Answer?) throws -> Answer? {
        let end = ContinuousClock.now + Self.patience
        repeat {
            if let answer = try answer() { return answer }
            usleep(100_000)
        } while ContinuousClock.now < end
        return nil
    }

    /// Runs the phone once, and shows its output. The phone keeps its keys between calls.
    @discardableResult
    private func phone(_ arguments: [String], succeeds: Bool = true) throws -> Call {
        let call = try call(
            ["configure", DeviceAddress.demonstrationController.description] + arguments + [
                "--controller", "unix:\(folder.path)/air.sock", "--state-directory", folder.path + "/phone",
            ])
        for line in (call.text + call.errors).split(separator: "\n") { say("   \(line)") }
        guard call.isGood == succeeds else {
            throw Failure(description: succeeds ? "the phone could not do it" : "this was to fail, and did not")
        }
        return call
    }

    private func reading(of sensor: String) throws -> String {
        let call = try call(
            ["-p", "\(broker.port)", "--cafile", credentials.access.certificate]
                + ["state", "history"].flatMap { ["-t", "martlet/dev/\(sensor)/\($0)"] }
                + ["-C", "1", "-W", "60", "-v"], program: "/usr/bin/mosquitto_sub")
        let line = call.text.split(separator: "\n").first.map(String.init) ?? ""
        try require(call.isGood && !line.isEmpty, "no reading of \(sensor) arrived", call)
        return Text.prefix(line, 100)
    }

    private struct Call {
        var text: String
        var errors: String
        var isGood: Bool
    }

    private func call(_ arguments: [String], program: String? = nil) throws -> Call {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program ?? self.program)
        process.arguments = arguments
        // mosquitto_sub reads user and password from this folder, hidden from other users.
        process.environment = ProcessInfo.processInfo.environment.merging(["XDG_CONFIG_HOME": folder.path]) { $1 }
        let errorPath = folder.path + "/errors"
        _ = FileManager.default.createFile(atPath: errorPath, contents: nil)
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle(forWritingAtPath: errorPath) ?? FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.runReachable()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let errors = (try? Data(contentsOf: URL(fileURLWithPath: errorPath))) ?? Data()
        return Call(
            text: String(decoding: text, as: UTF8.self), errors: String(decoding: errors, as: UTF8.self),
            isGood: process.terminationReason == .exit && process.terminationStatus == 0)
    }
}

/// A user, a password and a certificate for a broker that lives as long as the demonstration.
struct DemoCredentials {
    let username = "attic"
    let password: String
    let access: PrivateBroker.Access

    init(folder: String) throws {
        password = (0..<4).map { _ in String(UInt32.random(in: .min ... .max), radix: 36) }.joined(separator: "-")
        let files = PrivateBroker.Access(
            passwordFile: folder + "/passwords", certificate: folder + "/broker.pem", key: folder + "/broker.key")
        access = files
        try Data("\(username):\(password)\n".utf8).write(to: URL(fileURLWithPath: files.passwordFile))
        chmod(files.passwordFile, 0o600)
        // mosquitto_passwd replaces passwords by their hashes.
        try Self.run("/usr/bin/mosquitto_passwd", ["-U", files.passwordFile])
        try Self.run(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-keyout", files.key, "-out", files.certificate, "-subj", "/CN=localhost", "-addext",
                "subjectAltName=DNS:localhost",
            ])
        try Data("-u \(username)\n-P \(password)\n".utf8).write(to: URL(fileURLWithPath: folder + "/mosquitto_sub"))
    }

    private static func run(_ program: String, _ arguments: [String]) throws {
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw ProvisionDemonstration.Failure(
                description: Advice.here("\(program) is missing: \(.machine(.install, "mosquitto", "openssl"))"))
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.runReachable()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw ProvisionDemonstration.Failure(description: "\(program) has failed")
        }
    }

}
