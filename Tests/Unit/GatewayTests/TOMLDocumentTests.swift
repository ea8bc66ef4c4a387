// SPDX-License-Identifier: Apache-2.0

import Foundation
import FuzzSeeds
import Synchronization
import Testing

@testable import Configuration
@testable import Gateway

/// The parser is C++ code of other authors: these texts made it stop the process, or use up the stack or the memory.
@Suite("Reading TOML")
struct TOMLDocumentTests {
    /// The fault of a text; nil without a fault.
    private static func issue(_ text: String) -> String? {
        SeedFolder.current?.write(Array(text.utf8), for: "configuration")
        do throws(ConfigurationError) {
            _ = try TOMLDocument(text, file: "f")
            return nil
        } catch {
            return error.description
        }
    }

    @Test(
        "Numbers, dates and times are taken",
        arguments: [
            "0", "+99", "-17", "1_000", "0xDEAD_beef", "0o755", "0b1101", "3.14", "-0.01", "5e+22", "1e06", "6.626e-34",
            "+inf", "-nan", "1979-05-27T07:32:00Z", "1979-05-27 07:32:00.999999-07:00", "1979-05-27", "07:32:00.5",
        ])
    func taken(text: String) { #expect(Self.issue("[a]\nb = \(text)\n") == nil) }

    @Test(
        "Near-valid text is reported with its line, and the parser survives",
        arguments: [
            "", "+", "5x1", "1p3", "01", "1__0", "_1", "1_", "0x", "0xG", "+0x1", ".7", "7.", "3.e+20", "1e", "1e5.2",
            "++1", "1979-05-27T", "1979-05-27Tg07:32:00Z", "1979-5-27", "07:32:00.", "1979-05-27T07:32:00+07", "-x",
            "+5x1",
            "0b1p3", "é", "ä", "\u{3000}", "\u{2028}", "1\u{A0}", "\u{1}", "1\u{7F}",
        ])
    func refused(text: String) { #expect(Self.issue("[a]\nb = \(text)\nc = 1\n")?.hasPrefix("f:2: ") == true) }

    @Test(
        "A key of ten thousand parts is a mistake with its line, however the parts are written",
        arguments: ["a", "'='", "\"[\"", "'#'", "\"\\\"\"", "\",\"", "''", "é", "'a' "])
    func longKeys(part: String) {
        for text in ["PART = 1\n", "[PART]\n", "[[PART]]\n", "x = [{ y = { PART = 1 } }]\n"] {
            for (count, reason) in [
                (10_000, "a line has at most 255 points"),
                (100, part == "é" ? "" : "more than 32 lists and tables are in one another"),
            ] {
                let key = Array(repeating: part, count: count).joined(separator: " . ")
                let issue = Self.issue("# 'a\n" + text.replacing("PART", with: key))
                #expect(issue?.hasPrefix("f:2: \(reason)") == true, "\(text) \(count): \(issue ?? "taken")")
            }
        }
    }

    @Test("Points in strings, comments and numbers are no parts of a key")
    func points() {
        let known = Array(repeating: "'='", count: 30).joined(separator: ".")
        let many = Array(repeating: "'.'", count: 100).joined(separator: ", ")
        let host = Array(repeating: "a", count: 127).joined(separator: ".")
        let words = String(repeating: "It is so. ", count: 40)
        let line = String(repeating: ".", count: 80)
        for text in [
            "\(known) = 1\n", "a = [\(many)]\n", "b = '''\n\(known).\(known)\n'''\n",
            "c = \"\(many)\" # \(known).\(known)\n", "brokers = [\"\(host):1883\", \"\(host):1884\"]\n",
            "a = 1 # \(line)\n", "a = \"\(words)\"\n", "a = \"\"\"\n\(line)\n\"\"\"\n", "# \(words)\n",
        ] {
            #expect(Self.issue(text) == nil)
        }
    }

    /// The worst text within the bounds, on an eighth of a thread's stack.
    @Test("The deepest text for the parser needs little stack")
    func stack() {
        let key = Array(repeating: "a", count: 256).joined(separator: ".")
        let deep =
            "[\(key)]\n\(key) = 1\nb" + String(repeating: " = [\n{\(key)", count: 7) + " = 1"
            + String(repeating: "}]", count: 7) + "\n"
        let lists = "a = " + String(repeating: "[", count: 100_000)
        let tables = "a = " + String(repeating: "{a = ", count: 100_000)
        let said = Mutex<[String?]>([])
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            for text in [deep, lists, tables] {
                let issue = Self.issue(text)
                said.withLock { $0.append(issue) }
            }
            done.signal()
        }
        thread.stackSize = 1 << 20
        thread.start()
        done.wait()
        #expect(said.withLock { $0.count } == 3)
        #expect(said.withLock { $0.allSatisfy { $0?.hasPrefix("f:") == true } })
    }

    @Test("A text of more values than any configuration has is refused")
    func manyValues() {
        #expect(Self.issue("a = [" + String(repeating: "1,", count: 60_000) + "]\n") == nil)
        for value in ["1,", "{},", "[],"] {
            let issue = Self.issue("a = [" + String(repeating: value, count: 80_000) + "]\n")
            #expect(issue == "f:1: there are more than 65536 values")
        }
    }

    @Test("Among very many keys and tables each is found at its place, with any name")
    func places() throws {
        let names = (0..<500).map { "k\($0 * 7_919 % 500)" } + ["é", "e\u{301}", "", "Z", "a.b", "10", "9", "-1"]
        var lines = names.enumerated().map { "\(ConfigurationValue.name($0.element)) = \($0.offset)" }
        lines += (0..<600).flatMap { ["[[sensor]]", "id = \"\($0)\""] }
        lines += ["[last]", "list = [", "  1,", "  { x = 1 }, { y = 2 },", "]"]
        let document = try TOMLDocument(lines.joined(separator: "\n"), file: "f")
        // Swift considers two encodings of one letter equal.
        for (number, name) in names.enumerated() where !"é".elementsEqual(name) {
            #expect(document.line(of: [name]) == number + 1, "\(name)")
        }
        for number in [0, 1, 9, 10, 99, 100, 599] {
            let line = names.count + 1 + 2 * number
            #expect(document.line(of: ["sensor", String(number)]) == line)
            #expect(document.line(of: ["sensor", String(number), "id"]) == line + 1)
            #expect(document.line(of: ["sensor", String(number), "none"]) == line)
        }
        let list = lines.count - 3
        #expect(document.line(of: ["last", "list"]) == list)
        #expect(document.line(of: ["last", "list", "0"]) == list + 1)
        #expect(document.line(of: ["last", "list", "2", "y"]) == list + 2)
        #expect(document.line(of: ["last", "list", "3"]) == list && document.line(of: ["nothing"]) == 1)
        #expect(document.line(of: ["sensor", "600"]) == names.count + 1)
        #expect(document.line(of: ["sensor", "x"]) == names.count + 1)
    }

    @Test("A repeated key is reported with the first one's line, in the newest table too")
    func repetitions() {
        let entry = "[[sensor]]\nid = \"a\"\n"
        for (text, said) in [
            ("a = 1\n\na = 2\n", "f:3: a is already in line 1; write it once"),
            (entry + entry + "name = \"b\"\nid = \"c\"\n", "f:6: id is already in line 4; write it once"),
            ("[a.b]\nc = 1\n[d]\n[a.b]\n", "f:4: [a.b] is already in line 1; write it once"),
            ("[a]\nb.c = 1\n  b.c = 2 # x\n", "f:3: b.c is already in line 2; write it once"),
            (entry + "[[sensor]\n", "f:3: write [[sensor]]"),
            (entry + "[sensor]\n", "f:3: write [[sensor]]"),
        ] {
            #expect(Self.issue(text) == said)
        }
    }
}
