// SPDX-License-Identifier: Apache-2.0

import Collector
import Operations
import Synchronization

extension GatewayOperations {
    /// Inspects a sensor for a client of the control socket; ends when the client goes.
    func inspection(_ call: OperationCall) -> ControlDialogue {
        let request: OperationTable.Inspecting
        do throws(OperationError) { request = try call.arguments(of: OperationTable.inspect) } catch {
            return .refusing(error.description)
        }
        let seconds = request.seconds ?? 30
        guard seconds > 0, seconds <= 120 else {
            return .refusing(#""seconds" is more than 0, and 120 at most"#)
        }
        let work = Mutex<Task<Void, Never>?>(nil)
        let control = ControlDialogue(received: { _ in }, left: { work.withLock { $0?.cancel() } })
        let say = { @Sendable (response: ControlResponse<InspectionMessage>, isLast: Bool) in
            // A message is made of strings and numbers, which can be encoded.
            guard let line = try? ControlCoding.encode(response) else { return }
            control.say(line, isLast: isLast)
        }
        let address = request.address
        let task = Task { [self] in
            do throws(OperationError) {
                let report = try await inspect(address, within: .seconds(seconds)) { step in
                    say(.success(InspectionMessage(step: step)), false)
                }
                say(.success(InspectionMessage(report: report)), true)
            } catch {
                say(.failure(error.description), true)
            }
        }
        work.withLock { $0 = task }
        return control
    }
}
