// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Readings
import SensorCipher
import TestMaterials
import Testing

/// Packets of real sensors from documents, issues and test suites: Tests/Support/Corpus/packets.jsonl. `make test-corpus` runs these tests.
struct CorpusTests {
    struct Row: Decodable, Sendable, CustomTestStringConvertible {
        var source: String
        var model: String
        var address: String?
        var name: String?
        var services: [String]?
        /// AD structures, or their parts.
        var adv: String?
        var manufacturer: String?
        var service_data: [String: String]?
        var key: String?
        /// The packet's values, by our keys; the test does not compare values that the source does not name.
        var values: [String: Double]?
        /// The reason for a packet without values: a kind of packet that has none, or an unsupported sensor.
        var unread: String?

        var testDescription: String { "\(model): \(adv ?? manufacturer ?? "") \(service_data ?? [:])" }

        var advertisements: [Advertisement] {
            let number = address.flatMap { UInt64($0.filter { $0 != ":" }, radix: 16) }
            if let adv {
                return Advertisement.all(in: ([UInt8](hexadecimal: adv) ?? [])[...], address: number)
            }
            var one = Advertisement(
                address: number, name: name, services: (services ?? []).compactMap { BluetoothUUID($0) },
                manufacturerData: [UInt8](hexadecimal: manufacturer ?? "") ?? [])
            for (uuid, value) in service_data ?? [:] {
                if let uuid = UInt16(uuid, radix: 16) { one.serviceData[uuid] = [UInt8](hexadecimal: value) }
            }
            return [one]
        }

        /// The family of the packet, and its fields; nil where no family has values for it.
        func result() -> (family: String, fields: [Field])? {
            for advertisement in advertisements {
                guard let found = SensorFamilies.recognise(advertisement) else { continue }
                switch found.packet {
                case .plain(let packet):
                    return (try? found.decoder.decode(packet.value)).map { (found.decoder.family, $0) }
                case .sealed(let sealed):
                    let octets = key.flatMap { [UInt8](hexadecimal: $0) } ?? []
                    guard let key = found.decoder.needs.key == .none ? [] : found.decoder.key(from: octets),
                        let plain = PacketCipher.open(sealed, key: key),
                        let packet = found.decoder.unsealed(sealed, plaintext: plain)
                    else { continue }
                    return (try? found.decoder.decode(packet.value)).map { (found.decoder.family, $0) }
                }
            }
            return nil
        }
    }

    static let rows: [Row] = {
        let file = Checkout.url("Tests/Support/Corpus/packets.jsonl")
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { try? JSONDecoder().decode(Row.self, from: Data($0.utf8)) }
    }()

    @Test func `there are at least 400 packets, of three sources, at most ten a model, and nearly all are read`() {
        #expect(Self.rows.count >= 400)
        #expect(Set(Self.rows.map { $0.source.prefix { $0 != " " } }).count >= 3)
        let models = Dictionary(grouping: Self.rows, by: \.model)
        #expect(models.values.allSatisfy { $0.count <= 10 })
        let read = Self.rows.filter { $0.unread == nil }
        #expect(read.count >= 400, "\(read.count)")
        // Of the 114 models of the broadest collection of packets, at least so many are read.
        let broadest = read.filter { $0.source.hasPrefix("github.com/theengs/decoder") }
        #expect(Set(broadest.map(\.model)).count >= 90)
        #expect(Self.rows.allSatisfy { $0.unread.map { $0.count > 10 } ?? true }, "a reason, not a word")
    }

    @Test(arguments: rows)
    func `a real packet says what its sensor said`(_ row: Row) {
        let found = row.result()
        if let file = ProcessInfo.processInfo.environment["MARTLET_CORPUS"] { return Self.note(row, found, file) }
        guard row.unread == nil else {
            #expect(found?.fields.isEmpty ?? true, "it is read now: \(found?.family ?? "") \(found?.fields ?? [])")
            return
        }
        let given = Dictionary((found?.fields ?? []).map { ($0.key, $0.value.number) }) { first, _ in first }
        for (key, value) in row.values ?? [:] {
            guard let number = given[key] ?? nil else {
                Issue.record("\(key) is missing: \(given)")
                continue
            }
            #expect(abs(number - value) <= max(0.011, abs(value) * 1e-4), "\(key)")
        }
    }

    /// The confusion matrix of the corpus is diagonal: no packet is two families'.
    @Test(arguments: rows)
    func `no packet is two families'`(_ row: Row) {
        for advertisement in row.advertisements {
            var takers = Set(SensorFamilies.all.filter { $0.recognise(advertisement) != nil }.map(\.family))
            // A frame of an iBeacon beside a sensor's own values is not confused with them.
            if takers.count > 1 { takers.remove("ibeacon") }
            #expect(takers.count <= 1, "\(takers)")
        }
    }

    /// A model with real packets, and what these say.
    struct Model {
        var family: String
        var name: String
        /// The keys of the values, in the order of their first appearance.
        var keys: [String] = []
        var repositories: Set<String> = []
        var packets = 0
    }

    /// The models of the packets with values, by family and name.
    static let models: [Model] = {
        var found: [[String]: Model] = [:]
        for row in rows where row.unread == nil {
            guard let (family, fields) = row.result(), !fields.isEmpty else { continue }
            var model = found[[family, row.model]] ?? Model(family: family, name: row.model)
            for field in fields where !model.keys.contains(field.key) { model.keys.append(field.key) }
            let place = row.source.prefix { $0 != " " }
            model.repositories.insert(String(place.dropFirst("github.com/".count)))
            model.packets += 1
            found[[family, row.model]] = model
        }
        return found.values.sorted { ($0.family, $0.name) < ($1.family, $1.name) }
    }()

    /// The repositories of the real packets, by the family's name.
    static let repositories: [String: Set<String>] = models.reduce(into: [:]) { found, model in
        found[model.family, default: []].formUnion(model.repositories)
    }

    /// The outcome of a row, for a person who adds packets: `MARTLET_CORPUS=FILE make test-corpus`.
    private static func note(_ row: Row, _ found: (family: String, fields: [Field])?, _ file: String) {
        let fields = found?.fields.map { "\"\($0.key)\":\($0.value.number.map { "\($0)" } ?? "null")" }.joined(
            separator: ",")
        let line =
            "{\"model\":\"\(row.model)\",\"octets\":\"\(row.adv ?? row.manufacturer ?? "")\",\"data\":\"\(row.service_data?.values.sorted().joined() ?? "")\",\"family\":\"\(found?.family ?? "")\",\"fields\":{\(fields ?? "")}}\n"
        guard let handle = FileHandle(forWritingAtPath: file) else { return }
        handle.seekToEndOfFile()
        handle.write(Data(line.utf8))
        handle.closeFile()
    }
}
