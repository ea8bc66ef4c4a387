// SPDX-License-Identifier: Apache-2.0

import Foundation
import Health
import Libcrypto

/// Marks that tell one machine from another. With them, a gateway on a copied card notices that it is in another
/// machine.
///
/// - A board with a device tree, such as a Raspberry Pi, has a serial number.
/// - Any other machine has its id, machine-id(5). A copied disk has the same id, so the marks do not reveal this copy.
/// - A container has no mark: its state volume is the gateway, wherever the container runs.
package struct MachineMarks: Equatable, Sendable {
    /// The files of the marks.
    package struct Places: Sendable {
        package var serials = ["/proc/device-tree/serial-number", "/sys/firmware/devicetree/base/serial-number"]
        package var machineID = "/etc/machine-id"
        /// A container has one of these files.
        package var containers = ContainerEngine.files

        package init() {}
    }

    /// 16 hexadecimal digits made of the board's serial number; nil without a usable number.
    package var board: String?
    /// 16 hexadecimal digits made of the machine's id; nil without an id.
    package var machine: String?
    /// The state volume is the gateway, so there are no marks.
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

    /// Whether these are the marks of a machine other than `known`. A mark missing on either side decides nothing.
    package func differ(from known: MachineMarks) -> Bool {
        if let board, let other = known.board { return board != other }
        if let machine, let other = known.machine { return machine != other }
        return false
    }

    /// The deciding mark, for a person.
    package var text: String {
        if isContainer { return "the state volume of this container" }
        if board != nil { return "the serial number of this board" }
        return machine != nil
            ? "/etc/machine-id" : "the state directory alone: this machine has neither a serial number nor an id"
    }

    /// A serial number of one repeated digit, mostly zero, does not count.
    private static func serial(_ text: String?) -> String? {
        let serial = (text ?? "").filter { $0.isASCII && !$0.isWhitespace && $0 != "\0" }
        return serial.utf8.count >= 4 && Set(serial.utf8).count > 1 ? serial : nil
    }

    /// Support bundles have the mark. The id itself stays on the machine.
    private static func mark(_ text: String, of kind: String) -> String {
        SHA256(Array("martlet \(kind) \(text)".utf8)).octets.prefix(8).map {
            ($0 < 16 ? "0" : "") + String($0, radix: 16)
        }.joined()
    }

    /// The first octets of a file, also of a kernel file.
    private static func text(_ path: String) -> String? {
        guard let file = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? file.close() }
        return (try? file.read(upToCount: 256)).flatMap { $0 }.map { String(decoding: $0, as: UTF8.self) }
    }
}
