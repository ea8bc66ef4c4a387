// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Readings

/// The decoders of the user's own: `decoders.d/*.toml` beside the configuration file.
package struct DecoderFiles {
    private static let maximumFiles = 64

    let folder: String
    private(set) var decoders: [SensorDefinition] = []
    private(set) var issues: [ConfigurationIssue] = []
    /// Notes for the author of the files. Sentences.
    private(set) var notes: [String] = []

    /// Reads all files, and checks each decoder with its vectors.
    init(beside path: String, _ texts: ConfigurationTexts = ConfigurationTexts()) {
        folder = URL(fileURLWithPath: path).deletingLastPathComponent().appendingPathComponent("decoders.d").path
        let (files, reason) = GatewayConfiguration.files(in: folder)
        if let reason { issues.append(ConfigurationIssue(file: folder, line: 0, reason)) }
        if files.count > Self.maximumFiles {
            issues.append(ConfigurationIssue(file: folder, line: 0, "there are more than \(Self.maximumFiles) files"))
        }
        var owners: [String: String] = [:]
        for file in files.prefix(Self.maximumFiles) {
            switch GatewayConfiguration.secretContents(of: file).map(\.text) {
            case .failure(let issue): issues.append(ConfigurationIssue(file: file, line: 0, issue.reason))
            case .success(let text):
                do throws(ConfigurationError) {
                    let read = try DecoderFile(texts.document(of: text, file: file))
                    let decoder = read.decoder
                    if let owner = owners.updateValue(file, forKey: decoder.key) {
                        let message = "\(quoted(decoder.key)) is decoded by \(owner) already"
                        issues.append(ConfigurationIssue(file: file, line: read.keyLine, message))
                    }
                    decoders.append(decoder)
                    if decoder.restsOnRanges { notes.append(Self.noteOnRanges(decoder, file)) }
                } catch {
                    issues += error.issues
                }
            }
        }
    }

    private static func noteOnRanges(_ decoder: SensorDefinition, _ file: String) -> String {
        "\(file): the carrier and the length alone recognise a packet of \(quoted(decoder.key)). minimum and maximum "
            + "leave a field out; they refused the whole packet in former versions. A prefix, a check or when refuses "
            + "other devices' packets"
    }

    /// Installs the decoders in the process, so that entries may name their families. If the folder is empty now, its
    /// former decoders are removed.
    ///
    /// - Returns: The decoders before this call.
    func install() -> UserDecoders {
        let former = UserDecoders.current
        if !decoders.isEmpty || former.folder == folder {
            UserDecoders.install(UserDecoders(decoders, folder: folder))
        }
        return former
    }

    /// For programs without a configuration. A mistake in a file does not affect the other files. Returns the mistakes.
    package static func installAll(beside path: String = GatewayConfiguration.defaultPath) -> [String] {
        let files = DecoderFiles(beside: path)
        _ = files.install()
        return files.issues.map(\.description)
    }
}
