// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@testable import Configuration
@testable import Gateway
@testable import GatewayBench

@Suite("The gateway's own file on disk")
struct MachineLayerStoreTests {
    private static func layer(_ host: String, network: String) -> MachineLayer {
        var layer = MachineLayer()
        layer.values[["mqtt", "host"]] = .string(host)
        layer.network = network
        return layer
    }

    private static let old = layer("old", network: "00000000-0000-0000-0000-000000000001")
    private static let new = layer("new", network: "00000000-0000-0000-0000-000000000002")

    @Test("a power cut at any step of a change leaves the old settings and network, or the new, and never a mixture")
    func powerCut() throws {
        var cuts = 0
        for steps in 0..<32 {
            let disk = SimulatedConfigurationDisk()
            let store = MachineLayerStore(stateDirectory: "/state", disk: disk)
            try store.keep(text: Self.old, keepsFormer: true)
            disk.endPower(after: steps)
            let isDone = (try? store.keep(text: Self.new, keepsFormer: true)) != nil
            for found in disk.disksAfterPowerCut() {
                let store = MachineLayerStore(stateDirectory: "/state", disk: found)
                let layer = try MachineLayer(parsing: try #require(store.read(mends: true).text))
                #expect(layer == Self.new || (layer == Self.old && !isDone))
                #expect(store.read(mends: false).problem == nil, "nothing is taken for damaged")
                // A step back restores the former layer, or reports that there is none.
                let before = try #require(store.layerBefore())
                #expect(layer == Self.new ? before == Self.old : before == Self.old || before == MachineLayer())
            }
            cuts += 1
            if isDone { break }
        }
        #expect(cuts == 14, "steps of a change, and the end")
    }

    @Test("a power cut while an authority's certificates are kept leaves no layer with missing files")
    func authorityPowerCut() throws {
        let pem = Array("certificate".utf8)
        for steps in 0..<32 {
            let disk = SimulatedConfigurationDisk()
            let store = MachineLayerStore(stateDirectory: "/state", disk: disk)
            try store.keep(text: Self.old, keepsFormer: true)
            disk.endPower(after: steps)
            var layer = Self.new
            layer.values[["mqtt", "tls", "enabled"]] = .boolean(true)
            layer.values[MachineLayer.authorityPath] = .string(store.authorityPath(pem))
            let isDone =
                (try? store.keepAuthority(pem)) != nil && (try? store.keep(text: layer, keepsFormer: true)) != nil
            for found in disk.disksAfterPowerCut() {
                let store = MachineLayerStore(stateDirectory: "/state", disk: found)
                let layer = store.layer()
                if let authority = layer.authority { #expect(try found.read(authority, limit: 100) == pem) }
                #expect(layer.authority != nil || (layer == Self.old && !isDone))
            }
            if isDone { return }
        }
        Issue.record("it never ends")
    }

    @Test("a power cut while a damaged file is put aside loses no earlier layer")
    func mendingPowerCut() throws {
        for steps in 0..<32 {
            let disk = SimulatedConfigurationDisk()
            let store = MachineLayerStore(stateDirectory: "/state", disk: disk)
            try store.keep(text: Self.old, keepsFormer: true)
            try store.keep(text: Self.new, keepsFormer: true)
            disk.put([0, 0, 0], at: store.path)
            disk.endPower(after: steps)
            let first = store.read(mends: true)
            #expect(first.text == Self.old.text, "it is used whether or not the disk takes it")
            let isDone = try disk.read(store.path, limit: 1 << 20) == Array(Self.old.text.utf8)
            for found in disk.disksAfterPowerCut() {
                let store = MachineLayerStore(stateDirectory: "/state", disk: found)
                let again = store.read(mends: true)
                #expect(again.text == Self.old.text, "after \(steps) steps: \(again.problem ?? "")")
            }
            if isDone { return }
        }
        Issue.record("it never ends")
    }

    @Test("files are for the gateway's user only, and files without a layer go")
    func files() throws {
        let folder = try TestFolder()
        let store = MachineLayerStore(stateDirectory: folder.path("state"))
        let pem = Array("certificate".utf8)
        try store.keepAuthority(pem)
        var layer = Self.old
        layer.values[["mqtt", "password"]] = .string("geheim")
        layer.values[["mqtt", "username"]] = .string("u")
        try store.keep(text: layer, keepsFormer: true)
        try store.keep(text: Self.new, keepsFormer: true)
        var information = stat()
        for name in ["50-provisioned.toml", "50-provisioned.toml.before"] {
            #expect(stat(store.folder + "/" + name, &information) == 0)
            #expect(information.st_mode & 0o777 == 0o600, "\(name)")
        }
        #expect(stat(store.folder, &information) == 0 && information.st_mode & 0o777 == 0o700)
        #expect("\(layer)" == "layer of 4 values and 0 sensors" && Mirror(reflecting: layer).children.isEmpty)
        store.removeUnused(besides: [Self.new])
        let names = try FileManager.default.contentsOfDirectory(atPath: store.folder).sorted()
        #expect(names == ["50-provisioned.toml", "50-provisioned.toml.before"])
        #expect(MachineLayerStore.sha256([]).hasPrefix("e3b0c44298fc1c149afbf4c8996fb924"))
    }

    @Test(
        "every written text is read again unchanged",
        arguments: [
            "", " ", "\"", "\\", "\"\"\"", "'''", "\n", "\r\n", "\t", "\u{7F}", "\u{1B}[2J", "\\u0041", "\\", "a\\",
            "]] = [[", "# no comment", "[mqtt]\nhost = \"evil\"", "é", "e\u{301}", "日本語", "😀", "\u{FEFF}", "\u{2028}",
            "\u{10FFFF}", "\u{FFFE}", "\u{1}\u{2}\u{1F}", String(repeating: "x", count: 10_000), "${HOME}", "%s%n",
        ])
    func hostileText(text: String) throws {
        var layer = MachineLayer()
        layer.values[["mqtt", "username"]] = .string("u")
        layer.values[["mqtt", "password"]] = .string(text)
        layer.values[["mqtt", "port"]] = .integer(1883)
        layer.values[["mqtt", "retain"]] = .boolean(false)
        layer.sensors = [
            [
                "name": .string("n" + text), "subscribe": .list([.string("180d/2a37")]),
                "dead_band": .table(["heart_rate": .real(0.1)]),
            ]
        ]
        #expect(try MachineLayer(parsing: layer.text) == layer)
    }

    @Test("a text that could not be read again is not written")
    func unwritable() throws {
        let disk = SimulatedConfigurationDisk()
        let store = MachineLayerStore(stateDirectory: "/state", disk: disk)
        try store.keep(text: Self.old, keepsFormer: true)
        let before = disk.steps
        for (path, value) in [
            (["mqtt", "host"], ConfigurationValue.string("a\u{0}b")), (["mqtt", "hots"], .string("a")),
            (["mqtt", "port"], .integer(0)), (["nothing", "host"], .string("a")),
        ] {
            var layer = Self.new
            layer.values[path] = value
            #expect(throws: ConfigurationError.self) {
                try store.keep(text: layer, keepsFormer: true)
            }
        }
        #expect(disk.steps == before)
    }
}

extension MachineLayerStore {
    /// Writes a layer as its operations do.
    fileprivate func keep(text layer: MachineLayer, keepsFormer: Bool) throws {
        try keep(MachineLayerText(layer, file: path), keepsFormer: keepsFormer)
    }
}
