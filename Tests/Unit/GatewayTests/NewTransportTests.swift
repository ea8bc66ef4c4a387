// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Gateway
@testable import GatewayBench
@testable import Operations

/// A new transport costs one adapter: names, arguments, rights, bounds and results come from the table.
@Suite(.timeLimit(.minutes(10)))
struct NewTransportTests {
    private static let names = OperationTable.rows.map(\.name)

    @Test func `a way without a column may have nothing`() async throws {
        let scene = try OperationsScene()
        let transport = LineTransport(gateway: scene.gateway)
        for row in OperationTable.rows {
            #expect(!row.callers.contains(LineTransport.way), "\(row.name)")
            let answer = await transport.answer(row.name.rawValue)
            let refusal = row.form == .dialogue ? "one answer" : "on this way"
            #expect(answer.hasPrefix("refused: ") && answer.contains(refusal), "\(row.name): \(answer)")
        }
        #expect(scene.layer.isEmpty)
    }

    @Test func `each operation of the column is done, and its result is that of the other ways`() async throws {
        let scene = try OperationsScene()
        for request in OperationResultTests.requests {
            // A secret is not for a way of which nobody has said that it is private.
            guard request.operation != .passkey else { continue }
            let line = "\(request.operation) \(request.arguments)"
            var transport = LineTransport(gateway: scene.gateway)
            transport.column = Set(Self.names).subtracting([request.operation])
            #expect(await transport.answer(line).contains("on this way"), "\(line)")
            transport.column = [request.operation]
            let answer = await transport.answer(line)
            #expect(answer.hasPrefix(#"{"ok":true,"result":"#), "\(line): \(answer.prefix(200))")
            guard request.operation == .supportBundle else { continue }
            #expect(answer.contains(#""path""#) && !answer.contains(#""text""#), "the text is the socket's")
        }
    }

    @Test func `a column opens each row, and reaches its work`() async throws {
        let scene = try OperationsScene()
        for row in OperationTable.rows where row.form != .dialogue && row.effect != .restart {
            let transport = LineTransport(gateway: scene.gateway, column: [row.name])
            let answer = await transport.answer(row.name.rawValue)
            #expect(
                !answer.contains("on this way") && !answer.contains("no such"), "\(row.name): \(answer.prefix(200))")
            let required = row.arguments.filter(\.isRequired)
            guard !required.isEmpty, OperationWorks[row.name] != nil else { continue }
            #expect(required.contains { answer == #"not-valid: "\#($0.name)" is missing"# }, "\(row.name): \(answer)")
        }
    }

    @Test func `arguments are those of the table, within its bounds, and a secret is refused`() async throws {
        let scene = try OperationsScene()
        let transport = LineTransport(gateway: scene.gateway, column: Set(Self.names))
        for (line, words) in [
            (#"why {"sensr":"a"}"#, #""sensr" is not known: "why" takes sensor"#),
            // The names of the release before, and the keys around arguments, belong to the ways that had them.
            (#"why {"device":"a"}"#, #""device" is not known"#), ("history-pause", "no such operation"),
            (#"bonds {"command":"bonds"}"#, #""command" is not known"#), (#"bonds {"id":"7"}"#, #""id" is not known"#),
            (#"why {"arguments":{"sensor":"a"}}"#, #""arguments" is not known"#),
            (#"accept {"address":"C4:7C:8D:00:77:01","passkey":"123456"}"#, #""passkey" is a secret"#),
            (#"key {"sensor":"a","key":"00"}"#, #""key" is a secret"#),
            ("why {\"sensor\":\"" + String(repeating: "a", count: 4_096) + "\"}", "4096 octets of arguments at most"),
        ] {
            #expect(await transport.answer(line).contains(words), "\(line.prefix(80))")
        }
        #expect(scene.layer.isEmpty)
    }
}
