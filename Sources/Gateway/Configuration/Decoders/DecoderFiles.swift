// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Readings

/// The decoders of the user's own: `decoders.d/*.toml` beside the configuration file.
package struct DecoderFiles {
    private static let maximumFiles = 64

    private(set) var decoders: [UserDecoder] = []
    private(set) var issues: [ConfigurationIssue] = []

    /// Reads them all, and has each show that it is right.
    init(beside path: String) {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().appendingPathComponent("decoders.d").path
        let (files, reason) = GatewayConfiguration.files(in: folder)
        if let reason { issues.append(ConfigurationIssue(file: folder, line: 0, reason)) }
        if files.count > Self.maximumFiles {
            issues.append(ConfigurationIssue(file: folder, line: 0, "there are more than \(Self.maximumFiles) files"))
        }
        var owners: [String: String] = [:]
        for file in files.prefix(Self.maximumFiles) {
            switch GatewayConfiguration.contents(of: file) {
            case .failure(let issue): issues.append(ConfigurationIssue(file: file, line: 0, issue.reason))
            case .success(let text):
                do throws(ConfigurationError) {
                    let decoder = try DecoderFile(text, file: file).decoder
                    if let owner = owners.updateValue(file, forKey: decoder.key) {
                        let message = "\(quoted(decoder.key)) is decoded by \(owner) already"
                        issues.append(ConfigurationIssue(file: file, line: 0, message))
                    }
                    decoders.append(decoder)
                } catch {
                    issues += error.issues
                }
            }
        }
    }

    /// For programs that read no configuration: what is wrong with a file keeps the others from nothing.
    package static func installAll(beside path: String = GatewayConfiguration.defaultPath) -> [String] {
        let files = DecoderFiles(beside: path)
        if !files.decoders.isEmpty { UserDecoders.install(UserDecoders(files.decoders)) }
        return files.issues.map(\.description)
    }
}
