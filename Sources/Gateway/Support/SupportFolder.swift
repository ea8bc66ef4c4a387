// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Configuration
import Dispatch
import Operations
import StateFiles
import Synchronization

/// The folder of files for helpers: the newest few. Only the gateway's user can read the files.
struct SupportFolder: Sendable {
    static let kept = 3
    private static let head = "martlet-support-"
    private static let end = ".txt"

    private let path: String
    private let disk: any ConfigurationDisk

    init(stateDirectory: String, disk: any ConfigurationDisk) {
        path = stateDirectory + "/support"
        self.disk = disk
    }

    /// Writes a file, and removes surplus old files. Files are numbered, because a clock may be wrong.
    func keep(_ text: String) throws(StateFileError) -> SupportBundle {
        try disk.makeFolder(path)
        let numbers = try disk.names(in: path).compactMap(Self.number).sorted()
        let next = (numbers.last ?? 0) + 1
        // A full disk keeps the old files, which are worth more.
        try disk.replace(file(next), with: Array(text.utf8), in: path)
        for number in numbers.dropLast(Self.kept - 1) { try disk.remove(file(number)) }
        try disk.synchronize(folder: path)
        return SupportBundle(path: file(next), bytes: text.utf8.count)
    }

    private func file(_ number: Int) -> String { "\(path)/\(Self.head)\(number)\(Self.end)" }

    private static func number(of name: String) -> Int? {
        guard name.hasPrefix(head), name.hasSuffix(end) else { return nil }
        let digits = name.dropFirst(head.count).dropLast(end.count)
        guard (1...15).contains(digits.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(digits)
    }
}

extension GatewayService {
    /// All that a helper needs, as text; writes nothing.
    package func supportText() async -> String { await SupportReport(self).text() }

    /// Writes the support text to a file of the state directory. If the file cannot be written, returns only the text:
    /// a full disk may be the reported problem.
    package func writeSupportBundle() async throws(OperationError) -> SupportBundle {
        guard exclusive.begin(.supportBundle) else {
            throw OperationError(.busy, "such a file is being written: ask again when that is done")
        }
        defer { exclusive.end(.supportBundle) }
        let text = await supportText()
        let folder = SupportFolder(stateDirectory: configuration.bluetooth.stateDirectory, disk: disk)
        return await withCheckedContinuation { waiting in
            DispatchQueue.global(qos: .utility).async {
                var bundle = SupportBundle(path: nil, bytes: text.utf8.count)
                do throws(StateFileError) {
                    bundle = try folder.keep(text)
                } catch {
                    bundle.problem = "the file cannot be written: \(error)"
                }
                bundle.text = text
                waiting.resume(returning: bundle)
            }
        }
    }
}
