// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Libcrypto

/// The certificates of the broker's authority, while their parts arrive.
package struct StagedAuthority: Equatable, Sendable {
    /// Octets of PEM: a dozen certificates.
    package static let maximumSize = 16_384

    package let size: Int
    /// 64 hexadecimal digits in lower case; nil if no certificates are expected.
    package let hash: String?
    /// The received octets, from offset 0.
    package private(set) var data: [UInt8] = []

    /// Begins an announced transfer, or continues an earlier transfer with an equal announcement.
    package init(announced octets: [UInt8], continuing former: StagedAuthority?) throws(WriteRefusal) {
        let message = try StrictMessage.decode(
            AuthorityMessage.self, from: octets, keys: ["size", "sha256", "received", "state"])
        guard (0...Self.maximumSize).contains(message.size) else {
            throw WriteRefusal(.notValid, "The certificates may have 1 to \(Self.maximumSize) octets, or 0 for none.")
        }
        size = message.size
        guard size > 0 else {
            hash = nil
            return
        }
        let hash = message.sha256?.lowercased() ?? ""
        guard hash.utf8.count == 64, hash.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
            throw WriteRefusal(.notValid, "“sha256” has to be the hash of the certificates: 64 hexadecimal digits.")
        }
        self.hash = hash
        if let former, former.size == size, former.hash == hash { data = former.data }
    }

    package var isComplete: Bool { data.count == size }

    /// Adds a part: 4 octets of offset, least significant first, then data. A part may be repeated. A gap is refused.
    package mutating func add(_ octets: [UInt8]) throws(WriteRefusal) {
        guard octets.count > 4 else {
            throw WriteRefusal(
                .notValid, "A part is 4 octets of offset, least significant first, and at least one of data.")
        }
        let offset = octets.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        let part = octets.dropFirst(4)
        guard offset <= data.count else {
            throw WriteRefusal(.notValid, "A part is missing: \(data.count) octets are here; go on from there.")
        }
        // No overflow: the offset is at most the number of received octets.
        guard offset + part.count <= size else {
            throw WriteRefusal(.notValid, "The part exceeds the announced \(size) octets.")
        }
        data.removeSubrange(offset..<min(data.count, offset + part.count))
        data.insert(contentsOf: part, at: offset)
        guard isComplete else { return }
        guard Self.hash(of: data) == hash else {
            data = []
            throw WriteRefusal(.notValid, "The octets have another hash than the announced one; begin again at 0.")
        }
        guard let text = String(validating: data, as: UTF8.self), text.contains("-----BEGIN CERTIFICATE-----") else {
            data = []
            throw WriteRefusal(
                .notValid, "There is no certificate in this: it has to be PEM, -----BEGIN CERTIFICATE-----.")
        }
    }

    package static func hash(of octets: [UInt8]) -> String {
        SHA256(octets).octets.hexadecimal
    }

    /// The state of the transfer, for a read.
    package var message: AuthorityMessage {
        AuthorityMessage(
            size: size, sha256: hash, received: data.count,
            state: size == 0 ? "none" : isComplete ? "complete" : "partial")
    }
}
