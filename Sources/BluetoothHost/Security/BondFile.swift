// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import SMP

/// A bond, and the time of its making.
package struct BondRecord: Equatable, Sendable {
    package var bond: Bond
    /// Seconds since 1970, by the clock at the time.
    package var madeAt: Int64

    package init(bond: Bond, madeAt: Int64) {
        self.bond = bond
        self.madeAt = madeAt
    }
}

/// The content of a bond's file: JSON, with the controller of the bond, and a checksum.
struct BondFile: Codable {
    /// 1 had neither controller nor checksum.
    static let currentVersion = 2
    /// A larger file is not ours: bonds have about 1 KiB.
    static let sizeLimit = 64 << 10

    /// Why a file is refused.
    enum Fault: Error, Equatable {
        /// The file is unreadable, or its content has changed since it was written.
        case damaged
        case version(Int)
        /// The file lies in the folder of another controller, or under the name of another peer.
        case misplaced
    }

    private var bond: Bond
    private var check: String
    private var controller: String
    private var made: Int64
    private var version = currentVersion

    private struct Head: Codable { var version: Int }

    static func encode(_ record: BondRecord, of controller: DeviceAddress) throws -> Data {
        var file = BondFile(bond: record.bond, check: "", controller: fileName(of: controller), made: record.madeAt)
        file.check = try file.checksum()
        return try encoder.encode(file)
    }

    static func decode(
        _ octets: [UInt8], named name: String, of controller: DeviceAddress
    ) throws(Fault) -> BondRecord {
        let data = Data(octets)
        guard let head = try? JSONDecoder().decode(Head.self, from: data) else { throw .damaged }
        guard head.version == currentVersion else { throw .version(head.version) }
        guard let file = try? JSONDecoder().decode(BondFile.self, from: data), file.check == (try? file.checksum())
        else { throw .damaged }
        guard file.controller == fileName(of: controller), fileName(of: file.bond.identity) + BondStore.suffix == name
        else { throw .misplaced }
        return BondRecord(bond: file.bond, madeAt: file.made)
    }

    /// Detects damage by chance. An intruder with write access needs no forgery.
    private func checksum() throws -> String {
        var file = self
        file.check = ""
        return Cryptography.cmac(.zero, Array(try Self.encoder.encode(file))).hexadecimal
    }

    private static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return encoder
    }

    /// `c47c8d001122-public`.
    static func fileName(of address: DeviceAddress) -> String {
        address.compact + (address.kind == .public ? "-public" : "-random")
    }

    static func address(named name: String) -> DeviceAddress? {
        for (ending, kind) in [("-public", DeviceAddress.Kind.public), ("-random", .random)]
        where name.hasSuffix(ending) {
            return DeviceAddress(String(name.dropLast(ending.count)), kind: kind)
        }
        return nil
    }
}
