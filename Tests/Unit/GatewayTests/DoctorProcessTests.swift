// SPDX-License-Identifier: Apache-2.0

import Doctor
import Foundation
import Testing

@testable import Gateway
@testable import GatewayBench

@Suite("martlet doctor, the program", .serialized)
struct DoctorProcessTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func configuration(port: UInt16, _ more: String = "") throws -> String {
        try folder.write("martlet.toml", folder.gateway(port: port, mqtt: more, sensor: "service = \"heart_rate\""))
        return folder.path("martlet.toml")
    }

    private func diagnose(_ file: String) async throws -> Diagnosis {
        let process = try MartletProcess(["doctor", "--json", "--config", file])
        let status = try await process.end()
        let diagnosis = try ControlCoding.decode(Diagnosis.self, from: Array(process.output.utf8))
        #expect(status == (diagnosis.isHealthy ? 0 : 1), "\(process.errors)")
        return diagnosis
    }

    private func broker(_ diagnosis: Diagnosis) throws -> Finding {
        try #require(diagnosis.findings.first { $0.check == "broker" })
    }

    @Test func `on a machine where nothing is there it says what to do, and ends with 1`() async throws {
        let process = try MartletProcess(["doctor", "--config", folder.path("nowhere.toml")])
        #expect(try await process.end() == 1)
        #expect(
            process.output.contains("✗ configuration  there is no \(folder.path("nowhere.toml"))"), "\(process.output)")
        #expect(process.output.contains("→ Copy /usr/share/doc/martlet/examples/martlet.toml"))
        #expect(
            process.output.contains("keep the gateway from its work") || process.output.contains("keeps the gateway"))
        #expect(process.errors.isEmpty, "\(process.errors)")
    }

    @Test func `a broker is asked as the gateway would, and its refusal told without the password`() async throws {
        #expect(try broker(await diagnose(configuration(port: 1))).found.contains("nothing listens there"))
        let passwords = folder.path("passwords")
        let maker = Process()
        maker.executableURL = URL(fileURLWithPath: "/usr/bin/mosquitto_passwd")
        maker.arguments = ["-c", "-b", passwords, "gate", "geheimnis"]
        (maker.standardOutput, maker.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        try maker.run()
        maker.waitUntilExit()
        try #require(maker.terminationStatus == 0)
        let broker = try Broker(settings: ["allow_anonymous false", "password_file \(passwords)"])
        let anonymous = try self.broker(await diagnose(configuration(port: broker.port)))
        #expect(anonymous.verdict == .failure && anonymous.found.contains("give both"), "\(anonymous)")
        let wrong = try configuration(port: broker.port, "username = \"gate\"\npassword = \"falsches\"")
        let refused = try MartletProcess(["doctor", "--config", wrong])
        #expect(try await refused.end() == 1)
        #expect(refused.output.contains("✗ broker") && !refused.output.contains("falsches"), "\(refused.output)")
        let right = try configuration(port: broker.port, "username = \"gate\"\npassword = \"geheimnis\"")
        let taken = try self.broker(await diagnose(right))
        #expect(taken.verdict == .fine && taken.found.contains("by MQTT 5.0"), "\(taken)")
    }

    @Test func `a board is measured, without an address or a name in the report`() async throws {
        let process = try MartletProcess([
            "selftest", "--controller", "virtual", "--seconds", "1", "--json", "--folder", folder.path,
        ])
        #expect(try await process.end() == 0, "\(process.errors)")
        let report = try ControlCoding.decode(SelfTestReport.self, from: Array(process.output.utf8))
        #expect((report.advertisements?.packets ?? 0) > 0 && report.adapter != nil && report.disk != nil)
        // The simulated sensors' addresses, and the name of the machine.
        #expect(!process.output.localizedCaseInsensitiveContains("C4:7C:8D"))
        #expect(!process.output.contains(ProcessInfo.processInfo.hostName))
        let text = try MartletProcess(["selftest", "--controller", "virtual", "--seconds", "1"])
        #expect(try await text.end() == 0, "\(text.errors)")
        #expect(text.output.contains("advertisements  ") && text.output.contains(" a second from "), "\(text.output)")
    }

    @Test func `a configuration that cannot be taken is no reason to measure something else`() async throws {
        let folder = folder.path("none.toml")
        let missing = try MartletProcess(["selftest", "--controller", "virtual", "--config", folder])
        #expect(try await missing.end() == 78 && missing.errors.contains(folder), "\(missing.errors)")
        try self.folder.write("bad.toml", "nonsense = 1\n")
        let mistaken = try MartletProcess([
            "selftest", "--controller", "virtual", "--config", self.folder.path("bad.toml"),
        ])
        #expect(try await mistaken.end() == 78 && mistaken.errors.contains("nonsense"), "\(mistaken.errors)")
    }

    @Test func `the disk is the journal's, before its folder is there, too`() async throws {
        try folder.write(
            "martlet.toml", "[journal]\npath = \"\(folder.path("not/yet/journal.db"))\"\n[[sensor]]\nname = \"a\"\n")
        let process = try MartletProcess([
            "selftest", "--controller", "virtual", "--seconds", "1", "--config", folder.path("martlet.toml"),
        ])
        #expect(try await process.end() == 0, "\(process.errors)")
        #expect(process.output.contains(" at worst, in \(folder.path)"), "\(process.output)")
    }

    @Test func `a gateway that runs is asked, and goes on running`() async throws {
        let broker = try Broker()
        let file = try configuration(port: broker.port)
        let gateway = try MartletProcess(["run", "--config", file])
        let diagnosis = try await firstAnswer(
            every: .milliseconds(200),
            where: { diagnosis in
                ["broker", "sensors"].allSatisfy { check in
                    diagnosis.findings.contains { $0.check == check && $0.verdict == .fine }
                }
            },
            { try await diagnose(file) })
        let findings = try #require(diagnosis).findings
        #expect(
            findings.contains { $0.check == "adapter" && $0.found.contains("works for the gateway") }, "\(findings)")
        #expect(findings.contains { $0.check == "sensors" && $0.verdict == .fine }, "\(findings)")
        #expect(!gateway.errors.contains("another client"), "\(gateway.errors)")
        let measured = try MartletProcess(["selftest", "--config", file, "--seconds", "1"])
        #expect(try await measured.end() == 1)
        #expect(measured.errors.contains("a gateway runs, and has virtual for itself"), "\(measured.errors)")
        gateway.send(SIGTERM)
        #expect(try await gateway.end() == 0)
    }
}
