// SPDX-License-Identifier: Apache-2.0

import Foundation
import Gateway

/// The flashed image that this program runs in: its version, and the programs that update it.
struct ImageSystem {
    /// What a bundle says of itself, once its signature has been checked.
    struct Bundle: Decodable, Equatable {
        /// The kind of image that it is for.
        var compatible: String
        /// The version of the package in it.
        var version: String
        /// What the builder says besides.
        var description: String?

        /// The journal's schema that it brings; nil when it does not say.
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
    /// It is there in an image only.
    var configuration = "/etc/rauc/system.conf"
    var release = "/etc/os-release"

    /// The version of the image that runs.
    func version() throws -> String {
        guard FileManager.default.fileExists(atPath: configuration),
            let text = try? String(contentsOfFile: release, encoding: .utf8)
        else {
            throw Failure(
                description: "this is not a Martlet image: install a newer package, with apt install ./martlet_….deb")
        }
        let key = "IMAGE_VERSION="
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(key) }) else {
            throw Failure(description: "\(release) does not say which image runs here")
        }
        return line.dropFirst(key.count).trimmingCharacters(in: ["\"", "'"])
    }

    /// Reads what a file, or a URL, has to say. Only of what the keyring's key has signed is anything believed.
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

    /// Whether one version comes before another, as Debian orders them.
    func isOlder(_ version: String, than other: String) throws -> Bool {
        let answer = try run(dpkg, ["--compare-versions", version, "lt", other])
        guard answer.status == 0 || answer.status == 1 else {
            throw Failure(description: "\(version) and \(other) cannot be compared: \(Self.reason(answer.errors))")
        }
        return answer.status == 0
    }

    /// Writes the other slot and has it started next; what RAUC says goes to the terminal.
    ///
    /// - Parameters:
    ///   - force: Older versions, too.
    ///   - progress: Told of the percentage each time that it grows.
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
            if let news = percentage.take(said) { progress(news) }
        }
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw Failure(
                description: "the update was not installed; what runs is as it was, and is what starts the next time")
        }
    }

    private func run(_ program: String, _ arguments: [String]) throws -> (status: Int32, output: Data, errors: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        // Into a file: a pipe that nobody reads while the other one is read to its end could fill up.
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
        // A signal is no answer, whatever its number.
        return (process.terminationReason == .exit ? process.terminationStatus : 128, data, said)
    }

    private func start(_ process: Process) throws {
        do {
            try process.runReachable()
        } catch {
            throw Failure(description: "\(process.executableURL?.path ?? "a program") cannot be started: \(error)")
        }
    }

    /// The last thing that a program said, which is where it says why.
    private static func reason(_ text: String) -> String {
        text.split(separator: "\n").last.map(String.init) ?? "no reason given"
    }
}
