// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Testing

@testable import Collector
@testable import Gateway
@testable import GatewayBench
@testable import Operations
@testable import Publisher
@testable import Readings

/// The results of operations have the types of their rows on each way, and keep the keys known to users.
@Suite(.timeLimit(.minutes(10)))
struct OperationResultTests {
    struct Request {
        var operation: OperationName
        var caller: OperationRow.Caller
        var arguments = "{}"
    }

    /// In this order, at one gateway.
    static let requests: [Request] = [
        Request(operation: .status, caller: .socket), Request(operation: .status, caller: .phone),
        Request(operation: .devices, caller: .socket), Request(operation: .devices, caller: .broker),
        Request(
            operation: .accept, caller: .socket,
            arguments: #"{"address":"C4:7C:8D:00:77:01","id":"one","subscribe":["180d/2a37"]}"#),
        Request(operation: .why, caller: .page, arguments: #"{"sensor":"one"}"#),
        Request(operation: .rename, caller: .socket, arguments: #"{"sensor":"one","label":"One"}"#),
        Request(operation: .passkey, caller: .phone, arguments: #"{"sensor":"one","passkey":"123456"}"#),
        Request(operation: .maintenance, caller: .broker, arguments: #"{"sensor":"one","seconds":3600}"#),
        Request(operation: .forget, caller: .broker, arguments: #"{"sensor":"one"}"#),
        Request(operation: .bonds, caller: .page), Request(operation: .bufferStats, caller: .socket),
        Request(operation: .bufferPause, caller: .broker), Request(operation: .bufferResume, caller: .page),
        Request(operation: .bufferDrain, caller: .socket), Request(operation: .bufferPurge, caller: .socket),
        Request(operation: .bufferCompact, caller: .socket), Request(operation: .configuration, caller: .page),
        Request(operation: .settings, caller: .page),
        Request(operation: .settingsCheck, caller: .page, arguments: #"{"name":"Attic"}"#),
        Request(operation: .settingsApply, caller: .page, arguments: #"{"name":"Attic"}"#),
        Request(operation: .settingsUndo, caller: .phone), Request(operation: .clock, caller: .socket),
        Request(operation: .supportBundle, caller: .socket), Request(operation: .supportBundle, caller: .broker),
        Request(operation: .supportText, caller: .page), Request(operation: .log, caller: .phone),
    ]

    /// Keys of the release before, by operation.
    private static let known: [OperationName: String] = [
        .devices: "address name rssi family id is_accepted is_connectable values trouble age_ms",
        .why: """
        sensor name address identifier state health health_age_ms answer advice link rssi last_value_age_ms \
        last_heard_age_ms usual_ms next_try_ms radio_seconds_day peculiarities octets ends events problems awaited uptime_ms
        """,
        .accept: "address name rssi family id is_accepted is_connectable values trouble age_ms",
        .trust: "sensor address text", .acknowledge: "problems for_ms is_ended", .maintenance: "sensor for_ms",
        .read: "sensor characteristic value text", .write: "sensor characteristic response",
        .chart: "sensor range step_s from to series", .inspect: "step report", .pair: "kind device digits bond",
        .unpair: "device name address identifier authenticated secure_connections key_size central since",
        .bonds: "bonds problems",
        .bufferStats: """
        source received committed delivered dropped missing buffered waiting oldest_age_seconds path problem is_full \
        notice bytes bytes_written sensors
        """,
        .bufferPause: "mode buffered", .bufferResume: "mode buffered", .bufferDrain: "mode buffered",
        .bufferPurge: "purged", .bufferCompact: "before after reason", .configuration: "files warnings",
        .checkConfig: "problems warnings",
        .settings: """
        name gateway host port uses_tls username has_password authority_hash is_provisioned network home_assistant \
        can_undo
        """,
        .settingsCheck: "effect", .settingsApply: "effect",
        .status: """
        gateway site version uptime_s clock controller collector journal mqtt bond_problems time \
        configuration_problems copied_from commands_refused system late problems limits limit_deliveries proofs backlog
        """,
        .clock: """
        state source unix_ms error_ms offset_ms age_s boot uptime_ms system_unix_ms kernel_synchronized \
        kernel_error_ms leap_second steps last_step_ms
        """,
        .supportBundle: "path problem bytes text",
        // The window's report, what the page and a broker's clients hear of it, and the label.
        .provision: """
        open opener seconds failures passkey problem label label_tries phones code is_open seconds_left name condition \
        tries
        """,
        .provisionOpen: "kind window digits text", .update: "state installed available progress error",
    ]

    private static func fields(_ row: OperationRow) throws -> [FieldReader.Field]? {
        guard let object = try ResultType(row.gives).object else { return nil }
        return try FieldReader.fields(of: object)
    }

    @Test func `keys of results that users know stay`() throws {
        for row in OperationTable.rows {
            let now = Set(try Self.fields(row)?.map(\.name) ?? [])
            let before = Set((Self.known[row.name] ?? "").split(separator: " ").map(String.init))
            #expect(before.isSubset(of: now), "\(row.name) has lost \(before.subtracting(now).sorted())")
        }
    }

    @Test func `each row has a type for its result, which reads back what it writes`() throws {
        for row in OperationTable.rows {
            #expect(throws: Never.self, "\(row.name)") { _ = try ResultType(row.gives) }
            let isFile = row.gives == OperationFile.self
            #expect(isFile == (row.form == .file), "\(row.name)")
        }
    }

    @Test func `a result is of the type of its row, and writes the fields of the type`() async throws {
        let scene = try OperationsScene()
        var performed: Set<OperationName> = []
        for request in Self.requests {
            let row = try #require(OperationTable.row(request.operation))
            let call = OperationCall(request.caller, Data(request.arguments.utf8))
            let result: OperationRow.Result
            do throws(OperationError) { result = try await scene.gateway.perform(row, call) } catch {
                Issue.record("\(row.name), \(request.caller): \(error)")
                continue
            }
            performed.insert(row.name)
            try Self.check(result, of: row)
        }
        #expect(performed == Set(Self.requests.map(\.operation)))
    }

    /// Results of operations with a sensor, a phone or another module. The compiler holds the results to the types of the rows.
    @Test func `a result that takes a device writes the fields of its type, too`() throws {
        var report = WindowReport(open: true, seconds: 60, failures: 1)
        (report.passkey, report.code, report.label, report.labelTries) = ("123456", "martlet:1", "good", 6)
        report.phones = [WindowReport.Phone(address: "a", identifier: "i", since: "s")]
        let bond = BondStatus(
            device: "strap", name: nil, address: "a", identifier: "i", authenticated: true, secureConnections: true,
            keySize: 16, central: false, since: "s")
        func check<Arguments, Result>(
            _ operation: TypedOperation<Arguments, Result>, _ result: Result
        ) throws { try Self.check(result, of: operation.row) }
        try check(OperationTable.provision, report)
        try check(OperationTable.provisionOpen, WindowLine(kind: .state, window: report))
        try check(OperationTable.unpair, bond)
        try check(OperationTable.pair, PairingMessage(.paired, device: "strap", bond: bond))
        try check(OperationTable.inspect, InspectionMessage(step: .listening))
        try check(OperationTable.trust, TrustedSensor(sensor: "one", text: "it is trusted"))
        try check(OperationTable.read, CharacteristicValue(sensor: "one", characteristic: "2a19", value: "64"))
        try check(OperationTable.write, CharacteristicWrite(sensor: "one", characteristic: "2a19", response: true))
        try check(OperationTable.acknowledge, AcknowledgedProblems(problems: ["a"], forMs: nil, isEnded: nil))
        try check(
            OperationTable.chart,
            Chart(
                sensor: "one", range: "1d", stepS: 300, from: 1, to: 2,
                series: [.init(quantity: "temperature", unit: "°C", name: "Temperature", points: [[1, 2, 3, 4]])]))
        try check(
            OperationTable.checkConfig, ConfigurationCheck(problems: [.init(line: 1, message: "m")], warnings: []))
        try check(OperationTable.update, ImageUpdate(installed: "1"))
        try check(OperationTable.key, "one")
        try check(OperationTable.identify, OperationTable.Nothing())
        try check(OperationTable.restart, OperationTable.Nothing())
        try check(OperationTable.factoryReset, OperationTable.Nothing())
        #expect(report.seen(by: .socket) == report)
        let bundle = SupportBundle(path: "/x", bytes: 1, text: "private")
        #expect(bundle.seen(by: .socket) == bundle)
        for caller in OperationRow.Caller.all + [LineTransport.way] where caller != .socket {
            #expect(bundle.seen(by: caller) == SupportBundle(path: "/x", bytes: 1), "\(caller)")
            let seen = report.seen(by: caller)
            #expect(seen.passkey == nil && seen.code == nil && seen.label == nil && seen.phones == nil, "\(caller)")
            #expect(seen.open && seen.isOpen && seen.seconds == 60 && seen.secondsLeft == 60, "\(caller)")
        }
    }

    private static func check(_ result: OperationRow.Result, of row: OperationRow) throws {
        #expect(type(of: result) == row.gives, "\(row.name) gives \(type(of: result))")
        guard row.form != .file else { return }
        let octets = try row.encoded(result)
        let json = try JSONSerialization.jsonObject(with: Data(octets), options: .fragmentsAllowed)
        guard let fields = try Self.fields(row) else { return }
        let objects = json as? [[String: Any]] ?? [json as? [String: Any]].compactMap(\.self)
        #expect(!objects.isEmpty || row.gives == [HeardSensor].self, "\(row.name)")
        for object in objects {
            let keys = Set(object.keys)
            #expect(keys.isSubset(of: fields.map(\.name)), "\(row.name) writes \(keys.sorted())")
            #expect(Set(fields.filter(\.isRequired).map(\.name)).isSubset(of: keys), "\(row.name) lacks a field")
        }
    }
}
