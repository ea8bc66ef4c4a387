// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import Glibc
import StateFiles
import Synchronization

/// A real disk that counts writes. A test can hold up the wait for the disk, and let it go on.
final class HeldDisk: StateFileSystem {
    private struct State {
        var isHeld = false
        var created: [String] = []
        var removed: [String] = []
        var syncs = 0
    }

    private let disk = DiskFileSystem()
    private let state = Mutex(State())
    private let gate = DispatchSemaphore(value: 0)
    private let arrived = DispatchSemaphore(value: 0)

    /// Written files, in order, by their last names.
    var created: [String] { state.withLock { $0.created } }
    /// The number of awaited steps on the disk.
    var syncs: Int { state.withLock { $0.syncs } }
    var removed: [String] { state.withLock { $0.removed } }

    /// The next write does not end before ``letGo()``.
    func hold() { state.withLock { $0.isHeld = true } }
    /// Waits until a write is held up.
    func waitUntilHeld() { arrived.wait() }
    func letGo() {
        state.withLock { $0.isHeld = false }
        gate.signal()
    }

    private static func name(_ path: String) -> String {
        (path as NSString).lastPathComponent.replacingOccurrences(of: StateFile.unfinished, with: "")
    }

    func synchronize(_ descriptor: Int32) throws(StateFileError) {
        let isHeld = state.withLock { state in
            state.syncs += 1
            return state.isHeld
        }
        if isHeld {
            arrived.signal()
            gate.wait()
        }
        try disk.synchronize(descriptor)
    }

    func create(_ path: String) throws(StateFileError) -> Int32 {
        state.withLock { $0.created.append(Self.name(path)) }
        return try disk.create(path)
    }

    func remove(_ path: String) throws(StateFileError) {
        if !path.hasSuffix(StateFile.unfinished) { state.withLock { $0.removed.append(Self.name(path)) } }
        try disk.remove(path)
    }

    func makeDirectory(_ path: String) throws(StateFileError) -> (isNew: Bool, wasWidened: Bool) {
        try disk.makeDirectory(path)
    }
    func synchronize(directory: String) throws(StateFileError) {
        state.withLock { $0.syncs += 1 }
        try disk.synchronize(directory: directory)
    }
    func names(in directory: String) throws(StateFileError) -> [String] { try disk.names(in: directory) }
    func write(_ octets: [UInt8], to file: Int32) throws(StateFileError) { try disk.write(octets, to: file) }
    func close(_ descriptor: Int32) { disk.close(descriptor) }
    func rename(_ path: String, to other: String) throws(StateFileError) { try disk.rename(path, to: other) }
    func read(_ path: String, limit: Int) throws(StateFileError) -> (octets: [UInt8], wasWidened: Bool)? {
        try disk.read(path, limit: limit)
    }
}
