// SPDX-License-Identifier: Apache-2.0

import Foundation
import StateFiles
import TestSupport

@testable import Configuration
@testable import Gateway

/// ``PowerCutDisk`` for configurations.
final class SimulatedConfigurationDisk: ConfigurationDisk {
    private let disk: PowerCutDisk

    init(_ disk: PowerCutDisk = PowerCutDisk(hasFolders: false)) { self.disk = disk }

    var steps: Int { disk.steps }
    var files: [String] { disk.files }

    func endPower(after steps: Int) { disk.endPower(after: steps) }
    func put(_ octets: [UInt8], at path: String) { disk.put(octets, at: path) }

    /// Every possible disk after a power cut.
    func disksAfterPowerCut() -> [SimulatedConfigurationDisk] {
        disk.disksAfterPowerCut().map { SimulatedConfigurationDisk($0) }
    }

    private func step(_ body: () throws(PowerCutDisk.Failure) -> Void) throws(StateFileError) {
        do { try body() } catch { throw StateFileError(step: error.step, code: error.code) }
    }

    func makeFolder(_ path: String) throws(StateFileError) {}
    func names(in folder: String) throws(StateFileError) -> [String] { disk.names(in: folder) }
    func read(_ path: String, limit: Int) throws(StateFileError) -> [UInt8]? { disk.read(path) }
    func replace(_ path: String, with octets: [UInt8], in folder: String) throws(StateFileError) {
        try StateFile.replace(path, with: Data(octets), in: folder, on: SimulatedFiles(disk: disk))
    }
    func move(_ path: String, to other: String) throws(StateFileError) {
        try StateFile.move(path, to: other, on: SimulatedFiles(disk: disk))
    }
    func synchronize(folder: String) throws(StateFileError) {
        try step { () throws(PowerCutDisk.Failure) in try disk.synchronize(folder: folder) }
    }
    func remove(_ path: String) throws(StateFileError) {
        try step { () throws(PowerCutDisk.Failure) in try disk.remove(path) }
    }
    func removeAll(_ path: String) throws(StateFileError) {
        try step { () throws(PowerCutDisk.Failure) in try disk.removeAll(path) }
    }
}

/// The steps of ``StateFile`` on a disk that loses its power.
private struct SimulatedFiles: StateFileSystem {
    let disk: PowerCutDisk

    private func step<Result>(
        _ body: () throws(PowerCutDisk.Failure) -> Result
    ) throws(StateFileError) -> Result {
        do { return try body() } catch { throw StateFileError(step: error.step, code: error.code) }
    }

    func makeDirectory(_ path: String) throws(StateFileError) -> (isNew: Bool, wasWidened: Bool) { (false, false) }
    func synchronize(directory: String) throws(StateFileError) {
        try step { () throws(PowerCutDisk.Failure) in try disk.synchronize(folder: directory) }
    }
    func names(in directory: String) throws(StateFileError) -> [String] { disk.names(in: directory) }
    func create(_ path: String) throws(StateFileError) -> Int32 {
        Int32(try step { () throws(PowerCutDisk.Failure) in try disk.create(path, isExclusive: true) })
    }
    func write(_ octets: [UInt8], to descriptor: Int32) throws(StateFileError) {
        try step { () throws(PowerCutDisk.Failure) in try disk.append(octets, to: Int(descriptor)) }
    }
    func synchronize(_ descriptor: Int32) throws(StateFileError) {
        try step { () throws(PowerCutDisk.Failure) in try disk.synchronize(file: Int(descriptor)) }
    }
    func close(_ descriptor: Int32) {}
    func rename(_ path: String, to other: String) throws(StateFileError) {
        try step { () throws(PowerCutDisk.Failure) in try disk.rename(path, to: other) }
    }
    func remove(_ path: String) throws(StateFileError) {
        try step { () throws(PowerCutDisk.Failure) in try disk.remove(path) }
    }
    func read(_ path: String, limit: Int) throws(StateFileError) -> (octets: [UInt8], wasWidened: Bool)? {
        disk.read(path).map { ($0, false) }
    }
}
