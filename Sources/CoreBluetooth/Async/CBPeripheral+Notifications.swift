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
    /// The first iteration switches notifications on. The end of the last iteration switches them off, unless the
    /// application has asked for notifications by ``setNotifyValue(_:for:)``. Each iteration gets all values in order,
    /// and so does the peripheral's delegate. The sequence leaves out answers to reads.
    ///
    /// The sequence ends with the error of the disconnection. The end has no error if this side disconnected, or if the
    /// application switched notifications off. If the peripheral refuses notifications, the sequence throws the
    /// refusal. After a disconnection, connect again, discover again and iterate anew: the library resumes no sequence
    /// by itself.
    ///
    /// `bufferingPolicy`: the elements that a slow consumer keeps; ``CBStream/droppedCount`` counts the lost ones.
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
                // The manager lives until here, because it delivers the values.
                withExtendedLifetime(manager) {
                    if characteristic.remove(buffer), state == .connected {
                        configureNotifications(false, for: characteristic)
                    }
                }
            }
        }
    }
}
