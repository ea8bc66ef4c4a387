// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Glibc
import Libcrypto
import StateFiles

/// Keeps the layer that the gateway writes itself, in one file. The rename of this file is the moment of a change.
/// After a power cut at any step, the disk has the old layer or the new layer, complete. Not for two threads at once.
///
/// Beside the file lies its predecessor (`.before`, which is not read as configuration). Certificates of authorities
/// lie there, too: they are on disk before the file that names them, and are removed after it.
package struct MachineLayerStore: Sendable {
    /// Octets of the layer, and of an authority's certificates.
    package static let limit = 1 << 20
    package static let authorityLimit = 64 << 10
    /// The number of damaged files to keep.
    private static let maximumDamaged = 4

    /// The result of a read.
    package struct Found: Equatable, Sendable {
        /// The layer to use; nil: no layer.
        package var layer: MachineLayerText?
        /// The fault, and what the gateway did about it.
        package var problem: String?

        package var text: String? { layer?.text }
    }

    /// `config.d` of the state directory.
    package let folder: String
    private let stateDirectory: String
    private let disk: any ConfigurationDisk
    private let texts: ConfigurationTexts

    package init(
        stateDirectory: String, disk: any ConfigurationDisk = SystemConfigurationDisk(),
        texts: ConfigurationTexts = ConfigurationTexts()
    ) {
        self.stateDirectory = stateDirectory
        self.disk = disk
        self.texts = texts
        folder = stateDirectory + "/config.d"
    }

    package var path: String { folder + "/" + MachineLayer.fileName }
    private var former: String { path + ".before" }
    private var corrupt: String { stateDirectory + "/corrupt" }

    // MARK: Reading

    /// Reads the file. An unusable file is put aside, and its predecessor takes its place if usable.
    ///
    /// - Parameter mends: False changes nothing on disk, and only returns the layer to use.
    package func read(mends: Bool) -> Found {
        let reason: String
        switch layer(at: path) {
        case .success(let layer): return Found(layer: layer)
        case .failure(let error) where error.code == EACCES:
            return Found(problem: "\(path) may not be read by this user, and is left out")
        case .failure(let error): reason = error.reason
        }
        let before = (try? layer(at: former).get()).flatMap { $0 }
        let outcome =
            before == nil
            ? "nothing is left of what was set up" : "the former settings are used, which may be out of date"
        guard mends else { return Found(layer: before, problem: "\(path) is damaged (\(reason)): \(outcome)") }
        do throws(StateFileError) {
            let place = try putAside(replacedBy: before?.text)
            return Found(layer: before, problem: "\(path) was damaged (\(reason)) and is now \(place): \(outcome)")
        } catch {
            return Found(
                layer: before,
                problem: "\(path) is damaged (\(reason)), and cannot be put aside (\(error)): \(outcome)")
        }
    }

    /// A layer as the text of its future file. Throws as ``MachineLayerText/init(_:file:_:)``.
    package func text(of layer: MachineLayer) throws(ConfigurationError) -> MachineLayerText {
        try MachineLayerText(layer, file: path, texts)
    }

    /// The layer in use.
    package func layer() -> MachineLayer {
        read(mends: false).layer?.layer ?? MachineLayer()
    }

    /// The predecessor of the kept layer.
    package func layerBefore() -> MachineLayer? {
        (try? layer(at: former).get())?.layer
    }

    private struct Unusable: Error {
        var code: Int32 = 0
        var reason: String
    }

    /// The layer in a file; nil if there is no file.
    private func layer(at path: String) -> Result<MachineLayerText?, Unusable> {
        let octets: [UInt8]?
        do throws(StateFileError) {
            octets = try disk.read(path, limit: Self.limit)
        } catch {
            return .failure(Unusable(code: error.code, reason: "\(error)"))
        }
        guard let octets else { return .success(nil) }
        guard let text = String(validating: octets, as: UTF8.self) else {
            return .failure(Unusable(reason: "it is not UTF-8"))
        }
        // The gateway never leaves the file empty. A damaged disk does.
        guard !text.isEmpty else { return .failure(Unusable(reason: "it is empty")) }
        do {
            return .success(try MachineLayerText(parsing: text, file: path, texts))
        } catch {
            // Without the file's name, which the problem has already. No mistake contains a secret's value.
            let issue = error.issues.first
            return .failure(Unusable(reason: issue.map { "line \($0.line): \($0.message)" } ?? "it is no TOML"))
        }
    }

    /// Moves the damaged file to the journal's damaged files, and puts `text` in its place. With a replacement, there
    /// is a file at all times: without a file, the gateway would look as if nobody had set it up.
    private func putAside(replacedBy text: String?) throws(StateFileError) -> String {
        try disk.makeFolder(corrupt)
        let base = MachineLayer.fileName + "."
        let numbers = try disk.names(in: corrupt)
            .compactMap { $0.hasPrefix(base) ? Int($0.dropFirst(base.count)) : nil }.sorted()
        for number in numbers.dropLast(Self.maximumDamaged - 1) { try disk.remove("\(corrupt)/\(base)\(number)") }
        let place = "\(corrupt)/\(base)\((numbers.last ?? 0) + 1)"
        if let text {
            // A file that the disk cannot read is of no use.
            if let octets = try? disk.read(path, limit: Self.limit) {
                try disk.replace(place, with: octets, in: corrupt)
            }
            try put(text)
        } else {
            try disk.move(path, to: place)
        }
        return place
    }

    // MARK: Writing

    /// Writes a layer.
    ///
    /// - Parameter keepsFormer: The former layer stays available.
    package func keep(_ layer: MachineLayerText, keepsFormer: Bool) throws(StateFileError) {
        try makeFolders()
        if keepsFormer {
            let old = try disk.read(path, limit: Self.limit) ?? Array(MachineLayer().text.utf8)
            try disk.replace(former, with: old, in: folder)
        }
        try put(layer.text)
    }

    /// Removes the predecessor of the kept layer.
    package func forgetFormer() throws(StateFileError) {
        try disk.remove(former)
        try disk.synchronize(folder: folder)
    }

    private func put(_ text: String) throws(StateFileError) {
        try disk.replace(path, with: Array(text.utf8), in: folder)
    }

    private func makeFolders() throws(StateFileError) {
        try disk.makeFolder(stateDirectory)
        try disk.makeFolder(folder)
        try disk.synchronize(folder: stateDirectory)
    }

    // MARK: Certificates

    /// The path of an authority's certificates; it contains their hash.
    package func authorityPath(_ pem: [UInt8]) -> String { "\(folder)/ca-\(Self.sha256(pem)).pem" }

    /// Writes an authority's certificates, for a later layer that names them.
    package func keepAuthority(_ pem: [UInt8]) throws(StateFileError) {
        let path = authorityPath(pem)
        if let there = try? disk.read(path, limit: Self.authorityLimit), there == pem { return }
        try makeFolders()
        try disk.replace(path, with: pem, in: folder)
    }

    /// Removes drafts, and certificates without a layer.
    package func removeUnused(besides layers: [MachineLayer]) {
        let used = Set(layers.compactMap(\.authority))
        for name in (try? disk.names(in: folder)) ?? [] {
            let path = folder + "/" + name
            let isUnused = name.hasPrefix("ca-") && name.hasSuffix(".pem") && !used.contains(path)
            if isUnused || name.hasSuffix(StateFile.unfinished) { try? disk.remove(path) }
        }
    }

    /// The hash in the path of certificates kept by the gateway; nil for any other path.
    package func authorityHash(in path: String?) -> String? {
        guard let path, path.hasPrefix(folder + "/ca-"), path.hasSuffix(".pem") else { return nil }
        return String(path.dropFirst(folder.count + 4).dropLast(4))
    }

    /// As hexadecimal digits.
    static func sha256(_ octets: [UInt8]) -> String {
        SHA256(octets).octets.hexadecimal
    }
}
