// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import Synchronization

/// Procedures of the host without a call in Core Bluetooth.
extension CentralScript {
    func runProcedures() {
        step("read multiple") {
            let (peripheral, pair) = (try peripheral(), try readable())
            let read = try wait { try await peripheral.concatenatedValues(of: pair) }
            try expect(
                read == ReferenceDatabase.constantValue + ReferenceDatabase.dynamicValue, "they are \(read.hexadecimal)"
            )
            return "\(read.count) octets of two values"
        }
        step("read multiple variable") {
            // The last value is longer than any answer: the host reads the rest by itself.
            let (peripheral, all) = (try peripheral(), try readable() + [try characteristic(ReferenceDatabase.long)])
            let read = try wait { try await peripheral.values(of: all) }
            let wanted = [
                ReferenceDatabase.constantValue, ReferenceDatabase.dynamicValue, ReferenceDatabase.longValue,
            ]
            try expect(read == wanted, "they are \(read.map(\.hexadecimal))")
            return "\(read.map(\.count)) octets"
        }
        step("read by uuid") {
            let (peripheral, service) = (try peripheral(), try service(ReferenceDatabase.main))
            let read = try wait { try await peripheral.values(ofType: ReferenceDatabase.dynamic, in: service) }
            try expect(read == [ReferenceDatabase.dynamicValue], "they are \(read.map(\.hexadecimal))")
            return "\(read.count) value in the service's range"
        }
        step("write reliably") {
            let (peripheral, values) = (try peripheral(), [Data("one".utf8), Data("two".utf8)])
            let pair = try ReferenceDatabase.pair.map { try characteristic($0) }
            try wait { try await peripheral.writeReliably(zip(pair, values).map { ($0, $1) }) }
            let read = try pair.map(read)
            try expect(read == values, "they read \(read.map(\.hexadecimal))")
            return "two values together"
        }
    }

    private func readable() throws -> [CBCharacteristic] {
        [try characteristic(ReferenceDatabase.constant), try characteristic(ReferenceDatabase.dynamic)]
    }

    /// Waits for an asynchronous call.
    private func wait<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
        let (outcome, done) = (Outcome<Value>(), DispatchSemaphore(value: 0))
        Task {
            do {
                let value = try await body()
                outcome.result.withLock { $0 = .success(value) }
            } catch {
                outcome.result.withLock { $0 = .failure(error) }
            }
            done.signal()
        }
        guard done.wait(timeout: .now() + patience) == .success, let result = outcome.result.withLock({ $0 }) else {
            throw Unmet("no answer within \(patience) s")
        }
        return try result.get()
    }

    private final class Outcome<Value: Sendable>: Sendable {
        let result = Mutex<Result<Value, any Error>?>(nil)
    }
}
