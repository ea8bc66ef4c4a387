// SPDX-License-Identifier: Apache-2.0

import Foundation
import Publisher
import Testing

@testable import Gateway
@testable import GatewayBench
@testable import Operations
@testable import Platform

/// The table of operations: each right, each former name.
struct OperationTableTests {
    private static let names = OperationTable.rows.map(\.name)

    /// The rights of a broker's clients and of the owner's phone once more: the test finds a right given by mistake. The rights of the
    /// socket and the page stand in docs/operations.md.
    private static let remote: [OperationName: String] = [
        .status: "o", .devices: "bo", .why: "b", .accept: "bo", .forget: "bo", .passkey: "o", .trust: "b",
        .rename: "o", .acknowledge: "b", .maintenance: "b", .write: "b", .bufferPause: "b", .bufferResume: "b",
        .bufferDrain: "b", .clockSet: "o", .settingsApply: "o", .settingsUndo: "o", .supportBundle: "b",
        .provision: "bo", .identify: "bo", .update: "b", .restart: "b", .log: "o", .factoryReset: "o",
    ]

    /// The cells of the page, by operation.
    private static let page: [String: [OperationRow.Caller: Bool]] = {
        let text = (try? Checkout.text(OperationPage.path)) ?? ""
        let ways = OperationRow.Caller.all
        let rows = text.split(separator: "\n").map { $0.split(separator: "|").map { $0.trimming(" `") } }
        let cells = rows.filter { $0.count == 6 + ways.count && $0.first != "operation" && $0.first != "---" }
        return Dictionary(
            cells.map { cells in
                (cells[0], Dictionary(uniqueKeysWithValues: ways.indices.map { (ways[$0], cells[3 + $0] != "–") }))
            }, uniquingKeysWith: { $1 })
    }()

    private static func may(_ caller: OperationRow.Caller, _ name: OperationName) -> Bool {
        switch caller {
        case .socket, .page: page[name.rawValue]?[caller] == true
        case .broker: remote[name]?.contains("b") == true
        case .phone: remote[name]?.contains("o") == true
        default: false
        }
    }

    @Test func `the page and this test agree on what a broker's clients and a phone may have`() {
        #expect(Self.page.count == Self.names.count)
        for name in Self.names {
            for caller in [OperationRow.Caller.broker, .phone] {
                #expect(Self.page[name.rawValue]?[caller] == Self.may(caller, name), "\(name), \(caller)")
            }
        }
    }

    @Test func `arguments are taken up to the bound of their row, on each way`() {
        for row in OperationTable.rows {
            for caller in row.callers {
                for excess in 0...1 {
                    let call = OperationCall(caller, Data(count: row.bounds.arguments + excess))
                    let isTaken = (try? row.admit(call)) != nil
                    #expect(isTaken == (excess == 0), "\(row.name), \(caller)")
                }
            }
        }
    }

    @Test func `each name has one row, and names are told apart on each way`() {
        #expect(Set(Self.names).count == Self.names.count && Self.names.count > 40)
        for caller in OperationRow.Caller.all {
            let aliases = OperationTable.rows.flatMap { row in
                row.aliases.filter { $0.callers.contains(caller) }.map { ($0.name, $0.mode, row.name) }
            }
            for (name, mode, row) in aliases {
                #expect(OperationTable.row(named: name) == nil, "\(name) is a name of today")
                #expect(aliases.count { $0.0 == name && $0.1 == mode } == 1, "\(name)")
                #expect(Self.may(caller, row), "\(name)")
            }
        }
        for row in OperationTable.rows {
            #expect(Set(row.arguments.map(\.name)).count == row.arguments.count, "\(row.name)")
            switch row.form {
            case .answer: break
            case .dialogue: #expect(row.callers == [.socket], "\(row.name): a dialogue is for the socket alone")
            case .file: #expect(row.callers == [.page] && row.effect == .looks, "\(row.name): a file is for the page")
            }
            #expect(row.effect == .looks || row.pace.period >= .seconds(1), "\(row.name)")
            #expect(row.bounds.arguments > 0 && row.bounds.result > 0 && row.bounds.time > .zero, "\(row.name)")
            #expect(Set(row.steps).count == row.steps.count, "\(row.name)")
        }
    }

    @Test func `Home Assistant shows rows that a broker's clients may ask for`() throws {
        #expect(OperationTable.controls.map(\.verb) == [OperationName.identify, .update, .restart].map(\.rawValue))
        #expect(OperationTable.controls.map(\.category) == ["diagnostic", "diagnostic", "config"])
        for control in OperationTable.controls {
            let row = try #require(OperationTable.row(named: control.verb))
            #expect(throws: Never.self) { try row.admit(OperationCall(.broker, Data(control.request.utf8))) }
            let request = try JSONSerialization.jsonObject(with: Data(control.request.utf8)) as? [String: String]
            let arguments = try #require(request?.keys)
            #expect(Set(arguments).isSubset(of: row.arguments.map(\.name)), "\(control.verb)")
        }
    }

    @Test(arguments: names)
    func `each way gets what it may have, and nothing else`(_ name: OperationName) async throws {
        let row = try #require(OperationTable.row(name))
        let scene = try OperationsScene()
        for caller in OperationRow.Caller.all {
            #expect(row.callers.contains(caller) == Self.may(caller, name), "\(caller)")
            // The process would end, or wait for a device.
            guard row.effect != .restart && row.form != .dialogue || !Self.may(caller, name) else { continue }
            let said = await refusal { () throws(OperationError) in
                _ = try await scene.gateway.perform(row, OperationCall(caller, Data("{}".utf8)))
            }
            #expect(Self.isRefused(row, caller) != Self.may(caller, name), "\(caller)")
            let isKeptAway = said?.kind == .refused && said?.description.contains("on this way") == true
            #expect(isKeptAway != Self.may(caller, name), "\(caller): \(String(describing: said))")
        }
    }

    private static func isRefused(_ row: OperationRow, _ caller: OperationRow.Caller) -> Bool {
        do throws(OperationError) {
            try row.admit(OperationCall(caller, Data()))
            return false
        } catch {
            return true
        }
    }

    @Test func `a request is no longer than its row allows, and neither is an answer`() async throws {
        let scene = try OperationsScene()
        for row in OperationTable.rows {
            let long = Data(#"{"x":""#.utf8) + Data(repeating: UInt8(ascii: "a"), count: row.bounds.arguments)
            for caller in row.callers {
                let said = await refusal { () throws(OperationError) in
                    _ = try await scene.gateway.perform(row, OperationCall(caller, long))
                }
                #expect(said?.kind == .notValid && said?.description.contains("octets") == true, "\(row.name)")
            }
            let most = row.bounds.result
            let said = await refusal { () throws(OperationError) in
                _ = try row.encoded(String(repeating: "a", count: most))
            }
            #expect(said?.kind == .failed, "\(row.name)")
            #expect(try row.encoded(String(repeating: "a", count: most - 2)).count == most, "\(row.name)")
        }
    }

    @Test(arguments: [OperationRow.Caller.page, .broker])
    func `a report of an update is taken from the socket alone`(caller: OperationRow.Caller) async throws {
        let scene = try OperationsScene()
        let row = OperationTable.update.row
        let report = Data(#"{"report":{"state":"installed","version":"9.9"}}"#.utf8)
        let said = await refusal { () throws(OperationError) in
            _ = try await scene.gateway.perform(row, OperationCall(caller, report))
        }
        #expect(said?.kind == .refused && said?.description.contains("a report") == true, "\(String(describing: said))")
    }

    @Test func `the steps of applying settings are those of the table`() {
        let told = ProgressMessage.Step.allCases.filter { ![.done, .rolledBack].contains($0) }
        #expect(OperationTable.settingsApply.row.steps == told.map(\.rawValue))
    }

    /// Rows that other modules carry out, or that begin a dialogue.
    private static let elsewhere: Set<OperationName> = [
        .inspect, .pair, .provision, .provisionOpen, .provisionLabel, .identify, .checkConfig, .chart,
    ]

    @Test func `a row is carried out here, or by another module`() {
        for row in OperationTable.rows {
            let isElsewhere = Self.elsewhere.contains(row.name)
            #expect((OperationWorks[row.name] == nil) == isElsewhere, "\(row.name)")
        }
    }

    @Test func `the arguments of a row are those that its type reads, and the required ones are the type's`() throws {
        var count = 0
        for row in OperationTable.rows {
            count += 1
            let read = try FieldReader.fields(of: row.takes) ?? []
            let names = row.arguments.map(\.name) + row.aliases.compactMap(\.key)
            #expect(Set(read.map(\.name)) == Set(names), "\(row.name)")
            for argument in row.arguments {
                let isRequired = read.first { $0.name == argument.name }?.isRequired
                #expect(isRequired == argument.isRequired, "\(row.name): \(argument.name)")
            }
        }
        #expect(count == Self.names.count)
    }

    @Test func `the command line's requests have the arguments of the table, and its verbs take them by those names`()
        throws
    {
        let names = Set(
            OperationTable.rows.filter { $0.callers.contains(.socket) }.flatMap { $0.arguments.map(\.name) })
        for child in Mirror(reflecting: ControlRequest(.status)).children {
            let name = (child.label ?? "").reduce(into: "") {
                $0 += $1.isUppercase ? "_" + $1.lowercased() : String($1)
            }
            #expect(name == "command" || names.contains(name), "\(name)")
        }
    }

    @Test func `the page's scripts ask for operations that the page may have, by today's names`() throws {
        let folder = Checkout.url("Sources/CPage/page")
        var asked: Set<String> = []
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        where file.pathExtension == "js" {
            let text = try String(contentsOf: file, encoding: .utf8)
            asked.formUnion(text.matches(of: /['"`]\/api\/([\w\/-]+)/).map { String($0.1) })
        }
        #expect(asked.count > 15)
        for name in asked.sorted() {
            let row = OperationTable.row(named: name)
            #expect(row?.callers.contains(.page) == true, "\(name)")
        }
    }

    private struct All: Decodable {
        var sensor: String?
        var address: String?
        var id: String?
        var key: String?
        var unixMs: Int64?
    }

    @Test(
        "Names and spellings of the release before are understood",
        arguments: [
            (OperationRow.Caller.socket, "history-pause", "{}", OperationName.bufferPause, ""),
            (.socket, "history-resume", "{}", .bufferResume, ""), (.socket, "history-drain", "{}", .bufferDrain, ""),
            (.socket, "why", #"{"command":"why","device":"a"}"#, .why, "sensor a"),
            (.socket, "accept", #"{"command":"accept","device":"a","id":"b"}"#, .accept, "address a id b"),
            (.socket, "key", #"{"device":"a","bind_key":"k"}"#, .key, "sensor a key k"),
            (.socket, "trust", #"{"device":"a","address":"b"}"#, .trust, "sensor a address b"),
            (.socket, "clock-set", #"{"unix_ms":7}"#, .clockSet, "unix_ms 7"),
            (.socket, "update-report", #"{"update":{"state":"idle"}}"#, .update, ""),
            (.socket, "why", #"{"device":"old","sensor":"new"}"#, .why, "sensor new"),
            (.page, "check", "{}", .checkConfig, ""), (.page, "settings/apply", "{}", .settingsApply, ""),
            (.page, "history", #"{"mode":"normal"}"#, .bufferResume, ""),
            (.page, "window", #"{"open":true}"#, .provision, ""),
            (.page, "unpair", #"{"device":"a"}"#, .unpair, "sensor a"),
            (.page, "accept", #"{"address":"a","id":"b"}"#, .accept, "address a id b"),
            (.broker, "scan", #"{"id":"7"}"#, .devices, ""),
            (.broker, "history", #"{"mode":"drain"}"#, .bufferDrain, ""),
            (.broker, "accept", #"{"id":"7","address":"a","sensor":"b"}"#, .accept, "address a id b"),
            (.broker, "accept", #"{"id":"7","arguments":{"address":"a","id":"b"}}"#, .accept, "address a id b"),
            (.broker, "why", #"{"id":"7","sensor":"a"}"#, .why, "sensor a"),
            (.broker, "why", #"{"id":"7","arguments":{"sensor":"a"}}"#, .why, "sensor a"),
        ])
    func formerNames(
        _ caller: OperationRow.Caller, _ name: String, _ text: String, _ wanted: OperationName, _ values: String
    ) throws {
        let data = Data(text.utf8)
        let row = try #require(try OperationTable.row(name, for: caller, data))
        #expect(row.name == wanted)
        let all = try OperationCall(caller, data).arguments(All.self, of: row)
        let found = [
            ("sensor", all.sensor), ("address", all.address), ("id", all.id), ("key", all.key),
            ("unix_ms", all.unixMs.map(String.init)),
        ]
        #expect(found.compactMap { name, value in value.map { "\(name) \($0)" } }.joined(separator: " ") == values)
    }

    @Test(
        "A fault is reported by its name",
        arguments: [
            (OperationRow.Caller.socket, OperationName.why, "{}", #""sensor" is missing"#),
            (.page, .why, #"{"sensor":7}"#, #""sensor" is of another type"#),
            (
                .broker, .write, #"{"sensor":"a","characteristic":"x","value":"01"}"#,
                #""x" is no "SERVICE/CHARACTERISTIC""#
            ),
            (.broker, .accept, #"{"address":"C4:7C:8D:00:77:01","passkey":"123456"}"#, #""passkey" is a secret"#),
            (.broker, .accept, #"{"arguments":{"address":"a","passkey":"123456"}}"#, #""passkey" is a secret"#),
            (.broker, .accept, #"{"arguments":7}"#, "the arguments are no JSON object"),
            (.socket, .clockSet, #"{"command":"clock-set"}"#, #""unix_ms" is missing"#),
            (.page, .update, #"{"action":"x"}"#, #""action" has a value that is not known here: "check" or "install""#),
            (.broker, .write, #"{"sensor":"a","characteristic":"180f/2a19"}"#, #""value" is missing"#),
            (
                .socket, .forget, #"{"command":"forget","sensor":"a","quantty":"x"}"#,
                #""quantty" is not known: "forget" takes sensor, quantity"#
            ),
            (.broker, .accept, #"{"arguments":{"address":"a","lable":"y"}}"#, #""lable" is not known"#),
            (.broker, .accept, #"{"id":"7","label":"y","arguments":{}}"#, #""label" stands outside of "arguments""#),
            (.page, .restart, #"{"now":true}"#, #""now" is not known: "restart" takes no arguments"#),
            (.page, .bufferPause, #"{"mode":"paused","minutes":5}"#, #""minutes" is not known"#),
            (.socket, .clockSet, #"{"unix_ms":1.5}"#, "a number is too large, or is no whole number"),
            (.socket, .clockSet, #"{"unix_ms":9223372036854775808}"#, "a number is too large"),
            (.socket, .accept, #"{"address":"a","subscribe":[1]}"#, #"element 1 of "subscribe" is of another type"#),
            (.page, .accept, "[]", "the arguments are no JSON object"), (.page, .accept, "{", "no JSON object"),
            (.page, .accept, #"{"a":"# + String(repeating: "[", count: 3_000), "no JSON object"),
        ])
    func mistakes(_ caller: OperationRow.Caller, _ name: OperationName, _ text: String, _ words: String) async throws {
        let scene = try OperationsScene()
        let row = try #require(OperationTable.row(name))
        let said = await refusal { () throws(OperationError) in
            _ = try await scene.gateway.perform(row, OperationCall(caller, Data(text.utf8)))
        }
        #expect(said?.kind == .notValid && said?.description.contains(words) == true, "\(String(describing: said))")
    }

    @Test func `today's name of one operation does not take the mode of another`() {
        #expect {
            try OperationTable.row("buffer-pause", for: .broker, Data(#"{"mode":"drain"}"#.utf8))
        } throws: {
            "\($0)".contains(#""mode" is not known"#)
        }
    }

    @Test func `today's name does not take the key of a former name`() throws {
        let request = Data(#"{"open":true}"#.utf8)
        #expect {
            try OperationTable.row("provision", for: .page, request)
        } throws: {
            "\($0)".contains(#""open" is not known"#)
        }
        let row = try #require(try OperationTable.row("window", for: .page, request))
        let (open, close) = try (
            OperationCall(.page, request).arguments(OperationTable.Window.self, of: row),
            OperationCall(.page, Data(#"{"open":false,"minutes":5}"#.utf8)).arguments(of: OperationTable.provision)
        )
        #expect(open.action == .open && close.action == .close && close.minutes == 5)
    }

    @Test func `a former name with a mode that there is not is refused with those that there are`() {
        #expect {
            try OperationTable.row("history", for: .broker, Data(#"{"mode":"purge"}"#.utf8))
        } throws: {
            "\($0)" == #""mode" is "pause", "resume" or "drain""#
        }
    }

    @Test(arguments: [
        ([], []), (["scan"], ["devices", "scan"]), (["devices"], ["devices", "scan"]),
        (["buffer-pause"], ["buffer-pause"]),
        (["history"], ["buffer-pause", "buffer-resume", "buffer-drain", "history"]),
        (
            ["buffer-drain", "buffer-pause", "buffer-resume"],
            ["buffer-pause", "buffer-resume", "buffer-drain", "history"]
        ), (["key", "status", "nonsense", "window"], []),
    ])
    func `an allow list covers former names, and no more than it says`(_ list: [String], _ allowed: [String]) {
        #expect(OperationTable.allowed(list) == allowed)
    }

    @Test("docs/operations.md is made from the table")
    func document() throws {
        #expect(
            try MadeFile.holds(OperationPage.text, at: OperationPage.path, from: OperationPage.mark),
            "MARTLET_WRITE=1 make unit TEST=OperationTableTests")
    }
}

extension Substring {
    fileprivate func trimming(_ characters: String) -> String {
        trimmingCharacters(in: CharacterSet(charactersIn: characters))
    }
}
