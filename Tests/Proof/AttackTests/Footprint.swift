// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

@testable import BluetoothHost
@testable import SMP

/// The number of elements in all collections inside a host, by path. A collection that has grown shows by its path.
struct Footprint: CustomStringConvertible {
    private var counts: [String: Int] = [:]

    init(of host: HostMachine) {
        add(Mirror(reflecting: host), at: "")
        addSecrets(of: host)
    }

    /// Counts the scan of a host alone, which takes less time.
    init(ofScanOf host: HostMachine) { add(Mirror(reflecting: host.scan), at: ".scan") }

    /// A type with secrets shows nothing to a mirror, so this function names the secrets one by one.
    private mutating func addSecrets(of host: HostMachine) {
        let bonds = host.bonds.all
        counts["bonds.all", default: 0] += bonds.count
        counts["bonds.all.clientState", default: 0] += bonds.map(\.clientState.count).reduce(0, +)
        counts["pairingSecrets", default: 0] += host.pairing.secrets.map(\.octets.count).reduce(0, +)
        for link in host.links.values {
            add(link.pairing.request?.settings, at: "links.pairing.request.settings")
            guard let machine = link.pairing.run?.machine else { continue }
            counts["links.pairing.run", default: 0] += 1
            add(machine.settings, at: "links.pairing.run.settings")
            counts["links.pairing.run.secrets", default: 0] += machine.secrets.octets.count
            add(Mirror(reflecting: machine.phase), at: "links.pairing.run.phase")
        }
    }

    private mutating func add(_ settings: PairingSettings?, at path: String) {
        guard let settings else { return }
        let parts = [settings.peerOutOfBand?.confirm, settings.peerOutOfBand?.random, settings.localOutOfBand?.random]
        counts[path, default: 0] += settings.models.count + parts.map { $0?.count ?? 0 }.reduce(0, +)
    }

    private mutating func add(_ mirror: Mirror, at path: String) {
        let isCollection = [.collection, .dictionary, .set].contains(mirror.displayStyle)
        if isCollection { counts[path, default: 0] += mirror.children.count }
        for child in mirror.children {
            // Octets have no children, and are many. A key of one octet stands beside its value.
            if isCollection, child.value is UInt8 { break }
            let step = isCollection ? "" : "." + (child.label ?? "")
            add(Mirror(reflecting: child.value), at: path + step)
        }
    }

    /// Elements of the collections whose paths end so.
    func count(endingIn path: String) -> Int { counts.filter { $0.key.hasSuffix(path) }.values.reduce(0, +) }

    /// The paths with more elements than before.
    func growth(since earlier: Footprint) -> [String] {
        counts.filter { $0.value > earlier.counts[$0.key] ?? 0 }
            .map { "\($0.key): \(earlier.counts[$0.key] ?? 0) → \($0.value)" }.sorted()
    }

    var description: String { counts.sorted { $0.key < $1.key }.map { "\($0): \($1)" }.joined(separator: "\n") }
}
