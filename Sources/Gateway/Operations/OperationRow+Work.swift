// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Operations
import Platform
import Synchronization

extension OperationRow {
    /// An answer as JSON, no longer than the row allows.
    package func encoded(_ answer: some Encodable) throws(OperationError) -> [UInt8] {
        guard let octets = try? ControlCoding.encode(answer) else {
            throw OperationError(.failed, "the answer cannot be written")
        }
        guard octets.count <= bounds.result else {
            throw OperationError(.failed, "the answer is longer than \(bounds.result) octets")
        }
        return octets
    }

    /// A file, no longer than the row allows.
    package func bounded(_ file: OperationFile) throws(OperationError) -> OperationFile {
        guard file.octets.count <= bounds.result else {
            throw OperationError(.failed, "the answer is longer than \(bounds.result) octets")
        }
        return file
    }

    /// Does `work`, and waits no longer for it than the row says. Gives the result as far as the caller may see it. Work may
    /// be cancelled with the client's wait (``Caller/endsWorkWithWait``).
    package func within(
        _ call: OperationCall, _ work: @escaping @Sendable () async throws(OperationError) -> Result
    ) async throws(OperationError) -> Result {
        let running = Mutex<Task<Void, Never>?>(nil)
        let answer = await withTaskCancellationHandler {
            await Waiting.answer(within: bounds.time) { answer in
                let task = Task(executorPreference: call.executor) {
                    do throws(OperationError) {
                        answer(Swift.Result<Result, OperationError>.success(try await work()))
                    } catch {
                        answer(.failure(error))
                    }
                }
                running.withLock { $0 = task }
                if Task.isCancelled, call.caller.endsWorkWithWait { task.cancel() }
            }
        } onCancel: {
            if call.caller.endsWorkWithWait { running.withLock { $0 }?.cancel() }
        }
        guard let answer else {
            let seconds = bounds.time.components.seconds
            throw OperationError(.failed, "it took longer than \(seconds) s; it may be done nevertheless")
        }
        let result = try answer.get()
        guard let partly = result as? any PartlySeen else { return result }
        return partly.seen(by: call.caller)
    }
}

extension GatewayService {
    /// Runs an operation for a caller that has the right to it.
    package func perform(_ operation: OperationRow, _ call: OperationCall) async throws(OperationError)
        -> OperationRow.Result
    {
        try await perform(operation, call, by: OperationWorks[operation.name])
    }

    /// - Parameter work: The operation's work; nil: another module carries the operation out.
    func perform(
        _ operation: OperationRow, _ call: OperationCall, by work: OperationWork?
    ) async throws(OperationError) -> OperationRow.Result {
        try operation.admit(call)
        let own: OperationWork.Own
        switch work {
        case .common(let common)?:
            own = { gateway, call throws(OperationError) in try await common(gateway.operations, call) }
        case .gateway(let work)?: own = work
        case nil:
            guard let provided = provided(operation.name) else {
                throw OperationError(.refused, OperationProviders.isOff)
            }
            own = provided
        }
        return try await operation.within(call) { [self] () throws(OperationError) in try await own(self, call) }
    }
}

extension GatewayOperations {
    /// Carries out an operation that each gateway can do.
    package func perform(_ operation: OperationRow, _ call: OperationCall) async throws(OperationError)
        -> OperationRow.Result
    {
        try operation.admit(call)
        guard case .common(let work)? = OperationWorks[operation.name] else {
            throw OperationError(.refused, "\(quoted(operation.name.rawValue)) takes a whole gateway")
        }
        return try await operation.within(call) { [self] () throws(OperationError) in try await work(self, call) }
    }
}
