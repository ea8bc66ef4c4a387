// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing

@testable import Gateway
@testable import GatewayBench
@testable import martlet

/// Texts of the journal, of the control socket and of files, on a terminal of root.
struct ShownTextTests {
    @Test(arguments: [
        ("\u{1B}]0;title\u{07}", #"\u001B]0;title\u0007"#), ("\u{1B}[2J", #"\u001B[2J"#),
        ("a\rb\u{8}", #"a\u000Db\u0008"#), ("\u{7F}\u{9B}31m", #"\u007F\u009B31m"#),
        ("\u{202E}abc\u{2066}", #"\u202Eabc\u2066"#), ("\u{2028}\u{2029}", #"\u2028\u2029"#),
        ("\u{E0041}", #"\uDB40\uDC41"#), ("\u{1B}", #"\u001B"#), ("\u{1B}[", #"\u001B["#), ("\u{1B}[3", #"\u001B[3"#),
        ("\u{1B}[31mred\u{1B}[0m", "\u{1B}[31mred\u{1B}[0m"), ("\u{1B}[8mhidden", #"\u001B[8mhidden"#),
        ("\u{1B}[1;30m\u{1B}[m", #"\u001B[1;30m\u001B[m"#),
        ("\u{1B}[?1049h", #"\u001B[?1049h"#), ("one\ntwo\tCafé 🌡 23 °C", "one\ntwo\tCafé 🌡 23 °C"),
    ])
    func `what controls a terminal is shown as an escape, but for line ends, tabs and colours`(
        _ text: String, _ shown: String
    ) {
        #expect(Text.shown(text) == shown)
    }

    @Test func `JSON has the same values`() throws {
        let texts = ["\u{1B}[2J", "\u{9B}", "\u{202E}", "\u{E0041}", "plain", "\\ \" \n"]
        let json = String(decoding: try JSONEncoder().encode(texts), as: UTF8.self)
        let shown = Text.shown(json)
        #expect(!shown.unicodeScalars.contains(where: Text.isControl))
        #expect(try JSONDecoder().decode([String].self, from: Data(shown.utf8)) == texts)
    }

    @Test func `each colour of ours stays`() {
        let lines = Paint.lines(["! a", "✗ b", "✓ c", "· d", "? e", "SENSOR f", "g"], isWanted: true)
        #expect(lines.map(Text.shown) == lines)
    }

    @Test func `a screen and a table have no control but ours`() {
        let drawn = TextScreen.drawing(["a\u{1B}[2J", "b\u{202E}"])
        #expect(drawn.contains(#"a\u001B[2J"#) && drawn.contains(#"b\u202E"#))
        #expect(Text.table([["a\n✓ all is well\u{1B}[32m", "b\u{2028}c"]]) == ["a?✓ all is well?[32m  b?c"])
    }

    /// Whoever has taken a gateway over answers root's commands.
    @Test func `an answer of the control socket has no control over the terminal of a command`() throws {
        let folder = try TestFolder()
        let server = try UnixSocket.listening(on: folder.path("control.sock"))
        let strange = #"a\u001b[2J\u009b31m\u202e\n✓ b"#
        let bond =
            #"{"device":"\#(strange)","address":"a","identifier":"i","authenticated":true,"secureConnections":true,"#
            + #""keySize":16,"central":false,"security":"s","since":"\#(strange)"}"#
        let list = #"{"ok":true,"result":{"bonds":[\#(bond)],"problems":["\#(strange)"]}}"#
        let dialogues = [
            (["bonds"], #"{"ok":false,"error":"\#(strange)"}"#), (["bonds"], list), (["bonds", "--json"], list),
            (["unpair", "x", "--yes"], #"{"ok":true,"result":\#(bond)}"#),
        ]
        for (words, answer) in dialogues {
            let program = try MartletProcess(words + ["--socket", folder.path("control.sock")])
            var connection: Int32 = -1
            let isThere = blockingEventually { [descriptor = server.descriptor] in
                connection = accept(descriptor, nil, nil)
                return connection >= 0
            }
            try #require(isThere)
            _ = send(connection, answer + "\n", answer.utf8.count + 1, Int32(MSG_NOSIGNAL))
            _ = program.wait()
            close(connection)
            let said = program.output + program.errors
            #expect(said.contains("[2J"), "\(said)")
            #expect(!said.unicodeScalars.contains { Text.isControl($0) && $0 != "\n" }, "\(said)")
        }
    }
}
