// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Gateway
@testable import GatewayBench
@testable import Operations
@testable import Platform

/// The time of a row, on each way.
struct OperationTimeTests {
    @Test func `a caller waits no longer than the row says, on each way`() async throws {
        let scene = try OperationsScene()
        let (never, end) = AsyncStream.makeStream(of: Void.self)
        let shape = OperationTable.Shape(
            .status, "Waits.", for: [.socket, .broker], bounds: .init(time: .milliseconds(10)))
        let operation = OperationTable.operation(shape, giving: Int.self)
        let (_, work) = OperationWorks.own(operation) { _, _ async -> Int in
            for await _ in never {}
            return 7
        }
        for caller in shape.callers {
            let said = await refusal { () throws(OperationError) in
                _ = try await scene.gateway.perform(operation.row, OperationCall(caller, Data("{}".utf8)), by: work)
            }
            #expect(
                said?.kind == .failed && said?.description.contains("longer") == true,
                "\(caller): \(String(describing: said))")
        }
        end.finish()
        let patient = OperationTable.operation(OperationTable.Shape(.status, "Waits.", for: [.socket]))
        let answer = try await scene.gateway.perform(patient.row, OperationCall(.socket, Data("{}".utf8)), by: work)
        #expect(answer as? Int == 7)
        let ofSocket = OperationTable.rows.filter { $0.callers.contains(.socket) }
        let longest = try #require(ofSocket.map(\.bounds.time).max())
        #expect(ControlLimits().answer == longest + .seconds(5), "the socket's own answer would come before the row's")
        let page = try String(contentsOf: Checkout.url("docs/operations.md"), encoding: .utf8)
        let limit = longest.components.seconds + 5
        #expect(page.contains("waits \(limit) s at most"), "docs/operations.md has another time")
    }

    @Test func `work for a client of the socket ends with the client's wait`() async throws {
        let scene = try OperationsScene()
        let operation = OperationTable.operation(
            OperationTable.Shape(.status, "Waits.", for: [.socket]), giving: Int.self)
        let (began, beginning) = AsyncStream.makeStream(of: Void.self)
        let (ended, ending) = AsyncStream.makeStream(of: Bool.self)
        let (_, work) = OperationWorks.own(operation) { _, _ async -> Int in
            beginning.finish()
            await Waiting.pause(for: .seconds(3_600))
            ending.yield(Task.isCancelled)
            return 7
        }
        let call = OperationCall(.socket, Data("{}".utf8))
        let client = Task { try await scene.gateway.perform(operation.row, call, by: work) }
        for await _ in began {}
        client.cancel()
        #expect(await ended.first { _ in true } == true)
    }
}
