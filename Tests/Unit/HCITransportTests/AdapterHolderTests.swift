// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@testable import HCITransport

struct AdapterHolderTests {
    /// A process with the kernel's name `martlet` and `argument` as its first argument; it runs until its input ends.
    private func makeProcess(_ argument: String) throws -> (process: Process, end: Pipe, folder: String) {
        let folder = NSTemporaryDirectory() + "/martlet-holder-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let shell = URL(fileURLWithPath: "/bin/sh").resolvingSymlinksInPath().path
        try FileManager.default.copyItem(atPath: shell, toPath: folder + "/martlet")
        try Data("echo ready\nread line\n".utf8).write(to: URL(fileURLWithPath: folder + "/" + argument))
        let (process, input, output) = (Process(), Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: folder + "/martlet")
        process.arguments = [argument]
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        #expect(output.fileHandleForReading.availableData.count > 0)
        return (process, input, folder)
    }

    @Test func `a gateway that runs is who has a busy adapter, and another use of the program is not`() throws {
        let other = try makeProcess("virtual-radio")
        let gateway = try makeProcess("run")
        defer {
            for made in [other, gateway] {
                try? made.end.fileHandleForWriting.close()
                made.process.waitUntilExit()
                try? FileManager.default.removeItem(atPath: made.folder)
            }
        }
        #expect(AdapterHolder.processes(named: "martlet").contains(other.process.processIdentifier))
        let gateways = AdapterHolder.processes(named: "martlet", running: "run")
        #expect(gateways.contains(gateway.process.processIdentifier))
        #expect(!gateways.contains(other.process.processIdentifier))
        #expect(!AdapterHolder.processes(named: "martlet").contains(getpid()))
        let text = AdapterHolder.describe(index: 999, .library)
        #expect(text.contains("a running gateway (process ") && text.contains("shows its sensors; to use the adapter"))
    }
}
