// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import BluetoothHost
import Foundation
import GATT
import SMP

/// The stored files about peers, after any damage: the reader returns a file as it was written, or no file.
struct BondTarget: FuzzTarget {
    static let name = "bonds"
    static let maximumLength = 1024

    static var seeds: [[UInt8]] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let identity = DeviceAddress(kind: .public, value: 0x0011_2233_4455)
        guard let key = SecretKey(Array(0..<16)) else { return [] }
        let legacy = LegacyKey(key: key, ediv: 0x1234, rand: .max)
        let bonds = [
            Bond(identity: identity, keys: .secureConnections(key), identityKey: key, clientState: [1, 2, 3]),
            Bond(identity: identity, keys: .legacy(peerDistributed: legacy, localDistributed: nil), keySize: 7),
            Bond(
                identity: identity, keys: .legacy(peerDistributed: legacy, localDistributed: legacy),
                isAuthenticated: true, isAuthorized: true),
        ]
        let state = ClientState(
            configurations: [0x22: 1, 0x25: 2], supportedFeatures: 5, isChangeAware: false,
            databaseHash: Array(0..<16), unconfirmedChange: [1, 0xFFFF])
        let cache = """
            {"version":1,"hash":"000102030405060708090A0B0C0D0E0F","name":"4D","allServices":true,"services":[{"uuid":\
            "1800","start":1,"end":9}],"sought":["180D"],"included":[{"start":1,"end":9,"items":[{"uuid":"1801","start"\
            :16,"end":20}]}],"characteristics":[{"start":1,"end":9,"items":[{"uuid":"2A00","properties":2,"value":3,\
            "end":9}]}],"descriptors":[{"start":4,"end":9,"items":[{"uuid":"2902","handle":4}]}],"configurations":[{\
            "value":3,"descriptor":4}],"serviceChanged":[{"uuid":"2A05","properties":32,"value":18,"end":19}],\
            "serviceChangedConfiguration":19,"isWatched":true}
            """
        var seeds: [[UInt8]] = [[2] + Array(cache.utf8), [3] + Array("00112233445566778899AABBCCDDEEFF".utf8)]
        for case let bond? in bonds {
            if let file = try? encoder.encode(bond) { seeds.append([0] + Array(file)) }
        }
        if let file = try? encoder.encode(state) { seeds.append([1] + Array(file)) }
        return seeds
    }

    private let decoder = JSONDecoder()
    private let encoder = JSONEncoder()

    mutating func run(_ octets: [UInt8]) {
        guard let kind = octets.first else { return }
        let rest = octets.dropFirst()
        switch kind & 3 {
        case 0:
            guard let bond: Bond = read(rest) else { return }
            promise(bond.identity.isIdentity, "\(bond.identity) is no identity")
            promise(Bond.keySizes.contains(bond.keySize), "a key of \(bond.keySize) octets")
            promise(bond.identityKey != .zero, "a key of zeros resolves addresses")
            for key in [bond.centralKey?.key, bond.identityKey].compactMap({ $0 }) {
                promise("\(key)\(bond)".contains(key.octets.hexadecimal) == false, "a key is printed")
            }
        case 1:
            let _: ClientState? = read(rest)
        case 2:
            let _: GATTClientCache? = read(rest)
        default:
            let key = SecretKey(hexadecimal: String(decoding: rest, as: UTF8.self))
            promise(key.map { SecretKey(hexadecimal: $0.octets.hexadecimal) == $0 } ?? true, "a key is read as another")
        }
    }

    /// A readable value is written, and is the same when it is read again.
    private func read<Value: Codable & Equatable>(_ octets: ArraySlice<UInt8>) -> Value? {
        guard let value = try? decoder.decode(Value.self, from: Data(octets)) else { return nil }
        guard let file = try? encoder.encode(value), let again = try? decoder.decode(Value.self, from: file) else {
            fatalError("broken promise: what was read cannot be written")
        }
        promise(again == value, "\(value) is read as \(again)")
        return value
    }
}
