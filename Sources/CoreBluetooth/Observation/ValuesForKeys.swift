// SPDX-License-Identifier: Apache-2.0

import Foundation

// Key-value coding, for properties that programs ask for by name. Linux has no Objective-C runtime for other
// properties: these give nil, while Apple's systems raise an exception.

extension CBPeripheral {
    /// `identifier`, `name`, `state` (as a number), `services`, `canSendWriteWithoutResponse` or `ancsAuthorized`; nil for
    /// every other key.
    public func value(forKey key: String) -> Any? {
        switch key {
        case "identifier": identifier
        case "name": name
        case "state": NSNumber(value: state.rawValue)
        case "services": services
        case "canSendWriteWithoutResponse": NSNumber(value: canSendWriteWithoutResponse)
        case "ancsAuthorized": NSNumber(value: ancsAuthorized)
        default: nil
        }
    }
}

extension CBCentralManager {
    /// `state` (as a number), `isScanning` or `delegate`; nil for every other key.
    public func value(forKey key: String) -> Any? {
        switch key {
        case "state": NSNumber(value: state.rawValue)
        case "isScanning": NSNumber(value: isScanning)
        case "delegate": delegate
        default: nil
        }
    }
}
