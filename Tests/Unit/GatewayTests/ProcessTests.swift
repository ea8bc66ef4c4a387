// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@testable import Collector
@testable import Gateway
@testable import GatewayBench
@testable import Operations
@testable import Publisher
@testable import Readings
@testable import martlet

@Suite("The program", .serialized, .ownThread)
struct ProcessTests {
    struct Call: Sendable, CustomTestStringConvertible {
        var arguments: [String]
        var status: Int32
        var says: String
        var testDescription: String { "martlet " + arguments.joined(separator: " ") }

        init(_ arguments: String..., status: Int32, says: String) {
            self.arguments = arguments
            self.status = status
            self.says = says
        }
    }

    static let calls = [
        Call("version", status: 0, says: "martlet \(GatewayVersion.current)"),
        Call("--help", status: 0, says: "SUBCOMMANDS"),
        Call("bogus", status: 2, says: "bogus"),
        Call("stauts", status: 2, says: "did you mean 'martlet status'?"),
        Call("run", "--bogus", status: 2, says: "--bogus"),
        Call("run", "--controller", "usb", status: 2, says: "usb"),
        Call("run", "--log-level", "loud", status: 2, says: "loud"),
        Call("demo", "--sensors", "0", status: 2, says: "--sensors"),
        Call("scan", "--controller", "usb", status: 2, says: "usb"),
        Call("virtual-radio", status: 2, says: "--listen"),
        Call("virtual-radio", "--listen", "udp:1", status: 2, says: "udp:1"),
        Call("virtual-radio", "--listen", "tcp:0", "--fault", "deaf", status: 2, says: "deaf@SECONDS"),
        Call("virtual-radio", "--listen", "tcp:0", "--fault", "frozen@-1", status: 2, says: "frozen@-1"),
        Call("virtual-radio", "--listen", "tcp:0", "--controller", "best", status: 2, says: "bcm43455"),
        Call("virtual-radio", "--json", status: 2, says: "--list-faults"),
        Call("run", "--config", "/no/such.toml", status: 78, says: "/no/such.toml: there is no such file"),
        Call("check-config", "--config", "/no/such.toml", status: 78, says: "there is no such file"),
        Call("status", "--socket", "/no/such.sock", status: 1, says: "is the gateway running?"),
        Call("clock", "--socket", "/no/such.sock", status: 1, says: "is the gateway running?"),
        Call("clock", "set", "--socket", "/no/such.sock", status: 2, says: "Give either a TIME or --now."),
        Call(
            "clock", "set", "--now", "@1", "--socket", "/no/such.sock", status: 2, says: "Give either a TIME or --now."),
        Call("clock", "set", "noon", "--socket", "/no/such.sock", status: 2, says: "noon is no time like"),
        Call("clock", "set", "@1", "--socket", "/no/such.sock", status: 1, says: "is the gateway running?"),
        Call("buffer", "stats", "--socket", "/no/such.sock", status: 1, says: "is the gateway running?"),
    ]

    @Test("Exit status and message of each kind of call", arguments: calls)
    func call(_ call: Call) throws {
        let process = try MartletProcess(call.arguments)
        #expect(process.wait(.seconds(10)) == call.status)
        #expect(
            blockingEventually { (process.output + process.errors).contains(call.says) },
            "\(process.output)\(process.errors)")
    }

    @Test("a check names all brokers, and reports a mistake where a gateway would only warn")
    func checkConfiguration() throws {
        let folder = try TestFolder()
        try folder.write("good.toml", "[mqtt]\nbrokers = [\"a.example\", \"b.example:1884\"]\n")
        let good = try MartletProcess(["check-config", "--config", folder.path("good.toml")])
        #expect(good.wait(.seconds(10)) == 0)
        #expect(
            blockingEventually { good.output.contains("brokers a.example:1883, b.example:1884,") }, "\(good.output)")
        try folder.write("bad.toml", "[mqtt.tls]\nenabled = true\nca_file = \"/no/such.pem\"\n")
        let bad = try MartletProcess(["check-config", "--config", folder.path("bad.toml")])
        #expect(bad.wait(.seconds(10)) == 78)
        let complaint = ":3: mqtt.tls.ca_file \"/no/such.pem\": there is no such file"
        #expect(blockingEventually { bad.errors.contains(complaint) }, "\(bad.errors)")
    }

    @Test("the user's own decoders are checked with the configuration, and a wrong one is its mistake")
    func checkDecoders() throws {
        let folder = try TestFolder()
        let decoder = """
            family = "acme"
            [match]
            manufacturer = "fffe"
            length = 2
            [[field]]
            quantity = "battery"
            offset = 0
            type = "u8"
            [[vector]]
            data = "6400"
            values = { battery = 100 }
            """
        try folder.write("good.toml", "[mqtt]\nhost = \"a\"\n[[sensor]]\nfamily = \"acme\"\n")
        try FileManager.default.createDirectory(
            atPath: folder.path("decoders.d"), withIntermediateDirectories: false)
        try folder.write("decoders.d/acme.toml", decoder)
        let good = try MartletProcess(["check-config", "--config", folder.path("good.toml")])
        #expect(good.wait(.seconds(10)) == 0, "\(good.errors)")
        let says = "decoders.d: good. Every vector of its decoder passes: acme."
        #expect(blockingEventually { good.output.contains(says) }, "\(good.output)")
        try folder.write("decoders.d/acme.toml", decoder.replacingOccurrences(of: "= 100", with: "= 99"))
        let bad = try MartletProcess(["check-config", "--config", folder.path("good.toml")])
        #expect(bad.wait(.seconds(10)) == 78)
        let complaint = "acme.toml:9: this [[vector]] gives battery = 100; it says battery = 99"
        #expect(blockingEventually { bad.errors.contains(complaint) }, "\(bad.errors)")
    }

    static func configuration(in folder: TestFolder, extra: String = "") -> String {
        // Port 1 has no listener: an unreachable broker.
        """
        [bluetooth]
        controller = "virtual"
        state_directory = "\(folder.path)"
        [journal]
        path = "\(folder.path("journal.db"))"
        [mqtt]
        host = "127.0.0.1"
        port = 1
        [control]
        socket = "\(folder.path("control.sock"))"
        [[sensor]]
        name = "Flow counter"
        subscribe = ["5e4d0001-1c7b-4b5e-9b0a-3f6b2c9d7a10/5e4d0002-1c7b-4b5e-9b0a-3f6b2c9d7a10"]
        \(extra)
        """
    }

    @Test("A mistake in the configuration ends the program with 78 and its place")
    func mistake() throws {
        let folder = try TestFolder()
        try folder.write("martlet.toml", Self.configuration(in: folder, extra: "adress = \"a\"\n"))
        let process = try MartletProcess(["run", "--config", folder.path("martlet.toml")])
        #expect(process.wait(.seconds(10)) == 78)
        #expect(
            blockingEventually {
                process.errors.contains("martlet.toml:14: unknown key \"sensor.adress\" – did you mean \"address\"?")
            })
    }

    @Test(
        "The gateway collects, answers, reloads on SIGHUP, keeps its configuration when the new one is wrong, and ends on SIGTERM"
    )
    func running() throws {
        let folder = try TestFolder()
        let file = folder.path("martlet.toml")
        let socket = folder.path("control.sock")
        try folder.write("martlet.toml", Self.configuration(in: folder))
        let process = try MartletProcess(["run", "--config", file])
        func status() -> GatewayStatus? { try? ControlClient.ask(OperationTable.status, socket: socket) }
        func link(_ name: String) -> SensorStatus? { status()?.collector.sensors.first { $0.name == name } }

        try #require(
            blockingEventually(.seconds(20)) { (link("Flow counter")?.readings ?? 0) > 3 }, "\(process.errors)")
        #expect(status()?.mqtt.connected == false)
        #expect(status()?.collector.sensors.count == 1, "what no entry accepts is left alone")
        let second = try MartletProcess(["run", "--config", file])
        #expect(second.wait(.seconds(10)) == 1)

        try folder.write("martlet.toml", Self.configuration(in: folder) + "[[sensor]]\nname = \"Fridge\"\n")
        process.send(SIGHUP)
        try #require(
            blockingEventually(.seconds(20)) { (link("Fridge")?.readings ?? 0) > 0 }, "known by its services")

        let more = "[[sensor]]\nname = \"Greenhouse\"\nsubscribe = [\"181a/2a6e\"]\n"
        try folder.write("martlet.toml", Self.configuration(in: folder) + more)
        process.send(SIGHUP)
        #expect(blockingEventually(.seconds(20)) { (link("Greenhouse")?.readings ?? 0) > 0 }, "\(process.errors)")
        #expect(link("Flow counter")?.drops == 0, "its link was not touched")
        let values = try MartletProcess(["status", "--json", "--socket", socket])
        #expect(values.wait(.seconds(10)) == 0)
        let fields = #""fields":[{"quantity":"temperature","unit":"°C","value":"#
        #expect(values.output.contains(fields), "\(values.output)")
        #expect(values.output.contains("\"age_ms\":"), "\(values.output)")

        try folder.write(
            "martlet.toml", Self.configuration(in: folder).replacingOccurrences(of: "Flow counter", with: "Greenhouse"))
        process.send(SIGHUP)
        #expect(blockingEventually { link("Flow counter") == nil })

        let text = try MartletProcess(["status", "--socket", socket])
        #expect(text.wait(.seconds(10)) == 0)
        #expect(text.output.contains("Greenhouse"), "\(text.output)")
        let watching = try MartletProcess(["status", "--watch", "--socket", socket])
        #expect(
            blockingEventually { watching.output.components(separatedBy: "SENSOR").count > 2 }, "\(watching.output)")
        watching.send(SIGKILL)
        #expect(!watching.output.contains("\u{1B}"), "a file or a pipe gets no cursor codes")
        let books = try MartletProcess(["buffer", "stats", "--json", "--socket", socket])
        #expect(books.wait(.seconds(10)) == 0)
        #expect(books.output.contains("\"received\":"), "\(books.output)")

        let clock = try MartletProcess(["clock", "--json", "--socket", socket])
        #expect(clock.wait(.seconds(10)) == 0)
        #expect(clock.output.contains("\"kernel_synchronized\":"), "\(clock.output)")
        // This machine's clock never shows the first moon landing.
        let set = try MartletProcess(["clock", "set", "1969-07-20T20:17:40Z", "--socket", socket])
        #expect(set.wait(.seconds(10)) == 1)

        process.send(SIGTERM)
        #expect(process.wait(.seconds(5)) == 0, "\(process.errors)")
        #expect(!FileManager.default.fileExists(atPath: socket))
    }

    @Test("Decoders changed or removed by a reload take effect at once, in the status and in payloads")
    func changedDecoders() throws {
        let folder = try TestFolder()
        let broker = try PrivateBroker(folder: folder.path)
        let subscriber = try Subscriber(port: UInt16(broker.port), topic: "martlet/dev/+/state")
        try FileManager.default.createDirectory(
            atPath: folder.path("decoders.d"), withIntermediateDirectories: false)
        func write(_ quantity: String) throws {
            try folder.write(
                "decoders.d/flow.toml",
                """
                [match]
                characteristic = "5e4d0002-1c7b-4b5e-9b0a-3f6b2c9d7a10"
                length = 12
                [[field]]
                quantity = "\(quantity)"
                offset = 0
                type = "u32"
                [[vector]]
                data = "38000000b4e7403200000000"
                values = { \(quantity) = 56 }
                """)
        }
        try write("count")
        try folder.write(
            "martlet.toml",
            Self.configuration(in: folder, extra: "[clock]\nrequire_sync = false\n")
                .replacingOccurrences(of: "port = 1\n", with: "port = \(broker.port)\n"))
        let process = try MartletProcess(["run", "--config", folder.path("martlet.toml")])
        func shown() -> [String] {
            let status = try? ControlClient.ask(
                OperationTable.status, socket: folder.path("control.sock"))
            return status?.collector.sensors.first?.values.first?.fields?.map(\.quantity) ?? []
        }
        func published(_ key: String) -> Bool {
            blockingEventually {
                subscriber.messages.last?.payload.contains("\"\(key)\":") == true
            }
        }
        #expect(blockingEventually { shown() == ["count"] }, "\(process.errors)")
        #expect(published("count"))
        try write("volume")
        process.send(SIGHUP)
        #expect(blockingEventually { shown() == ["volume"] }, "\(process.errors)")
        #expect(published("volume"))
        try FileManager.default.removeItem(atPath: folder.path("decoders.d/flow.toml"))
        process.send(SIGHUP)
        #expect(blockingEventually { shown() == [] }, "\(process.errors)")
        #expect(published("raw"))
        process.send(SIGTERM)
        #expect(process.wait(.seconds(5)) == 0, "\(process.errors)")
    }

    @Test("A broker from a reload gets the buffered readings, and no link is touched")
    func newBroker() throws {
        let folder = try TestFolder()
        let broker = try PrivateBroker(folder: folder.path)
        try folder.write("martlet.toml", Self.configuration(in: folder, extra: "[clock]\nrequire_sync = false\n"))
        let process = try MartletProcess(["run", "--config", folder.path("martlet.toml")])
        func status() -> GatewayStatus? {
            try? ControlClient.ask(OperationTable.status, socket: folder.path("control.sock"))
        }
        try #require(blockingEventually(.seconds(20)) { (status()?.journal.buffered ?? 0) > 5 }, "\(process.errors)")
        try folder.write(
            "martlet.toml",
            Self.configuration(in: folder, extra: "[clock]\nrequire_sync = false\n")
                .replacingOccurrences(of: "port = 1\n", with: "port = \(broker.port)\n"))
        process.send(SIGHUP)
        #expect(blockingEventually(.seconds(20)) { (status()?.journal.delivered ?? 0) > 5 }, "\(process.errors)")
        #expect(status()?.collector.sensors.map(\.drops) == [0])
        process.send(SIGTERM)
        #expect(process.wait(.seconds(5)) == 0, "\(process.errors)")
    }

    @Test("The demonstration ends by itself, and nothing was lost")
    func demonstration() throws {
        let process = try MartletProcess(["demo", "--seconds", "5"])
        let status = process.wait(.seconds(30))
        #expect(status == 0, "\(process.output)\(process.errors)")
        #expect(blockingEventually { process.output.contains("Nothing was lost.") })
        #expect(process.output.contains("collecting, received"))
    }

    @Test("The demonstration ends cleanly on SIGINT")
    func interrupted() throws {
        let process = try MartletProcess(["demo", "--sensors", "2"])
        try #require(
            blockingEventually(.seconds(20)) { process.output.contains("sensors 5/5 collecting") },
            "\(process.output)\(process.errors)")
        try #require(
            blockingEventually(.seconds(20)) {
                !process.output.contains("delivered 0 ") || process.output.components(separatedBy: "\n").count > 4
            })
        process.send(SIGINT)
        #expect(process.wait(.seconds(20)) == 0, "\(process.output)\(process.errors)")
    }

    @Test("Pairing by hand reports at once that the gateway has no controller")
    func pairingWithoutController() throws {
        let folder = try TestFolder()
        let text = Self.configuration(in: folder).replacingOccurrences(of: "\"virtual\"", with: "\"tcp:127.0.0.1:1\"")
        try folder.write("martlet.toml", text)
        let gateway = try MartletProcess(["run", "--config", folder.path("martlet.toml")])
        let socket = folder.path("control.sock")
        func state() -> String? {
            (try? ControlClient.ask(OperationTable.status, socket: socket))?.controller.state
        }
        try #require(blockingEventually(.seconds(20)) { state()?.contains("refused") == true }, "\(gateway.errors)")
        let pair = try MartletProcess(["pair", "Flow counter", "--socket", socket, "--yes"])
        #expect(pair.wait(.seconds(30)) == 1)
        #expect(
            blockingEventually { pair.errors.contains("the controller is not ready: tcp:127.0.0.1:1") },
            "\(pair.errors)")
        gateway.send(SIGTERM)
        #expect(gateway.wait(.seconds(10)) == 0)
    }

    @Test("A gateway over TCP reaches the virtual radio of another process")
    func overTCP() throws {
        let radio = try MartletProcess(["virtual-radio", "--listen", "tcp:0", "--sensors", "5"])
        try #require(blockingEventually { radio.output.contains("sensor ") })
        let first = try #require(radio.output.split(separator: "\n").first)
        let port = try #require(first.split(separator: ":").last)
        let scan = try MartletProcess(["scan", "--controller", "tcp:127.0.0.1:\(port)", "--seconds", "3"])
        #expect(scan.wait(.seconds(20)) == 0, "\(scan.errors)")
        #expect(blockingEventually { scan.output.contains("Heart-rate strap") }, "\(scan.output)")
        radio.send(SIGTERM)
        #expect(radio.wait(.seconds(5)) == 0)
    }
}
