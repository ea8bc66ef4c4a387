// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite("Arrows between targets")
struct ImportTests {
    /// Protocol targets are plain values and machines: no I/O, clocks, locks, logs or threads.
    static let protocolTargets: Set<String> = ["BluetoothCore", "HCI", "L2CAP", "ATT", "GATT", "SMP"]

    let document: ArchitectureDocument
    let manifest: PackageManifest

    init() throws {
        document = try ArchitectureDocument()
        manifest = try PackageManifest()
    }

    @Test("the table of docs/architecture.md is the list of Package.swift")
    func tableMatchesManifest() {
        let ours = Set(document.targets.map(\.name))
        #expect(ours == Set(manifest.dependencies.keys))
        for target in document.targets {
            let dependencies = manifest.dependencies[target.name] ?? []
            #expect(dependencies.intersection(ours) == target.targets, "\(target.name): targets")
            #expect(
                dependencies.subtracting(ours).isSubset(of: target.modules), "\(target.name): packages")
        }
    }

    @Test("a target imports only the modules in its row")
    func importsFollowTheTable() throws {
        var seen = 0
        for target in document.targets {
            let allowed = target.targets.union(target.modules)
            for file in try Repository.files(below: "Sources/\(target.name)") where file.hasSuffix(".swift") {
                for module in try imports(of: file) {
                    seen += 1
                    #expect(allowed.contains(module), "\(file) imports \(module)")
                }
            }
        }
        #expect(seen > 0)
    }

    @Test("every folder of Sources is a target of the table")
    func noFolderIsForgotten() throws {
        // The page for phones is for browsers alone.
        let folders = Set(try Repository.files(below: "Sources").map { String($0.split(separator: "/")[1]) })
            .subtracting(["PhonePage"])
        #expect(folders == Set(document.targets.map(\.name)))
    }

    @Test("protocol targets know nothing of the system", arguments: protocolTargets)
    func protocolTargetsArePure(name: String) throws {
        let target = try #require(document.targets.first { $0.name == name })
        #expect(target.modules.isEmpty)
    }

    @Test("no two targets reach each other")
    func arrowsPointOneWay() {
        for (name, targets) in reachable { #expect(!targets.contains(name), "\(name) depends on itself") }
    }

    @Test(
        "the parts of the gateway do not know each other's trades",
        arguments: [
            ("Journal", ["CoreBluetooth", "BluetoothHost", "MQTT", "CMosquitto"]),
            ("MQTT", ["Readings", "CoreBluetooth", "GRDB"]),
            ("Publisher", ["GRDB", "GRDBSQLite", "Journal", "CoreBluetooth", "CMosquitto"]),
            ("Collector", ["MQTT", "GRDB", "GRDBSQLite", "Journal", "Publisher"]),
        ])
    func trades(name: String, unknown: [String]) throws {
        let target = try #require(document.targets.first { $0.name == name })
        #expect(target.targets.union(target.modules).isDisjoint(with: unknown))
        // libmosquitto is a detail of MQTT, and is hidden from publishers.
        #expect(try #require(reachable[name]).subtracting(["CMosquitto"]).isDisjoint(with: unknown))
    }

    /// For each target, its direct and indirect dependencies.
    private var reachable: [String: Set<String>] {
        var reachable: [String: Set<String>] = [:]
        for target in document.targets { reachable[target.name] = target.targets }
        for _ in document.targets {
            for (name, direct) in reachable {
                reachable[name] = direct.reduce(direct) { $0.union(reachable[$1] ?? []) }
            }
        }
        return reachable
    }

    /// A file's imported modules, whole or in part.
    private func imports(of file: String) throws -> [String] {
        let statement =
            /^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:\w+\s+)?import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?(\w+)/
        return try Repository.text(file).split(separator: "\n").compactMap { line in
            line.firstMatch(of: statement).map { String($0.1) }
        }
    }
}
