// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@testable import Configuration
@testable import Gateway
@testable import GatewayBench
@testable import VirtualRadio

@Suite("A program whose controller is beyond help", .serialized)
struct RecoveryProcessTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func arguments() throws -> [String] {
        try folder.write(
            "martlet.toml",
            folder.gateway(
                controller: "unix:\(folder.path("radio.h4"))", bluetooth: "recover_up_to = \"process\"",
                sensor: "service = \"heart_rate\""))
        return ["run", "--config", folder.path("martlet.toml")]
    }

    @Test func `under a service manager it ends, with that on disk, to be started again`() async throws {
        let controller = try BabblingController(at: folder.path("radio.h4"))
        defer { controller.stop() }
        let manager = try NotifyListener(path: folder.path("notify"))
        let process = try MartletProcess(arguments(), environment: ["NOTIFY_SOCKET": manager.path])
        #expect(try await process.end() == 1, "\(process.errors)")
        #expect(process.errors.contains("step=reset") && process.errors.contains("step=reopen"), "\(process.errors)")
        let book = RecoveryBook(SystemConfigurationDisk(), folder.path("recoveries.json"))
        #expect(book.count("process", at: Int64(time(nil))) == 1)
    }

    @Test func `where nobody would start it again it goes on trying`() async throws {
        let controller = try BabblingController(at: folder.path("radio.h4"))
        defer { controller.stop() }
        let process = try MartletProcess(arguments())
        let hasPaused = await eventually { process.errors.contains("nothing brings the radio back for now") }
        #expect(hasPaused, "\(process.errors)")
        #expect(!process.errors.contains("step=process"))
        process.send(SIGTERM)
        #expect(try await process.end() == 0)
    }
}

/// Answers every packet of a host with octets that form no packet.
private final class BabblingController: Sendable {
    private let listener: Int32

    init(at path: String) throws {
        let listener = try Descriptor.listen(unixPath: path)
        _ = fcntl(listener, F_SETFL, 0)
        self.listener = listener
        Thread.detachNewThread {
            while case let link = accept(listener, nil, nil), link >= 0 {
                var octets = [UInt8](repeating: 0xFF, count: 512)
                while recv(link, &octets, octets.count, 0) > 0 {
                    octets = [UInt8](repeating: 0xFF, count: 512)
                    guard send(link, octets, octets.count, Int32(MSG_NOSIGNAL)) > 0 else { break }
                }
                close(link)
            }
            close(listener)
        }
    }

    /// Wakes the thread that waits for the next host.
    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }
}
