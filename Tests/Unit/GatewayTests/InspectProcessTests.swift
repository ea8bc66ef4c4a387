// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@testable import Collector
@testable import Configuration
@testable import Gateway
@testable import GatewayBench
@testable import Operations

/// `martlet inspect` as a process, with simulated sensors.
@Suite(.serialized, .ownThread)
struct InspectProcessTests {
    private static func run(_ arguments: String...) throws -> (status: Int32?, output: String, errors: String) {
        let process = try MartletProcess(["inspect", "--controller", "virtual"] + arguments)
        let status = process.wait(.seconds(60))
        return (status, process.output, process.errors)
    }

    @Test func `of a sensor that connects, its tree with values is shown, and the entry that collects them`() throws {
        let found = try Self.run("c4:7c:8d:00:11:04")
        #expect(found.status == 0, "\(found.errors)")
        #expect(found.errors.contains("environmental_sensing (181a)\n"), "\(found.errors)")
        #expect(found.errors.contains("  temperature (2a6e)  "))
        #expect(found.errors.contains("  manufacturer_name_string (2a29)  read: “Martlet”"), "\(found.errors)")
        #expect(
            found.output.hasPrefix(
                "[[sensor]]\n# Greenhouse\nid = \"greenhouse-1104\"\naddress = \"C4:7C:8D:00:11:04\"\nsubscribe = ["))
        #expect(found.output.contains("\"environmental_sensing/humidity\""))
        let configuration = try GatewayConfiguration.parse(found.output, gateway: "g")
        #expect(configuration.sensors.first?.subscribe.count == 4)
    }

    @Test func `one that advertises is not connected to, and its entry asks for the key`() throws {
        let found = try Self.run("A4:C1:38:00:11:21", "--json")
        #expect(found.status == 0, "\(found.errors)")
        #expect(!found.errors.contains("connecting"))
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(found.output.utf8)) as? [String: Any], "\(found.output)")
        #expect(report["family"] as? String == "bthome" && report["needs_key"] as? Bool == true)
        let entry = try #require(report["entry"] as? String)
        #expect(
            entry == """
                [[sensor]]
                id = "bthome-1121"
                address = "A4:C1:38:00:11:21"
                bindkey_file = "/etc/martlet/a4c138001121.key"
                """)
        let plain = try Self.run("CB:B8:33:00:11:22")
        #expect(plain.status == 0 && plain.errors.contains("It advertises as ruuvi: "), "\(plain.errors)")
        #expect(plain.output == "[[sensor]]\nid = \"ruuvi-1122\"\naddress = \"CB:B8:33:00:11:22\"\n")
    }

    @Test func `a sensor that serves its values when it is asked is known by its services`() throws {
        let radio = try MartletProcess(
            ["virtual-radio", "--listen", "tcp:0", "--sensors", "1", "--kind", "airthings-wave-plus"])
        try #require(blockingEventually { radio.output.contains("sensor ") })
        let port = try #require(radio.output.split(separator: "\n").first?.split(separator: ":").last)
        let controller = ["--controller", "tcp:127.0.0.1:\(port)"]
        let found = try MartletProcess(["inspect", "C4:7C:8D:00:11:01"] + controller)
        #expect(found.wait(.seconds(60)) == 0, "\(found.errors)")
        #expect(found.errors.contains("  Airthings Wave Plus (b42e2a68-"), "\(found.errors)")
        let entry = "address = \"C4:7C:8D:00:11:01\"\nprofile = \"airthings-wave\"\n"
        #expect(found.output.hasSuffix(entry), "\(found.output)")
        let scan = try MartletProcess(["scan", "--seconds", "3", "--json"] + controller)
        #expect(scan.wait(.seconds(30)) == 0 && scan.output.contains("\"family\":\"airthings-wave\""), "\(scan.output)")
        radio.send(SIGTERM)
        #expect(radio.wait(.seconds(5)) == 0)
    }

    @Test func `a running gateway looks for it, beside what it collects`() throws {
        let folder = try TestFolder()
        try folder.write("martlet.toml", ProcessTests.configuration(in: folder))
        let gateway = try MartletProcess(["run", "--config", folder.path("martlet.toml")])
        let socket = ["--socket", folder.path("control.sock")]
        func counter() -> SensorStatus? {
            (try? ControlClient.ask(OperationTable.status, socket: socket[1]))?.collector.sensors
                .first { $0.name == "Flow counter" && $0.link == .collecting }
        }
        try #require(blockingEventually { (counter()?.readings ?? 0) > 3 }, "\(gateway.errors)")
        let address = try #require(counter()?.address)

        let stranger = try MartletProcess(["inspect", "C4:7C:8D:00:11:04"] + socket)
        #expect(stranger.wait(.seconds(60)) == 0, "\(stranger.errors)")
        #expect(stranger.errors.contains("connecting…\nreading…\n"), "\(stranger.errors)")
        #expect(stranger.errors.contains("  temperature (2a6e)  "), "\(stranger.errors)")
        #expect(stranger.output.contains("\"environmental_sensing/humidity\""), "\(stranger.output)")

        // A linked sensor does not advertise; the link stays.
        let collected = try MartletProcess(["inspect", address, "--json"] + socket)
        #expect(collected.wait(.seconds(60)) == 0, "\(collected.errors)")
        #expect(!collected.errors.contains("listening"), "\(collected.errors)")
        let report = try ControlCoding.decode(InspectionReport.self, from: [UInt8](collected.output.utf8))
        #expect(report.acceptedAs == counter()?.id && !report.services.isEmpty)
        #expect(report.entry.contains("\nid = \"\(report.acceptedAs ?? "–")\"\n"), "\(report.entry)")
        let readings = counter()?.readings ?? .max
        #expect(blockingEventually { (counter()?.readings ?? 0) > readings + 3 })
        #expect(counter()?.reconnects == [:] && counter()?.drops == 0)

        let nobody = try MartletProcess(["inspect", "00:11:22:33:44:55", "--seconds", "1"] + socket)
        #expect(nobody.wait(.seconds(30)) == 1 && nobody.output.isEmpty)
        // The command of the installation of this machine; a scan would fail beside the gateway.
        let said = nobody.errors
        #expect(said.contains("00:11:22:33:44:55: the device was not heard. Is the device near, awake,"), "\(said)")
        #expect(said.contains("martlet devices --config") && said.hasSuffix(" shows all devices.\n"), "\(said)")
        #expect(!said.contains("martlet scan"))
        let long = try MartletProcess(["inspect", "00:11:22:33:44:55"] + socket)
        try #require(blockingEventually { long.errors.contains("listening") })
        let second = try MartletProcess(["inspect", "00:11:22:33:44:56"] + socket)
        #expect(second.wait(.seconds(20)) == 1 && second.errors.contains("another sensor is being inspected"))
        // The asking process has ended: the gateway stops listening for it.
        long.send(SIGKILL)
        #expect(
            blockingEventually {
                let third = try? MartletProcess(["inspect", "CB:B8:33:00:11:22"] + socket)
                return third?.wait(.seconds(20)) == 0
            })
        gateway.send(SIGTERM)
        #expect(gateway.wait(.seconds(10)) == 0, "\(gateway.errors)")
        let none = try MartletProcess(["inspect", "CB:B8:33:00:11:22"] + socket)
        #expect(none.wait(.seconds(20)) == 1 && none.errors.contains("is the gateway running?"), "\(none.errors)")
    }

    @Test func `what is not heard, and what is no address, is told`() throws {
        let nobody = try Self.run("00:11:22:33:44:55", "--seconds", "1")
        #expect(nobody.status == 1 && nobody.output.isEmpty)
        #expect(nobody.errors.contains("00:11:22:33:44:55: the device was not heard. "), "\(nobody.errors)")
        let wrong = try Self.run("kitchen")
        #expect(wrong.status == 2 && wrong.errors.contains("An address is like C4:7C:8D:00:11:22"))
    }
}
