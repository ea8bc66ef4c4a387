// SPDX-License-Identifier: Apache-2.0

import Foundation

extension CBPeripheral {
    /// Additive: the values that the peripheral notifies or indicates.
    ///
    /// ```swift
    /// for try await value in peripheral.notifications(for: heartRate) {
    ///     print("\(value[1]) beats a minute")
    /// }
    /// ```
    ///
    /// The first iteration switches notifications on, and the end of the last one switches them off, unless the
    /// application has asked for them by ``setNotifyValue(_:for:)``. Each iteration gets every value in order, and so
    /// does the peripheral's delegate; answers to reads are not among them.
    ///
    /// It ends with the error of the disconnection, and without one where this side disconnected, or the application
    /// switched notifications off; where they cannot be switched on, with the peripheral's refusal. Connect again,
    /// discover again and iterate anew: nothing is resumed behind the application's back.
    ///
    /// `bufferingPolicy`: what a slow consumer keeps; ``CBStream/droppedCount`` says what it lost.
    public func notifications(
        for characteristic: CBCharacteristic, bufferingPolicy: CBBufferingPolicy = .newest(256)
    ) -> CBStream<Data, any Error> {
        CBStream(bufferingPolicy) { [self] buffer in
            do {
                try check(characteristic)
            } catch {
                buffer.finish(throwing: error)
                return {}
            }
            let manager = manager
            let isFirst = characteristic.add(buffer)
            // The disconnection may have come between the check and now.
            if state != .connected { buffer.finish(throwing: CBError(.notConnected)) }
            if isFirst || !characteristic.isNotifying { configureNotifications(true, for: characteristic) }
            return { [self] in
                // It lives until here: values come by it.
                withExtendedLifetime(manager) {
                    if characteristic.remove(buffer), state == .connected {
                        configureNotifications(false, for: characteristic)
                    }
                }
            }
        }
    }
}
