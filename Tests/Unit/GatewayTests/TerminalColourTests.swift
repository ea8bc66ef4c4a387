// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@testable import GatewayBench

/// The program's output on a terminal and elsewhere.
struct TerminalColourTests {
    private struct NoTerminal: Error {}

    /// A pseudoterminal; its other end is the program's standard output.
    private final class Terminal {
        /// TIOCSPTLCK and TIOCGPTN, which Glibc's module leaves out.
        private static let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
        private let own: Int32
        private let other: Int32
        let path: String

        init() throws {
            own = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
            var (locked, number): (Int32, UInt32) = (0, 0)
            guard own >= 0, ioctl(own, Self.setLock, &locked) == 0, ioctl(own, Self.getNumber, &number) == 0 else {
                throw NoTerminal()
            }
            path = "/dev/pts/\(number)"
            other = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
            guard other >= 0 else { throw NoTerminal() }
        }

        deinit {
            close(other)
            close(own)
        }

        /// All that an ended program has written: the text before a mark of ours, which arrives in order.
        func text() -> String {
            let mark: UInt8 = 0x04
            guard write(other, [mark], 1) == 1 else { return "" }
            var text: [UInt8] = []
            var octet: UInt8 = 0
            while read(own, &octet, 1) == 1, octet != mark { text.append(octet) }
            return String(decoding: text, as: UTF8.self)
        }
    }

    private static func doctor(_ environment: [String: String]) throws -> String {
        let terminal = try Terminal()
        let process = try MartletProcess(
            ["doctor", "--config", "/nowhere/martlet.toml"],
            environment: ["TERM": "xterm", "NO_COLOR": ""].merging(environment) { $1 }, outputPath: terminal.path)
        #expect(process.wait() == 1, "\(process.errors)")
        return terminal.text()
    }

    @Test(
        arguments: [
            ([:], true), (["NO_COLOR": "1"], false), (["NO_COLOR": "no"], false), (["TERM": "dumb"], false),
        ] as [([String: String], Bool)])
    func `colour appears on a terminal, unless NO_COLOR or a terminal without colours says no`(
        environment: [String: String], isColoured: Bool
    ) throws {
        let text = try Self.doctor(environment)
        #expect(text.contains("✗ configuration"))
        #expect(text.contains("\u{1B}[31m✗ configuration") == isColoured, "\(text)")
        // The step in progress is cleared on each terminal: that is no colour.
        #expect(text.contains(/\u{1B}\[[0-9;]*m/) == isColoured, "\(text)")
    }

    @Test func `no colour appears in a pipe`() throws {
        let process = try MartletProcess(
            ["doctor", "--config", "/nowhere/martlet.toml"], environment: ["TERM": "xterm", "NO_COLOR": ""])
        #expect(process.wait() == 1)
        #expect(process.output.contains("✗ configuration") && !process.output.contains("\u{1B}"))
    }
}
