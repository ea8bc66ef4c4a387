// SPDX-License-Identifier: Apache-2.0

import Collector
import CoreBluetooth
import Dispatch
import Foundation
import Gateway
import Platform
import Synchronization

/// Requests of centrals. The host checks the permissions of the attributes. This code only adds that no sensor acts as
/// an owner.
extension ProvisioningService {
    package func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        guard let item = table.item(of: request.characteristic), item.reading != .nobody else {
            return peripheral.respond(to: request, withResult: .readNotPermitted)
        }
        let central = request.central
        let offset = request.offset
        // All parts of a long read come from the value at its beginning.
        if offset > 0, let snapshot = meet(central, { $0.snapshots[item] }).result {
            guard offset <= snapshot.count else { return peripheral.respond(to: request, withResult: .invalidOffset) }
            request.value = Data(snapshot.dropFirst(offset))
            return peripheral.respond(to: request, withResult: .success)
        }
        let answer = PendingAnswer(peripheral, request)
        perform(answer, of: central) { service, phone throws(WriteRefusal) in
            if item.reading == .owner { try await service.admit(phone, central) }
            let value = Array(try await service.value(of: item, for: phone, central).prefix(512))
            _ = service.meet(central) { $0.snapshots[item] = value }
            guard offset <= value.count else {
                throw WriteRefusal(.invalidOffset, "The value ends before octet \(offset).")
            }
            request.value = Data(value.dropFirst(offset))
        }
    }

    package func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        guard let first = requests.first else { return }
        let central = first.central
        let answer = PendingAnswer(peripheral, first)
        perform(answer, of: central, isWrite: true) { service, phone throws(WriteRefusal) in
            let values = try service.values(of: requests)
            try await service.admit(phone, central)
            try await service.write(values, by: phone, central)
        }
    }

    /// The values assembled from prepared writes: each from offset 0, without gaps and overlaps.
    private func values(of requests: [CBATTRequest]) throws(WriteRefusal) -> [(item: Item, octets: [UInt8])] {
        var values: [(item: Item, octets: [UInt8])] = []
        for request in requests {
            guard let item = table.item(of: request.characteristic), item.writing != .nobody else {
                throw WriteRefusal(.writeNotPermitted, "This cannot be written.")
            }
            let part = request.value ?? Data()
            if let index = values.firstIndex(where: { $0.item == item }) {
                guard request.offset == values[index].octets.count else {
                    throw WriteRefusal(.invalidOffset, "The parts of a value have to follow each other.")
                }
                values[index].octets += part
            } else {
                guard request.offset == 0 else {
                    throw WriteRefusal(.invalidOffset, "A value has to be written from its beginning.")
                }
                values.append((item, Array(part)))
            }
        }
        guard values.allSatisfy({ $0.octets.count <= 512 }) else {
            throw WriteRefusal(.invalidAttributeValueLength, "A value has at most 512 octets.")
        }
        return values
    }

    // MARK: Once, and in time

    /// Performs a request, and answers it with the result, or with an error after the time limit.
    private func perform(
        _ answer: PendingAnswer, of central: CBCentral, isWrite: Bool = false,
        _ body: @escaping @Sendable (ProvisioningService, _ phone: String) async throws(WriteRefusal) -> Void
    ) {
        let hasRoom = state.withLock { state in
            guard !state.isStopped, state.requests < limits.requests else { return false }
            state.requests += 1
            return true
        }
        guard hasRoom else {
            answer.give(.insufficientResources)
            return
        }
        let (identity, former) = meet(central) { $0.identity }
        if let former { state.withLock { $0.staging.rename(former, to: identity) } }
        state.withLock { $0.staging.see(identity, at: .now) }
        let limit = limits.answer
        let overdue = Task { [weak self] in
            guard await Waiting.pause(for: limit) else { return }
            // Before the answer: after the answer, a phone may read the reason at once.
            if isWrite {
                _ = self?.meet(central) { $0.lastError = "This took too long; it may have been done nevertheless." }
            }
            answer.give(.tooLate)
        }
        Task { [weak self] in
            defer { overdue.cancel() }
            guard let self else { return }
            var refusal: WriteRefusal?
            do throws(WriteRefusal) {
                try await body(self, identity)
            } catch {
                refusal = error
            }
            let text = refusal?.text ?? ""
            self.state.withLock { $0.requests -= 1 }
            if isWrite { _ = self.meet(central) { $0.lastError = text } }
            answer.give(refusal?.code ?? .success)
        }
    }

    /// Calls `body` with the central's memory.
    func meet<Result: Sendable>(
        _ central: CBCentral, _ body: @Sendable (inout Phone) -> Result
    ) -> (result: Result, former: String?) {
        let identity =
            parts.controller.bond(withIdentifier: central.identifier)?.address ?? central.identifier.uuidString
        return state.withLock { state in
            state.phones.with(central, identity: identity, limit: limits.phones, body)
        }
    }

    /// A sensor paired with a passkey has a key as strong as an owner's, but the passkey on a sensor's label is no
    /// secret of ours.
    func admit(_ phone: String, _ central: CBCentral) async throws(WriteRefusal) {
        guard !meet(central, { $0.isAdmitted }).result else { return }
        let isSensor = await parts.operations.bonds().bonds.contains { $0.address == phone && $0.device != nil }
        guard !isSensor else {
            throw WriteRefusal(.insufficientAuthorization, "This device is one of the gateway's sensors.")
        }
        _ = meet(central) { if $0.identity == phone { $0.isAdmitted = true } }
    }
}

/// A request that gets one answer.
final class PendingAnswer: Sendable {
    private let manager: CBPeripheralManager
    private let request: CBATTRequest
    private let isGiven = Mutex(false)

    init(_ manager: CBPeripheralManager, _ request: CBATTRequest) {
        self.manager = manager
        self.request = request
    }

    /// False if the request has been answered before.
    @discardableResult
    func give(_ code: CBATTError.Code) -> Bool {
        let isFirst = isGiven.withLock { isGiven in
            defer { isGiven = true }
            return !isGiven
        }
        if isFirst { manager.respond(to: request, withResult: code) }
        return isFirst
    }
}

extension CBATTError.Code {
    /// The code of ``ProvisioningErrorCode/failed``.
    static let tooLate = CBATTError.Code(rawValue: Int(ProvisioningErrorCode.failed.rawValue)) ?? .unlikelyError
}
