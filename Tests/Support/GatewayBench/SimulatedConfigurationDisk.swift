// SPDX-License-Identifier: Apache-2.0

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
    func write(_ octets: [UInt8], to path: String) throws(StateFileError) {
        try step { () throws(PowerCutDisk.Failure) in _ = try disk.create(path, octets, isExclusive: false) }
    }
    func synchronize(_ path: String) throws(StateFileError) {
        try step { () throws(PowerCutDisk.Failure) in try disk.synchronize(path: path) }
    }
    func synchronize(folder: String) throws(StateFileError) {
        try step { () throws(PowerCutDisk.Failure) in try disk.synchronize(folder: folder) }
    }
    func rename(_ path: String, to other: String) throws(StateFileError) {
        try step { () throws(PowerCutDisk.Failure) in try disk.rename(path, to: other) }
    }
    func remove(_ path: String) throws(StateFileError) {
        try step { () throws(PowerCutDisk.Failure) in try disk.remove(path) }
    }
    func removeAll(_ path: String) throws(StateFileError) {
        try step { () throws(PowerCutDisk.Failure) in try disk.removeAll(path) }
    }
}
