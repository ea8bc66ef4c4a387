// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import Logging
import Synchronization
import Testing
import TestSupport
import VirtualRadio

@testable import Collector
@testable import Gateway
@testable import GatewayBench
@testable import Operations
@testable import Provisioning

/// The requests of `martlet provision`, and their answers.
@Suite(.timeLimit(.minutes(10)))
struct WindowControlTests {
    private final class Scene {
        let radio = VirtualRadio(seed: 11)
        let controller: CBController
        let keeper: WindowKeeper
        let operations = BenchOperations()
        let control: WindowControl
        let folder = NSTemporaryDirectory() + UUID().uuidString

        init() throws {
            controller = CBController(
                transport: .descriptor(
                    try radio.makeController(address: DeviceAddress(kind: .public, value: 0xB0_0000_0008))),
                stateDirectory: nil)
            keeper = WindowKeeper(
                isProvisioned: true,
                WindowKeeper.Parts(
                    controller: controller, store: LabelStore(directory: folder),
                    monitor: MonitorProbe(connectors: "/nowhere", service: "/nowhere")),
                logger: Logger(label: "control") { _ in SwiftLogNoOpLogHandler() })
            control = WindowControl(keeper, operations: operations, address: { "C4:7C:8D:00:11:22" })
            keeper.start()
        }

        deinit {
            keeper.stop()
            controller.shutdown()
            radio.stop()
            try? FileManager.default.removeItem(atPath: folder)
        }

        func ask<Answer: Codable & Sendable>(_ line: String, as type: Answer.Type = WindowReport.self) async throws
            -> Answer
        {
            let call = OperationCall(.socket, Data(line.utf8))
            let result = try await control.answer(try call.arguments(of: OperationTable.provision))
            return try ControlCoding.decode(type, from: try ControlCoding.encode(result))
        }
    }

    /// The lines to a terminal in its dialogue.
    private final class Terminal {
        let dialogue: ControlDialogue
        private(set) var lines: [WindowLine] = []
        private(set) var errors: [String] = []
        private(set) var isOver = false

        init(_ dialogue: ControlDialogue) { self.dialogue = dialogue }

        func hasHeard(_ isThat: (WindowLine) -> Bool) -> Bool {
            let (new, isOver) = dialogue.takeLines()
            for line in new {
                guard let response = try? ControlCoding.decode(ControlResponse<WindowLine>.self, from: line) else {
                    continue
                }
                if let message = response.result { lines.append(message) }
                if let error = response.error { errors.append(error) }
            }
            self.isOver = isOver
            return lines.contains(where: isThat)
        }
    }

    @Test(arguments: [(#""action":"open""#, 600), (#""action":"open","minutes":2"#, 120)])
    func `a terminal opens the window, is shown the passkey, and is told when it closes`(
        fields: String, seconds: Int
    ) async throws {
        let scene = try Scene()
        let line = OperationCall(.socket, Data(#"{"command":"provision-open",\#(fields)}"#.utf8))
        let terminal = Terminal(try #require(scene.control.dialogue(line)))
        try await waitFor("a passkey") { terminal.hasHeard { $0.window?.passkey != nil } }
        let window = try #require(terminal.lines.last?.window)
        let passkey = try #require(window.passkey)
        #expect(window.open && window.opener == "command")
        #expect(((seconds - 60)...seconds).contains(window.seconds ?? 0))
        #expect(window.code?.contains("address=C4:7C:8D:00:11:22&passkey=\(passkey)") == true)
        #expect(try await scene.ask(#"{"command":"provision","action":"status"}"#).passkey == passkey)
        #expect(try await !scene.ask(#"{"command":"provision","action":"close"}"#).open)
        try await waitFor("the end") { terminal.hasHeard { $0.window?.open == false } && terminal.isOver }
    }

    @Test(arguments: [OperationRow.Caller.page, .broker])
    func `a visitor of the page and a broker's client get no passkey and no label`(caller: OperationRow.Caller)
        async throws
    {
        let scene = try Scene()
        let gateway = try OperationsScene().gateway
        scene.control.install(on: gateway)
        let row = try #require(OperationTable.row(.provision))
        for action in ["label", "status", "forget"] {
            let call = OperationCall(caller, Data(#"{"action":"\#(action)"}"#.utf8))
            var said: OperationError?
            do throws(OperationError) { _ = try await gateway.perform(row, call) } catch { said = error }
            #expect(said?.kind == .notValid, "\(action): \(String(describing: said))")
        }
        let open = try await gateway.perform(row, OperationCall(caller, Data(#"{"action":"open"}"#.utf8)))
        let text = String(decoding: try row.encoded(open), as: UTF8.self)
        let left = scene.keeper.state.secondsLeft ?? -1
        #expect(text == #"{"failures":0,"is_open":true,"open":true,"seconds":\#(left),"seconds_left":\#(left)}"#)
    }

    @Test func `a terminal that has gone shows no passkey any more`() async throws {
        let scene = try Scene()
        let dialogue = try #require(
            scene.control.dialogue(OperationCall(.socket, Data(#"{"command":"provision-open","action":"open"}"#.utf8))))
        let terminal = Terminal(dialogue)
        try await waitFor("a passkey") { terminal.hasHeard { $0.window?.passkey != nil } }
        dialogue.clientLeft()
        let keeper = scene.keeper
        try await waitFor("no passkey") { if case .none = keeper.state.passkey { true } else { false } }
        let report = try await scene.ask(#"{"command":"provision","action":"status"}"#)
        #expect(report.open && report.passkey == nil && report.problem?.contains("martlet provision open") == true)
    }

    @Test(arguments: ["0", "61", "-1"])
    func `a length that no window has is refused in words`(minutes: String) async throws {
        let scene = try Scene()
        let line = OperationCall(
            .socket, Data(#"{"command":"provision-open","action":"open","minutes":\#(minutes)}"#.utf8))
        let terminal = Terminal(try #require(scene.control.dialogue(line)))
        #expect(!terminal.hasHeard { _ in true } && terminal.isOver)
        #expect(terminal.errors == ["a window is open for 1 to 60 minutes"])
        await #expect(throws: OperationError.self) {
            _ = try await scene.ask(#"{"command":"provision","action":"open","minutes":\#(minutes)}"#)
        }
        #expect(!scene.keeper.state.isOpen)
    }

    @Test func `the label stays the same until somebody wants a new one`() async throws {
        let scene = try Scene()
        func label(_ more: String = "") async throws -> LabelReport {
            let report = try await scene.ask(#"{"command":"provision","action":"label"\#(more)}"#)
            return try #require(LabelReport(report))
        }
        let (first, second) = try await (label(), label())
        let third = try await label(#","new":true"#)
        #expect(first.passkey.count == 6 && first.passkey == second.passkey && first.condition == "good")
        #expect(third.passkey.count == 6 && third.code.hasSuffix("passkey=\(third.passkey)") && third.tries == 6)
        #expect(third.passkey != first.passkey, "one of a million is the same by chance")
    }

    @Test func `phones are forgotten by their address, and sensors are none of them`() async throws {
        let scene = try Scene()
        let bonds = [true, false].map { isPhone in
            BondStatus(
                address: isPhone ? "C4:7C:8D:00:22:0A" : "C4:7C:8D:00:11:0A", identifier: UUID().uuidString,
                authenticated: true, secureConnections: true, keySize: 16, central: isPhone, since: "")
        }
        let (phone, sensor) = (bonds[0], bonds[1])
        scene.operations.state.withLock { $0.bonds = bonds }
        #expect(
            try await scene.ask(#"{"command":"provision","action":"status"}"#).phones?.map(\.identifier) == [
                phone.identifier
            ])
        await #expect(throws: OperationError.self) {
            _ = try await scene.ask(#"{"command":"provision","action":"forget","phone":"\#(sensor.identifier)"}"#)
        }
        let address = phone.address.lowercased()
        #expect(try await scene.ask(#"{"command":"provision","action":"forget","phone":"\#(address)"}"#).phones == [])
        #expect(scene.operations.state.withLock { $0.bonds.map(\.identifier) } == [sensor.identifier])
    }
}
