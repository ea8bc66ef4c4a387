// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@testable import Gateway
@testable import GatewayBench

/// `martlet scan` as a process.
@Suite("The program's scan", .serialized, .ownThread)
struct ScanProcessTests {
    @Test("A scan shows the devices in the air, as JSON, one object a line")
    func scan() throws {
        let process = try MartletProcess(["scan", "--controller", "virtual", "--seconds", "3", "--json"])
        #expect(process.wait(.seconds(20)) == 0, "\(process.errors)")
        #expect(blockingEventually { process.output.contains("\"name\":\"Fridge\"") }, "\(process.output)")
        for line in process.output.split(separator: "\n") {
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(line.utf8)) }
        }
    }

    @Test(
        "Output that does not arrive is a failure",
        arguments: [["scan", "--controller", "virtual"], ["version"], ["--help"]])
    func fullDisk(_ arguments: [String]) throws {
        let process = try MartletProcess(arguments, outputPath: "/dev/full")
        #expect(process.wait(.seconds(20)) == 1)
        #expect(
            blockingEventually { process.errors.contains("standard output: No space left on device") },
            "\(process.errors)")
    }

    @Test("A scan reports a fault of the controller once")
    func scanFailure() throws {
        // Port 1 has no listener.
        let process = try MartletProcess(["scan", "--controller", "tcp:127.0.0.1:1", "--seconds", "2"])
        #expect(process.wait(.seconds(20)) == 1)
        #expect(blockingEventually { process.errors.contains("refused") }, "\(process.errors)")
        #expect(process.errors.components(separatedBy: "127.0.0.1:1").count == 2, "\(process.errors)")
        #expect(process.errors.components(separatedBy: "refused").count == 2, "\(process.errors)")
    }

    @Test(
        "Without a controller a scan ends at once, with a remedy",
        arguments: [
            ("hci999", "hci999"), ("tcp:127.0.0.1:1", "No program listens there"),
            ("unix:/no/such.sock", "No program listens there"),
            ("tcp:no.such.invalid:1", "no.such.invalid is no known host"),
            ("serial:/dev/no-such-line,115200", "Check the plug and the name of the device"),
            ("serial:/dev/null,115200", "no serial line"),
            ("serial:/dev/null,1", "1 baud is not supported; use one of"),
        ])
    func noController(_ controller: String, _ advice: String) throws {
        for arguments in [[], ["--json"]] {
            let process = try MartletProcess(["scan", "--controller", controller] + arguments)
            #expect(process.wait(.seconds(30)) == 1)
            #expect(blockingEventually { process.errors.contains(advice) }, "\(process.errors)")
            #expect(process.errors.split(separator: "\n").count == 1 && process.output.isEmpty, "\(process.errors)")
            #expect(!process.errors.contains("has answered"), "it is known at once, not when time is up")
        }
    }

    @Test("A scan interrupted before there is a controller has failed")
    func earlyEnd() throws {
        // The system accepts the connection, and no process answers.
        let silent = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(silent) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        try withUnsafeMutablePointer(to: &address) {
            try $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                try #require(bind(silent, $0, length) == 0 && listen(silent, 1) == 0)
                try #require(getsockname(silent, $0, &length) == 0)
            }
        }
        let controller = "tcp:127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
        let scan = try MartletProcess(["scan", "--controller", controller])
        try #require(blockingEventually { scan.handles(SIGINT) })
        scan.send(SIGINT)
        try #require(scan.wait() == 1, "\(scan.errors)")
        #expect(blockingEventually { scan.errors.hasPrefix("ended before the controller was ready") }, "\(scan.errors)")
    }

    @Test("A scan ends with its controller")
    func lostController() throws {
        let radio = try MartletProcess(["virtual-radio", "--listen", "tcp:0"])
        try #require(blockingEventually { radio.output.contains("sensor ") })
        let port = try #require(radio.output.split(separator: "\n").first?.split(separator: ":").last)
        let scan = try MartletProcess(["scan", "--controller", "tcp:127.0.0.1:\(port)"])
        try #require(blockingEventually { scan.output.contains("Fridge") })
        radio.send(SIGKILL)
        #expect(scan.wait(.seconds(30)) == 1)
        #expect(blockingEventually { scan.errors.contains("the controller closed the connection") }, "\(scan.errors)")
    }
}
