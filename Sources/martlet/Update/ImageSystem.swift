// SPDX-License-Identifier: Apache-2.0

import Foundation
import Gateway
import Health

/// The flashed image of this program: its version, and its update programs.
struct ImageSystem {
    /// A bundle's description of itself, after the check of its signature.
    struct Bundle: Decodable, Equatable {
        /// The kind of image for this bundle.
        var compatible: String
        /// The version of the bundle's package.
        var version: String
        /// Further words of the builder.
        var description: String?

        /// The journal's schema in the bundle; nil if unknown.
        var journalSchema: Int? {
            let words = (description ?? "").split(separator: " ")
            guard words.count == 3, words.starts(with: ["journal", "schema"]) else { return nil }
            return Int(words[2])
        }
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    var rauc = "/usr/bin/rauc"
    var dpkg = "/usr/bin/dpkg"
    /// Exists only in an image.
    var configuration = "/etc/rauc/system.conf"
    var release = "/etc/os-release"

    /// The version of the running image.
    func version() throws -> String {
        guard FileManager.default.fileExists(atPath: configuration),
            let text = try? String(contentsOfFile: release, encoding: .utf8)
        else {
            throw Failure(
                description: "this is not a Martlet image: install a newer package")
        }
        let key = "IMAGE_VERSION="
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(key) }) else {
            throw Failure(description: "\(release) does not say which image runs here")
        }
        return line.dropFirst(key.count).trimmingCharacters(in: ["\"", "'"])
    }

    /// Reads the description of a file or a URL. RAUC accepts only bundles signed with a key of the keyring.
    func inspect(_ source: String) throws -> Bundle {
        let answer = try run(rauc, ["info", "--output-format=json", source])
        guard answer.status == 0 else {
            throw Failure(description: "\(source) is no update for this image: \(Self.reason(answer.errors))")
        }
        do {
            return try JSONDecoder().decode(Bundle.self, from: answer.output)
        } catch {
            throw Failure(description: "\(source): what it says of itself cannot be read")
        }
    }

    /// Whether `version` comes before `other` in Debian's order.
    func isOlder(_ version: String, than other: String) throws -> Bool {
        let answer = try run(dpkg, ["--compare-versions", version, "lt", other])
        guard answer.status == 0 || answer.status == 1 else {
            throw Failure(description: "\(version) and \(other) cannot be compared: \(Self.reason(answer.errors))")
        }
        return answer.status == 0
    }

    /// Writes the other slot, and makes it the slot of the next start; RAUC's output goes to the terminal.
    ///
    /// - Parameters:
    ///   - force: Accepts older versions, too.
    ///   - progress: Called with the percentage each time it grows.
    func install(_ source: String, force: Bool = false, progress: (Int) -> Void = { _ in }) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: rauc)
        process.arguments = ["install", "--progress"] + (force ? ["--ignore-version-limit"] : []) + [source]
        let output = Pipe()
        process.standardOutput = output
        try start(process)
        var percentage = ProgressText()
        while let said = try? output.fileHandleForReading.read(upToCount: 4096), !said.isEmpty {
            FileHandle.standardOutput.write(said)
            if let news = percentage.receive(said) { progress(news) }
        }
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw Failure(
                description: "the update was not installed; this version runs on, and starts the next time, too")
        }
    }

    private func run(_ program: String, _ arguments: [String]) throws -> (status: Int32, output: Data, errors: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        // Into a file: a second pipe could fill up, unread, during the read of the first.
        let folder = FileManager.default.temporaryDirectory
        let errors = folder.appendingPathComponent("martlet-\(UUID().uuidString)")
        guard FileManager.default.createFile(atPath: errors.path, contents: nil) else {
            throw Failure(description: "\(folder.path) cannot be written")
        }
        defer { try? FileManager.default.removeItem(at: errors) }
        let output = Pipe()
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: errors)
        process.standardInput = FileHandle.nullDevice
        try start(process)
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let said = (try? Data(contentsOf: errors)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        // The end by a signal is no answer, whatever its number.
        return (process.terminationReason == .exit ? process.terminationStatus : 128, data, said)
    }

    private func start(_ process: Process) throws {
        do {
            try process.runReachable()
        } catch {
            throw Failure(description: "\(process.executableURL?.path ?? "a program") cannot be started: \(error)")
        }
    }

    /// The last line of a program's output, which has the reason.
    private static func reason(_ text: String) -> String {
        text.split(separator: "\n").last.map(String.init) ?? "no reason given"
    }
}
