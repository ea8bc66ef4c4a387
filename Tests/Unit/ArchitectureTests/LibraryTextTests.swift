// SPDX-License-Identifier: Apache-2.0

import Testing

/// A program on the library has none of Martlet's options and files.
@Suite("Remedies in the library's errors")
struct LibraryTextTests {
    @Test("no error of the library names an option or a command of the program") func options() throws {
        for folder in ["Sources/HCITransport", "Sources/BluetoothHost", "Sources/CoreBluetooth"] {
            let lines = try Repository.code(below: folder, with: ["--controller", "martlet.toml", "`martlet "])
            #expect(lines.isEmpty, "\(lines.map { "\($0.file): \($0.line)" })")
        }
        let channel = try Repository.text("Sources/HCITransport/UserChannel.swift")
        #expect(channel.contains(#"\(TransportError.otherTransports)"#))
        let remedy = try Repository.text("Sources/HCITransport/TransportError.swift")
        #expect(remedy.contains("\"CBController(transport:stateDirectory:) with .tcp, .unix or .serial\""))
    }
}
