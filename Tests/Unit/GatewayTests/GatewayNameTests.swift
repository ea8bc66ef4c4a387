// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Configuration
@testable import Gateway
@testable import GatewayBench

@Suite("The gateway's name")
struct GatewayNameTests {
    private static let nothing: [String?] = [
        nil, "", "\n", "uninitialized\n", String(repeating: "0", count: 32), "abcdef",
    ]

    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func load(
        machine: String?, serial: String? = nil, isContainer: Bool = false, state: String? = nil, freshName: String?,
        more: String = ""
    ) throws -> GatewayConfiguration {
        let state = state ?? folder.path("state")
        try folder.write("martlet.toml", "[bluetooth]\nstate_directory = \"\(state)\"\n\(more)")
        try? FileManager.default.removeItem(atPath: folder.path("machine-id"))
        if let machine { try folder.write("machine-id", machine) }
        try? FileManager.default.removeItem(atPath: folder.path("serial"))
        if let serial { try folder.write("serial", serial) }
        var places = MachineMarks.Places()
        (places.machineID, places.serials) = (folder.path("machine-id"), [folder.path("serial")])
        places.containers = isContainer ? [folder.path("martlet.toml")] : []
        return try GatewayConfiguration.load(
            path: folder.path("martlet.toml"), environment: [:], freshName: freshName, machine: places)
    }

    private var kept: String { (try? String(contentsOfFile: folder.path("state/gateway-id"), encoding: .utf8)) ?? "" }

    @Test func `a machine with an id gives its gateway the name, which is kept; who only looks keeps nothing`() throws {
        let looked = try load(machine: "0123456789abcdef0123456789ABCDEF\n", freshName: nil)
        #expect(looked.gateway == "gw-abcdef" && looked.warnings.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: folder.path("state")))
        let configuration = try load(machine: "0123456789abcdef0123456789ABCDEF\n", freshName: "gw-111111")
        #expect(configuration.gateway == "gw-abcdef")
        #expect(configuration.warnings.isEmpty)
        #expect(kept.hasPrefix("gw-abcdef\nmachine ") && !kept.contains("0123456789abcdef"))
    }

    @Test(arguments: nothing)
    func `a machine without an id gives it a name of its own, which outlives restarts`(_ machine: String?) throws {
        let first = try load(machine: machine, freshName: "gw-111111")
        #expect(first.gateway == "gw-111111")
        let place = folder.path("state/gateway-id")
        #expect(first.warnings.count == 1 && first.warnings[0].contains(place), "\(first.warnings)")
        // The next start and a reload offer another fresh name, which is not used.
        let second = try load(machine: machine, freshName: "gw-222222")
        #expect(second.gateway == "gw-111111")
        #expect(second.warnings.count == 1 && second.warnings[0].contains(place), "\(second.warnings)")
        // A chosen name has priority.
        let chosen = try load(machine: machine, freshName: "gw-222222", more: "[gateway]\nid = \"attic\"\n")
        #expect(chosen.gateway == "attic" && chosen.warnings.isEmpty)
    }

    @Test func `a name is kept behind a link, and the folder there stays as it is`() throws {
        try FileManager.default.createDirectory(
            atPath: folder.path("data"), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o750])
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("state"), withDestinationPath: folder.path("data"))
        _ = try load(machine: nil, freshName: "gw-111111")
        #expect(try load(machine: nil, freshName: "gw-222222").gateway == "gw-111111")
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("data"))
        #expect(attributes[.posixPermissions] as? Int == 0o750)
    }

    @Test func `two gateways without an id do not have the same name`() {
        let names = (0..<8).map { _ in GatewayName.random() }
        #expect(Set(names).count > 1)
        #expect(names.allSatisfy { identifierComplaint($0) == nil && $0.utf8.count == 9 && $0.hasPrefix("gw-") })
    }

    @Test func `where nothing can be kept, that is said, and the names still differ`() throws {
        // A folder cannot be made below a file, not even by root.
        try folder.write("file", "")
        for name in ["gw-111111", "gw-222222"] {
            let configuration = try load(machine: nil, state: folder.path("file"), freshName: name)
            #expect(configuration.gateway == name)
            #expect(configuration.warnings.count == 1 && configuration.warnings[0].contains("cannot be written"))
        }
    }

    @Test func `a kept name that is damaged is replaced, and who only looks writes nothing`() throws {
        try folder.write("state/gateway-id", "Kitchen/#\n")
        let looked = try load(machine: nil, freshName: nil)
        #expect(looked.gateway == GatewayName.unnamed)
        #expect(looked.warnings.first?.contains("is damaged: the next start makes another one") == true)
        // The remains of an interrupted attempt do no harm.
        try folder.write("state/gateway-id.new", "gw-3")
        let replaced = try load(machine: nil, freshName: "gw-333333")
        #expect(replaced.gateway == "gw-333333")
        let words = "what was kept of one is damaged, so the gateway is gw-333333"
        #expect(replaced.warnings.first?.contains(words) == true)
        #expect(try load(machine: nil, freshName: nil).gateway == "gw-333333")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("state"))
        #expect(names == ["gateway-id"])
    }

    // MARK: Copies

    private static let machine = "0123456789abcdef0123456789abcdef"
    private static let other = "fedcba9876543210fedcba9876543210"

    @Test func `a card in another board is another gateway, until somebody says that it is the same`() throws {
        #expect(try load(machine: Self.machine, serial: "10000000abcd", freshName: "gw-111111").gateway == "gw-abcdef")
        // The copy has the machine's id, too. Each start reports the copy.
        for fresh in ["gw-222222", "gw-333333"] {
            let copy = try load(machine: Self.machine, serial: "10000000ef01", freshName: fresh)
            #expect(copy.gateway == "gw-222222" && copy.copiedFrom == "gw-abcdef")
            #expect(
                copy.warnings.count == 1 && copy.warnings[0].contains("copy of gw-abcdef"),
                "\(copy.warnings)")
        }
        // A copy of the copy counts as a copy of the first gateway.
        let third = try load(machine: Self.machine, serial: "10000000ffff", freshName: "gw-444444")
        #expect(third.gateway == "gw-444444" && third.warnings.first?.contains("gw-abcdef") == true)
        guard case .identity(var identity) = GatewayName(stateDirectory: folder.path("state")).read() else {
            Issue.record("\(kept)")
            return
        }
        var own = identity
        own.isNewGateway(fresh: "gw-555555")
        #expect(own.name == "gw-444444" && own.copiedFrom == nil)
        let wasCopy = identity.isSameGateway()
        #expect(wasCopy && identity.name == "gw-abcdef" && identity.copiedFrom == nil)
        try GatewayName(stateDirectory: folder.path("state")).keep(identity)
        let repaired = try load(machine: Self.machine, serial: "10000000ffff", freshName: "gw-666666")
        #expect(repaired.gateway == "gw-abcdef" && repaired.warnings.isEmpty && repaired.copiedFrom == nil)
        let isSame = identity.isSameGateway()
        #expect(!isSame, "it is no copy any more")
    }

    @Test func `a disk with another machine-id is another gateway where there is no serial number`() throws {
        #expect(try load(machine: Self.machine, freshName: "gw-111111").gateway == "gw-abcdef")
        #expect(try load(machine: Self.other, freshName: "gw-222222").gateway == "gw-222222")
    }

    @Test func `a mark that cannot be read for once is kept, and a new one is added`() {
        let whole = MachineMarks(board: "b0", machine: "a0")
        for partial in [MachineMarks(board: "b0"), MachineMarks(machine: "a0")] {
            var identity = GatewayIdentity("gw-abcdef", on: whole)
            identity.start(on: partial, fresh: "gw-111111")
            #expect(identity == GatewayIdentity("gw-abcdef", on: whole))
            identity = GatewayIdentity("gw-abcdef", on: partial)
            identity.start(on: whole, fresh: "gw-111111")
            #expect(identity == GatewayIdentity("gw-abcdef", on: whole))
        }
    }

    @Test(arguments: ["00000000", "", "\0\0", "ff", "1111111111111111"])
    func `a serial number that many boards have is none`(serial: String) throws {
        #expect(try load(machine: Self.machine, serial: serial, freshName: "gw-111111").gateway == "gw-abcdef")
        #expect(!kept.contains("board"))
    }

    @Test func `a gateway from before it kept an identity goes on, and so does one whose marks come and go`() throws {
        try folder.write("state/gateway-id", "gw-777777\n")
        for (machine, serial) in [
            (nil, nil), (Self.machine, nil), (Self.machine, "10000000abcd"), (Self.machine, nil), (nil, "10000000abcd"),
            (Self.other, "10000000abcd"),
        ] {
            #expect(try load(machine: machine, serial: serial, freshName: "gw-111111").gateway == "gw-777777")
        }
    }

    @Test(arguments: [nil, machine]) func `in a container the state volume is the gateway, whatever machine runs it`(
        machine: String?
    ) throws {
        let first = try load(machine: machine, serial: "10000000abcd", isContainer: true, freshName: "gw-111111")
        #expect(first.gateway == (machine == nil ? "gw-111111" : "gw-abcdef"))
        let moved = try load(machine: Self.other, serial: "10000000ef01", isContainer: true, freshName: "gw-222222")
        #expect(moved.gateway == first.gateway)
    }

    @Test func `lines of a newer version and damaged ones are left out`() throws {
        try folder.write("state/gateway-id", "gw-777777\nfuture thing\nboard\ncopied-from a/b\nmachine 1 2\n")
        #expect(try load(machine: Self.machine, freshName: "gw-111111").gateway == "gw-777777")
        #expect(GatewayIdentity("") == nil && GatewayIdentity("a b") == nil)
    }
}
