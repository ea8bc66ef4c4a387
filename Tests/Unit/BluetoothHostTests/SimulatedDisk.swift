// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import StateFiles
import TestSupport

/// ``PowerCutDisk`` for files of secrets.
final class SimulatedDisk: StateFileSystem {
    private let disk: PowerCutDisk

    init(_ disk: PowerCutDisk = PowerCutDisk(hasFolders: true)) { self.disk = disk }

    var steps: Int { disk.steps }
    var files: [String] { disk.files }

    func endPower(after steps: Int) { disk.endPower(after: steps) }
    func disksAfterPowerCut() -> [SimulatedDisk] { disk.disksAfterPowerCut().map { SimulatedDisk($0) } }

    private func step<Result>(
        _ body: () throws(PowerCutDisk.Failure) -> Result
    ) throws(StateFileError) -> Result {
        do { return try body() } catch { throw StateFileError(step: error.step, code: error.code) }
    }

    func makeDirectory(_ path: String) throws(StateFileError) -> (isNew: Bool, wasWidened: Bool) {
        (try step { () throws(PowerCutDisk.Failure) in try disk.makeFolder(path) }, false)
    }
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
