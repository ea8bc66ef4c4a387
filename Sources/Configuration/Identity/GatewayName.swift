// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import StateFiles

/// The place of a gateway's identity, for gateways without a name in the configuration. Also makes names.
package struct GatewayName: Sendable {
    /// Stands for a name not made yet, if nothing may be written.
    static let unnamed = "gw-unnamed"
    /// The name of the identity's file in the state directory.
    package static let fileName = "gateway-id"
    /// Longest identity, in octets; further octets are not read.
    private static let maximumLength = 1_024

    package enum Kept: Equatable, Sendable {
        case none
        case identity(GatewayIdentity)
        /// The file exists, but holds no identity.
        case damaged
        case unreadable(String)
    }

    package struct Failure: Error, CustomStringConvertible {
        let reason: String
        package var description: String { reason }
    }

    /// The file of the identity.
    package let path: String
    private let folder: String

    package init(stateDirectory: String) {
        folder = stateDirectory
        path = stateDirectory + "/" + Self.fileName
    }

    /// `gw-` and the last 6 hexadecimal digits of a machine's id; nil without an id. machine-id(5): 32 digits, not all
    /// zeros. Before its first start, a machine has `uninitialized` or an empty file.
    package static func ofMachine(_ machineID: String?) -> String? {
        Self.machineID(machineID).map { "gw-" + $0.suffix(6) }
    }

    /// The 32 digits of a machine's id; nil if the text is no id.
    static func machineID(_ machineID: String?) -> String? {
        let text = (machineID ?? "").filter { !$0.isWhitespace }.lowercased()
        guard text.utf8.count == 32, text.utf8.allSatisfy({ $0.isHexadecimalDigit }),
            text.contains(where: { $0 != "0" })
        else { return nil }
        return text
    }

    /// A random name, out of 16 million.
    package static func random() -> String {
        let digits = String(UInt32.random(in: 0..<(1 << 24)), radix: 16)
        return "gw-" + String(repeating: "0", count: 6 - digits.count) + digits
    }

    package func read() -> Kept {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            return errno == ENOENT || errno == ENOTDIR ? .none : .unreadable(String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        var octets = [UInt8](repeating: 0, count: Self.maximumLength)
        let count = Glibc.read(descriptor, &octets, octets.count)
        guard count >= 0 else { return .unreadable(String(cString: strerror(errno))) }
        return GatewayIdentity(String(decoding: octets[..<count], as: UTF8.self)).map { .identity($0) } ?? .damaged
    }

    /// Keeps an identity over restarts and power cuts. Replaces a damaged file.
    package func keep(_ identity: GatewayIdentity) throws(Failure) {
        do throws(StateFileError) {
            // Only a missing folder is made. An existing folder may be a link, or another user's: the name is no
            // secret.
            if access(folder, F_OK) != 0 { try StateFile.makeDirectory(folder) }
            try StateFile.replace(path, with: Data(identity.text.utf8), in: folder, mode: 0o644)
        } catch {
            throw Failure(reason: "\(error)")
        }
    }
}

extension UInt8 {
    fileprivate var isHexadecimalDigit: Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self)
    }
}
