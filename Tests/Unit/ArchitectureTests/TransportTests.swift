// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Each transport has one adapter to the table of operations. `NewTransportTests` has a transport of its own.
struct TransportTests {
    /// The file in which requests of a way become calls of rows.
    private static let adapters = [
        "socket": "Sources/Gateway/GatewayService+Control.swift",
        "page": "Sources/Page/Requests/PageRequests.swift",
        "broker": "Sources/Gateway/Operations/RemoteCommands.swift",
        "phone": "Sources/Provisioning/Service/PhoneOperations.swift",
    ]
    /// Other files that know a way by its name, each with its reason.
    private static let others = [
        "Sources/Gateway/Control/ControlMessage.swift": "the socket waits as long as the slowest of its rows",
        "Sources/Gateway/Operations/OperationWorks+Machine.swift": "reports of an updater come by the socket",
        "Sources/Provisioning/Window/WindowControl.swift": "passkeys, the label and phones are told on the socket",
    ]
    /// The files that open a socket as a client. The command line asks by the first, and begins dialogues by the second.
    private static let clients: Set = [
        "Sources/Gateway/Control/ControlClient.swift", "Sources/Gateway/Control/ControlConversation.swift",
        // Helpers of the gateway, which carry out no rows.
        "Sources/Gateway/Update/UpdateHelper.swift", "Sources/Gateway/Radio/RadioHelper.swift",
    ]
    private static let table = "Sources/Operations/"

    private static func ways(in line: Substring) -> [String] {
        let calls = line.matches(of: /\bOperationCall\(\.(\w+)/).map(\.1)
        let lookups = line.matches(of: /\bfor: \.(socket|page|broker|phone)\b/).map(\.1)
        let rights = line.matches(of: /callers\.contains\(\.(\w+)\)/).map(\.1)
        let askers = line.matches(of: /caller [!=]= \.(\w+)/).map(\.1)
        return (calls + lookups + rights + askers).map(String.init)
    }

    @Test(arguments: [
        ("let call = OperationCall(.page, data, progress: tell)", ["page"]),
        ("try OperationTable.row(name, for: .socket, data)", ["socket"]),
        ("rows.filter { $0.callers.contains(.broker) }", ["broker"]), ("if call.caller == .phone {", ["phone"]),
        ("guard call.caller != .socket else {", ["socket"]), ("sender.send(.phone)", []),
    ])
    func `the test finds a way`(line: String, ways: [String]) {
        #expect(Self.ways(in: line[...]) == ways)
    }

    @Test func `calls of a way are made in the file of its adapter alone`() throws {
        var found: [String: Set<String>] = [:]
        var calls: [String: Set<String>] = [:]
        let lookups = Self.adapters.keys.map { "for: .\($0)" }
        let words = ["OperationCall(.", "callers.contains(.", "caller =", "caller !"] + lookups
        for (file, line) in try Repository.code(below: "Sources", with: words) where !file.hasPrefix(Self.table) {
            found[file, default: []].formUnion(Self.ways(in: line))
            if line.contains("OperationCall(.") { calls[file, default: []].formUnion(Self.ways(in: line)) }
        }
        found = found.filter { !$0.value.isEmpty }
        #expect(calls == Dictionary(uniqueKeysWithValues: Self.adapters.map { ($1, [$0]) }))
        for (way, file) in Self.adapters { #expect(found[file] == [way], "\(file): \(found[file] ?? [])") }
        let rest = found.filter { !Self.adapters.values.contains($0.key) }
        #expect(Set(rest.keys) == Set(Self.others.keys))
        // A way that is not the socket gets less: so does a new one.
        #expect(rest.values.allSatisfy { $0 == ["socket"] }, "\(rest)")
    }

    @Test func `the command line asks the control socket in one place, and begins dialogues in one`() throws {
        let code = try Repository.code(below: "Sources", with: ["UnixSocket.connected("])
        #expect(Set(code.map(\.file)) == Self.clients)
    }

    /// A decision by an operation's name, which is the table's.
    private static func decides(_ line: Substring) -> Bool {
        line.contains(/\bswitch (?:row|operation|call\.row|request\.operation)\.name\b/)
            || line.contains(/(?:row|operation)\.name [!=]=/) || line.contains(/\bswitch .*caller\b/)
    }

    @Test(arguments: [
        ("switch row.name {", true), ("if operation.name == .accept {", true), ("switch call.caller {", true),
        ("guard let work = own[name] else {", false), ("switch row.form {", false),
    ])
    func `the test finds a decision by a name`(line: String, decides: Bool) {
        #expect(Self.decides(line[...]) == decides)
    }

    @Test func `nothing outside of the table decides by an operation's name, or lists the ways`() throws {
        let words = ["row.name", "operation.name", "caller"]
        let found = try Repository.code(below: "Sources", with: words).filter {
            !$0.file.hasPrefix(Self.table) && Self.decides($0.line)
        }
        #expect(found.isEmpty, "\(found)")
    }

    @Test func `a new transport is told in docs/operations_md with its cost`() throws {
        let page = try Repository.text("docs/operations.md")
        #expect(page.contains("## A new transport") && page.contains("`Tests/Unit/GatewayTests/LineTransport.swift`"))
    }
}
