// SPDX-License-Identifier: Apache-2.0

import Libcrypto

/// The chunks of a backup. Each chunk has 65,536 octets of plaintext, the last chunk 0 to 65,536.
///
/// A chunk's nonce has the number of the chunk and a mark of the last chunk. The header is authenticated with each chunk.
/// So a file does not open if the file was cut, even between two chunks, or if chunks were moved or come from another
/// backup.
enum BackupChunk {
    /// Octets of plaintext.
    static let length = 65_536
    /// Octets in the file.
    static let sealedLength = length + AES256GCM.tagLength

    static func nonce(_ number: UInt64, isLast: Bool) -> [UInt8] {
        [0, 0, 0, isLast ? 1 : 0] + (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) }
    }
}

/// Encrypts a stream into the chunks of a backup.
struct BackupSealer {
    private let header: [UInt8]
    private let key: [UInt8]
    private let write: ([UInt8]) throws(BackupError) -> Void
    private var waiting: [UInt8] = []
    private var number: UInt64 = 0

    /// Writes the header.
    ///
    /// - Parameter write: Takes the octets of the file, in order.
    init(
        _ header: BackupHeader, key: [UInt8], write: @escaping ([UInt8]) throws(BackupError) -> Void
    ) throws(BackupError) {
        (self.header, self.key, self.write) = (header.octets, key, write)
        try write(self.header)
    }

    mutating func add(_ octets: some Collection<UInt8>) throws(BackupError) {
        waiting += octets
        var rest = waiting[...]
        // A full chunk waits until more octets follow: the last chunk is sealed in another way.
        while rest.count > BackupChunk.length {
            try seal(Array(rest.prefix(BackupChunk.length)), isLast: false)
            rest = rest.dropFirst(BackupChunk.length)
        }
        waiting = Array(rest)
    }

    /// Writes the last chunk.
    mutating func end() throws(BackupError) {
        try seal(waiting, isLast: true)
        waiting = []
    }

    private mutating func seal(_ octets: [UInt8], isLast: Bool) throws(BackupError) {
        let nonce = BackupChunk.nonce(number, isLast: isLast)
        guard let sealed = AES256GCM.seal(octets, key: key, nonce: nonce, additionalData: header) else {
            throw .unfit("OpenSSL does not encrypt: is the memory short?")
        }
        number += 1
        try write(sealed)
    }
}

/// Decrypts the chunks of a backup into a stream. Only authenticated octets come out.
struct BackupOpener {
    private let header: [UInt8]
    private let key: [UInt8]
    private let read: (_ limit: Int) throws(BackupError) -> [UInt8]
    /// Octets of the file, before their decryption.
    private var sealed: [UInt8] = []
    private var open: ArraySlice<UInt8> = []
    private var number: UInt64 = 0
    /// The last chunk was opened.
    private var hasEnded = false

    /// - Parameter read: The next octets of the file, behind its header; none at its end.
    init(_ header: BackupHeader, key: [UInt8], read: @escaping (_ limit: Int) throws(BackupError) -> [UInt8]) {
        (self.header, self.key, self.read) = (header.octets, key, read)
    }

    /// The next octets of the stream; nil at the end of the stream.
    mutating func next(_ limit: Int) throws(BackupError) -> [UInt8]? {
        while open.isEmpty {
            guard !hasEnded else { return nil }
            try openChunk()
        }
        defer { open = open.dropFirst(limit) }
        return Array(open.prefix(limit))
    }

    /// Exactly `count` octets.
    mutating func take(_ count: Int) throws(BackupError) -> [UInt8] {
        var octets: [UInt8] = []
        while octets.count < count {
            guard let more = try next(count - octets.count) else { throw .damaged("it ends within an entry") }
            octets += more
        }
        return octets
    }

    private mutating func openChunk() throws(BackupError) {
        // One octet more tells whether another chunk follows.
        while sealed.count <= BackupChunk.sealedLength {
            let more = try read(BackupChunk.sealedLength + 1 - sealed.count)
            guard !more.isEmpty else { break }
            sealed += more
        }
        let isLast = sealed.count <= BackupChunk.sealedLength
        let chunk = Array(sealed.prefix(BackupChunk.sealedLength))
        let nonce = BackupChunk.nonce(number, isLast: isLast)
        guard let octets = AES256GCM.open(chunk, key: key, nonce: nonce, additionalData: header) else {
            throw number == 0 ? .wrongPassphrase : .damaged("part \(number + 1) was cut or changed")
        }
        number += 1
        sealed.removeFirst(chunk.count)
        (open, hasEnded) = (octets[...], isLast)
    }
}
