// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Records which of NetworkManager's checkpoints is a trial of ours, and that the trial is under way.
///
/// A killed helper leaves the file behind, but not the lock on it. The next helper rolls the recorded checkpoint back,
/// and need not wait until NetworkManager does so at the end of the time.
final class CheckpointFile {
    private let descriptor: Int32

    /// Nil when another helper has a trial under way.
    init?(path: String) throws(NetworkTrouble) {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw NetworkTrouble(.failed, "\(path): \(String(cString: strerror(errno)))") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
    }

    deinit { close(descriptor) }

    /// NetworkManager's name on the bus, and its checkpoint: a restarted NetworkManager counts from 1 again.
    var entry: (owner: String, checkpoint: String)? {
        guard let words = SmallFile.read(from: descriptor)?.split(separator: " "), words.count == 2 else { return nil }
        return (String(words[0]), String(words[1]))
    }

    func write(owner: String, checkpoint: String) {
        ftruncate(descriptor, 0)
        let octets = Array("\(owner) \(checkpoint)".utf8)
        _ = octets.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }

    func clear() { ftruncate(descriptor, 0) }
}
