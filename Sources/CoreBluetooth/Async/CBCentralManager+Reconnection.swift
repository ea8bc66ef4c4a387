// SPDX-License-Identifier: Apache-2.0

import Foundation

extension CBCentralManager {
    /// Additive: connects to a known peripheral, in the order of Apple's guide: known identifiers first, then
    /// peripherals with a connection of this process, then a scan.
    ///
    /// ```swift
    /// let strap = try await central.peripheral(
    ///     reconnectingTo: [stored], orAdvertising: [CBUUID(string: "180D")], timeout: .seconds(60))
    /// ```
    ///
    /// - Parameters:
    ///   - identifiers: of suitable peripherals; the first one with a connection is taken.
    ///   - serviceUUIDs: of further suitable peripherals; an empty list waits for the known ones alone.
    ///   - patience: how long to wait for the known ones alone before the scan.
    ///   - timeout: for the whole call; nil waits for ever.
    /// - Returns: the peripheral, connected.
    nonisolated(nonsending) public func peripheral(
        reconnectingTo identifiers: [UUID], orAdvertising serviceUUIDs: [CBUUID] = [],
        patience: Duration = .seconds(10), timeout: Duration? = nil
    ) async throws -> CBPeripheral {
        let end = timeout.map { ContinuousClock.now + $0 }
        func remaining() -> Duration? { end.map { max(.zero, $0 - .now) } }
        try await waitUntilPoweredOn(timeout: timeout)
        let known = retrievePeripherals(withIdentifiers: identifiers)
        if let connected = known.first(where: { $0.state == .connected }) { return connected }
        if !known.isEmpty {
            let limit = serviceUUIDs.isEmpty ? remaining() : min(patience, remaining() ?? patience)
            do {
                return try await Self.first(of: known, timeout: limit)
            } catch let error where serviceUUIDs.isEmpty || (error as? CBError)?.code == .operationCancelled {
                throw error
            } catch {}  // none of them is here: another one will do
        }
        guard !serviceUUIDs.isEmpty else { throw CBError(.unknownDevice) }
        for peripheral in retrieveConnectedPeripherals(withServices: serviceUUIDs) {
            try await peripheral.connect(timeout: remaining())
            return peripheral
        }
        return try await findFirst(withServices: serviceUUIDs, until: end)
    }

    /// Connects to all of `peripherals`; returns the first connected one, and withdraws the other connection attempts.
    private static func first(of peripherals: [CBPeripheral], timeout: Duration?) async throws -> CBPeripheral {
        try await withThrowingTaskGroup(of: CBPeripheral.self) { group in
            for peripheral in peripherals {
                group.addTask {
                    try await peripheral.connect(timeout: timeout)
                    return peripheral
                }
            }
            var winner: CBPeripheral?
            var failure: any Error = CBError(.operationCancelled)
            while let result = await group.nextResult() {
                switch result {
                case .success(let late) where winner != nil: late.withdrawConnection()
                case .success(let peripheral):
                    winner = peripheral
                    group.cancelAll()
                case .failure(let error): failure = error
                }
            }
            guard let winner else { throw failure }
            return winner
        }
    }

    private func findFirst(
        withServices serviceUUIDs: [CBUUID], until end: ContinuousClock.Instant?
    ) async throws -> CBPeripheral {
        try await withThrowingTaskGroup(of: CBPeripheral?.self) { group in
            group.addTask { [self] in
                // With duplicates, so that a failed connection is tried again at the peripheral's next advertisement.
                let advertisements = advertisements(
                    withServices: serviceUUIDs, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true],
                    bufferingPolicy: .newest(8))
                for await advertisement in advertisements where advertisement.isConnectable {
                    let peripheral = advertisement.peripheral
                    do {
                        // The timeout is for a peripheral that has left: the loop goes on to the next one.
                        try await peripheral.connect(timeout: .seconds(10))
                        return peripheral
                    } catch {
                        if Task.isCancelled { return nil }
                    }
                }
                guard Task.isCancelled else { throw CBError(.outOfSpace, detail: "the controller has too many users") }
                return nil
            }
            if let end {
                group.addTask {
                    do {
                        // No answer comes: the call ends by its timeout, or by the end of the other task.
                        try await PendingCall<Void>.run(timeout: max(.zero, end - .now)) { _ in }
                    } catch let error as CBError where error.code == .operationCancelled {
                        return nil
                    } catch {}
                    throw CBError(.connectionTimeout, detail: "no peripheral with these services came")
                }
            }
            defer { group.cancelAll() }
            guard let found = try await group.next(), let found else { throw CBError(.operationCancelled) }
            return found
        }
    }
}
