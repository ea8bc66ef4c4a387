// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import StateFiles

/// The `<gw>` of a gateway that its configuration does not name: of the machine's id, or where the machine has none, made once
/// and kept in the state directory, so that no two gateways have the same.
package struct GatewayName: Sendable {
    /// Stands for a name that is not made yet, where nothing may be written.
    static let unnamed = "gw-unnamed"
    /// Octets that are read of a kept name.
    private static let maximumLength = 64

    enum Kept: Equatable {
        case none
        case name(String)
        /// There is something, and it is no name.
        case damaged
        case unreadable(String)
    }

    struct Failure: Error {
        let reason: String
    }

    /// Where it is kept.
    let path: String
    private let folder: String

    init(stateDirectory: String) {
        folder = stateDirectory
        path = stateDirectory + "/gateway-id"
    }

    /// `gw-` and the last 6 hexadecimal digits of a machine's id; nil for what is none. machine-id(5): 32 digits, not all of
    /// them zeros; a machine that has not started for the first time has `uninitialized`, or nothing.
    package static func ofMachine(_ machineID: String?) -> String? {
        let text = (machineID ?? "").filter { !$0.isWhitespace }.lowercased()
        guard text.utf8.count == 32, text.utf8.allSatisfy({ $0.isHexadecimalDigit }),
            text.contains(where: { $0 != "0" })
        else { return nil }
        return "gw-" + text.suffix(6)
    }

    /// One of 16 million.
    package static func random() -> String {
        let digits = String(UInt32.random(in: 0..<(1 << 24)), radix: 16)
        return "gw-" + String(repeating: "0", count: 6 - digits.count) + digits
    }

    func read() -> Kept {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            return errno == ENOENT || errno == ENOTDIR ? .none : .unreadable(String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        var octets = [UInt8](repeating: 0, count: Self.maximumLength)
        let count = Glibc.read(descriptor, &octets, octets.count)
        guard count >= 0 else { return .unreadable(String(cString: strerror(errno))) }
        let text = String(decoding: octets[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        return identifierComplaint(text) == nil ? .name(text) : .damaged
    }

    /// Keeps a name over restarts and power cuts; takes the place of what is damaged.
    func keep(_ name: String) throws(Failure) {
        do throws(StateFileError) {
            // One that is there may be a link, or another user's: the name is no secret.
            if access(folder, F_OK) != 0 { try StateFile.makeDirectory(folder) }
            try StateFile.replace(path, with: Data("\(name)\n".utf8), in: folder, mode: 0o644)
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

extension GatewayConfiguration {
    /// Names a gateway that neither its configuration nor its machine has named.
    ///
    /// - Parameter fresh: The name that it gets, and keeps, when it has none yet; nil for who must not write anything.
    static func name(_ reader: inout ConfigurationReader, fresh: String?) {
        let place = GatewayName(stateDirectory: reader.configuration.bluetooth.stateDirectory)
        let kept = place.read()
        let choice = "gateway.id in the configuration sets one"
        var name = fresh ?? GatewayName.unnamed
        let warning: String
        switch (kept, fresh) {
        case (.name(let known), _):
            name = known
            warning = "so the gateway is \(known), as kept in \(place.path); \(choice)"
        case (.unreadable(let reason), nil):
            warning = "and the gateway's id in \(place.path) cannot be read by this user: \(reason)"
        case (.damaged, nil):
            warning = "and what \(place.path) keeps of one is damaged: the next start makes another one; \(choice)"
        case (.none, nil):
            warning = "so the first start makes an id for the gateway, and keeps it in \(place.path); \(choice)"
        case (_, let fresh?):
            do throws(GatewayName.Failure) {
                try place.keep(fresh)
                let former = if case .damaged = kept { "and what was kept of one is damaged, " } else { "" }
                warning = "\(former)so the gateway is \(fresh) from now on, which is kept in \(place.path); \(choice)"
            } catch {
                warning =
                    "and \(place.path) cannot be written (\(error.reason)): the gateway is \(fresh) until it ends, and "
                    + "another one at each start; let it write there, or set gateway.id in the configuration"
            }
        }
        reader.update {
            $0.gateway = name
            $0.warnings.append("this machine has no id in /etc/machine-id, \(warning)")
        }
    }
}
