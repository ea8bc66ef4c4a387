// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@testable import Collector
@testable import Configuration
@testable import Gateway
@testable import GatewayBench

/// The check of a client's text reveals nothing of this machine's files, and ends.
struct ForeignTextTests {
    private static func check(_ text: String, within time: Duration = .seconds(60)) -> Result<
        [String], ConfigurationError
    > {
        Result { () throws(ConfigurationError) in
            try GatewayConfiguration.check(
                foreign: text, file: "martlet.toml", gateway: "g", until: ContinuousClock.now + time)
        }
    }

    /// Each key with a path as its value, and an entry with it.
    private static func entries(_ path: String) -> [(key: String, text: String)] {
        let sections = GatewayConfiguration.sections.flatMap { section in
            section.keys.compactMap { key -> (String, String)? in
                var configuration = GatewayConfiguration(gateway: "g")
                guard (try? key.apply(.string(path), &configuration)) != nil else { return nil }
                return ("\(section.name).\(key.name)", "[\(section.name)]\n\(key.name) = \"\(path)\"\n")
            }
        }
        let sensors = GatewayConfiguration.sensorSection.keys.compactMap { key -> (String, String)? in
            var rule = SensorRule()
            guard (try? key.apply(.string(path), &rule)) != nil else { return nil }
            return (
                "sensor.\(key.name)",
                "[[sensor]]\nname = \"a\"\n".replacing(key.name == "name" ? "name = \"a\"\n" : "?", with: "")
                    + "\(key.name) = \"\(path)\"\n"
            )
        }
        return sections + sensors
    }

    /// Opens and accesses of files of a folder, as the kernel tells them.
    private final class Watch {
        private let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        init(_ folder: String) { inotify_add_watch(descriptor, folder, UInt32(IN_OPEN | IN_ACCESS)) }
        deinit { close(descriptor) }
        var hasSeen: Bool {
            var octets = [UInt8](repeating: 0, count: 4_096)
            return read(descriptor, &octets, octets.count) > 0
        }
    }

    @Test func `no key has a file opened or looked for`() throws {
        let folder = try TestFolder()
        let path = folder.path("file")
        let all = Self.entries(path)
        #expect(all.count >= 10 && all.contains { $0.key == "sensor.bindkey_file" })
        let extra = "[mqtt]\nusername = \"u\"\n"
        for (key, entry) in all {
            let text = entry.hasPrefix("[mqtt]\n") ? entry + "username = \"u\"\n" : extra + entry
            let absent = Self.check(text)
            try folder.write("file", "00112233445566778899aabbccddeeff\n")
            let watch = Watch(folder.path)
            let present = Self.check(text)
            #expect(!watch.hasSeen, "\(key): the file was opened")
            chmod(path, 0o644)
            let open = Self.check(text)
            try FileManager.default.removeItem(atPath: path)
            let answers = [absent, present, open].map { String(describing: $0) }
            #expect(Set(answers).count == 1, "\(key): \(answers)")
            guard key.hasSuffix("_file"), case .success(let warnings) = present else { continue }
            #expect(warnings.contains { $0.contains("\(key) was not looked at") }, "\(key): \(warnings)")
        }
        // The check opens the path if the same entry is in a file of this machine.
        try folder.write("file", "00112233445566778899aabbccddeeff\n")
        let watch = Watch(folder.path)
        _ = try GatewayConfiguration.parse("[[sensor]]\nname = \"a\"\nbindkey_file = \"\(path)\"\n", gateway: "g")
        #expect(watch.hasSeen)
    }

    @Test func `a text has a size, its mistakes a number, and its check an end`() throws {
        let entry = "[[sensor]]\nname = \"a\"\nbindkey_file = \"/dev/zero\"\n"
        let most = ForeignText.longest / entry.utf8.count
        _ = Self.check(String(repeating: entry, count: most))
        guard case .failure(let tooLong) = Self.check(String(repeating: entry, count: most + 1)) else {
            Issue.record("too long a text was read")
            return
        }
        #expect(tooLong.issues.map(\.message) == ["a text that is checked here has at most 128 KiB"])
        // Octets count, and not characters.
        let comment = "# " + String(repeating: "🏠", count: ForeignText.longest / 4)
        guard case .failure(let octets) = Self.check(comment) else {
            Issue.record("too many octets were read")
            return
        }
        #expect(octets.issues == tooLong.issues)
        guard case .failure(let many) = Self.check((0..<5_000).map { "k\($0) = 1\n" }.joined()) else {
            Issue.record("no mistake was found")
            return
        }
        #expect(many.issues.count == ForeignText.maximumIssues)
        guard case .failure(let late) = Self.check("[mqtt]\nhost = \"a\"\n", within: .zero) else {
            Issue.record("the deadline has no effect")
            return
        }
        #expect(late.issues.map(\.message) == ["the check took too long and was ended"])
    }
}
