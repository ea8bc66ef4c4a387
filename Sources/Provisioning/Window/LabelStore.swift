// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Foundation
import Gateway
import StateFiles

/// The record of the label's passkey on disk, `provision.json` of the state directory. A write is atomic: the disk has
/// the old or the new record.
package struct LabelStore: Sendable {
    package enum Trouble: Error, Equatable, Sendable {
        case damaged
        case notReadable
    }

    private struct Form: Codable {
        var version: Int
        var passkey: String
        var failures: Int
        var condition: LabelRecord.Condition
        var atRisk: Bool
    }

    private static let version = 1
    private static let maximumSize = 4096

    private let directory: String
    private let files: any StateFileSystem

    package init(directory: String, files: any StateFileSystem = DiskFileSystem()) {
        self.directory = directory
        self.files = files
    }

    private var path: String { directory + "/provision.json" }

    /// nil if there never was a label. An unreadable record throws: it must not pass for a record without failures.
    package func load() throws(Trouble) -> LabelRecord? {
        let octets: [UInt8]
        do throws(StateFileError) {
            guard let file = try files.read(path, limit: Self.maximumSize) else { return nil }
            octets = file.octets
        } catch {
            throw .notReadable
        }
        guard let form = try? ControlCoding.decode(Form.self, from: octets), form.version == Self.version,
            form.passkey.utf8.count == 6, form.passkey.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            (0...LabelRecord.failureLimit).contains(form.failures),
            form.condition != .good || form.failures < LabelRecord.failureLimit
        else { throw .damaged }
        return LabelRecord(
            passkey: Secret(form.passkey), failures: form.failures, condition: form.condition, isAtRisk: form.atRisk)
    }

    /// Returns when the record is on disk.
    package func save(_ record: LabelRecord) throws(StateFileError) {
        let form = Form(
            version: Self.version, passkey: record.passkey.revealed, failures: record.failures,
            condition: record.condition, atRisk: record.isAtRisk)
        guard let octets = try? ControlCoding.encode(form) else { throw StateFileError(step: "encode", code: EINVAL) }
        try StateFile.makeDirectory(directory, on: files)
        try StateFile.replace(path, with: Data(octets), in: directory, on: files)
    }
}
