// SPDX-License-Identifier: Apache-2.0

import Foundation
import Libcrypto

/// What tells one machine from another, so that a copied card notices that it is in another machine.
///
/// - A board with a device tree, such as a Raspberry Pi, has a serial number.
/// - Any other machine has its id, machine-id(5), which a copied disk has, too: a copy is not noticed by its marks then.
/// - A container has no mark: its state volume is the gateway, wherever it runs.
package struct MachineMarks: Equatable, Sendable {
    /// Where marks are read.
    package struct Places: Sendable {
        package var serials = ["/proc/device-tree/serial-number", "/sys/firmware/devicetree/base/serial-number"]
        package var machineID = "/etc/machine-id"
        /// One of these is there in a container.
        package var containers = ["/.dockerenv", "/run/.containerenv"]

        package init() {}
    }

    /// 16 hexadecimal digits made of the board's serial number; nil where it has none that is of use.
    package var board: String?
    /// 16 hexadecimal digits made of the machine's id; nil where it has none.
    package var machine: String?
    /// There are no marks because the state volume is the gateway.
    package var isContainer = false

    package init(board: String? = nil, machine: String? = nil) { (self.board, self.machine) = (board, machine) }

    package init(_ places: Places) {
        guard !places.containers.contains(where: { access($0, F_OK) == 0 }) else {
            isContainer = true
            return
        }
        board = places.serials.lazy.compactMap { Self.serial(Self.text($0)) }.first.map { Self.mark($0, of: "board") }
        machine = GatewayName.machineID(Self.text(places.machineID)).map { Self.mark($0, of: "machine") }
    }

    /// Whether these are another machine's than `known`. Marks that one of them has not say nothing.
    package func differ(from known: MachineMarks) -> Bool {
        if let board, let other = known.board { return board != other }
        if let machine, let other = known.machine { return machine != other }
        return false
    }

    /// What a person is told of the mark that decides.
    package var text: String {
        if isContainer { return "the state volume of this container" }
        if board != nil { return "the serial number of this board" }
        return machine != nil
            ? "/etc/machine-id" : "the state directory alone: this machine has neither a serial number nor an id"
    }

    /// A serial number of one digit over and over, zeros mostly, is none.
    private static func serial(_ text: String?) -> String? {
        let serial = (text ?? "").filter { $0.isASCII && !$0.isWhitespace && $0 != "\0" }
        return serial.utf8.count >= 4 && Set(serial.utf8).count > 1 ? serial : nil
    }

    /// The id itself stays on the machine: support bundles have the mark.
    private static func mark(_ text: String, of kind: String) -> String {
        SHA256(Array("martlet \(kind) \(text)".utf8)).octets.prefix(8).map {
            ($0 < 16 ? "0" : "") + String($0, radix: 16)
        }.joined()
    }

    /// The first octets of a file, which may be one of the kernel's.
    private static func text(_ path: String) -> String? {
        guard let file = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? file.close() }
        return (try? file.read(upToCount: 256)).flatMap { $0 }.map { String(decoding: $0, as: UTF8.self) }
    }
}
