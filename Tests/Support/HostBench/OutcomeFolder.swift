// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestMaterials

/// A folder for the results of tests, for a report. Each id has one small file, so parallel tests do not collide.
struct OutcomeFolder: Sendable {
    struct Outcome: Encodable {
        let id: String
        /// `pass` or `fail`.
        let status: String
        let test: String
        let error: String?
    }

    private let url: URL

    /// `environment`: the variable with another folder than the folder in `.build`.
    init(_ name: String, environment: String) {
        url =
            ProcessInfo.processInfo.environment[environment].map { URL(filePath: $0) }
            ?? Checkout.url(".build/\(name)")
    }

    /// A test's title in reports: its file and its sentence.
    static func title(of test: String, in file: String) -> String {
        let sentence = test.filter { $0 != "`" }.replacing(/\(.*\)$/, with: "")
        return "\(file.split(separator: "/").last ?? ""): \(sentence)"
    }

    func write(_ outcome: Outcome) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let file = url.appending(path: outcome.id.replacing("/", with: "_") + ".json")
        try encoder.encode(outcome).write(to: file, options: .atomic)
    }
}
