// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothHost
import GATT

@testable import HostBench

/// Steps for many scripts of the server.
extension ServerBench {
    /// The tester reads the part of the value that fits one response.
    func expects(read handle: UInt16, _ value: [UInt8]) throws {
        try send(att: [0x0A] + little(handle))
        try expects(att: [0x0B] + value)
    }

    func expects(write handle: UInt16, _ value: [UInt8]) throws {
        try send(att: [0x12] + little(handle) + value)
        try expects(att: "13")
    }

    /// Part of a value is prepared and echoed.
    func expects(prepare handle: UInt16, at offset: UInt16, _ value: [UInt8]) throws {
        let octets = little(handle) + little(offset) + value
        try send(att: [0x16] + octets)
        try expects(att: [0x17] + octets)
    }

    /// The handle of an attribute that refuses reads, or writes, with this error on the present link.
    func provoke(_ error: ATTErrorCode) throws -> UInt16 {
        switch error {
        case .invalidHandle: return ServerTable.nowhere
        case .readNotPermitted: return ServerTable.writeOnly
        case .writeNotPermitted: return ServerTable.fixed
        case .insufficientAuthorization: return ServerTable.authorized
        case .encryptionKeySizeTooShort:
            bench.host.policy = SecurityPolicy(minimumKeySize: 7)
            try storeBond(keySize: 15)
            try encrypt()
            return ServerTable.encrypted
        default: return ServerTable.encrypted
        }
    }

    /// Gives the link the protection whose absence has caused this error; false where no link would suffice.
    func satisfy(_ error: ATTErrorCode) throws -> Bool {
        switch error {
        case .insufficientAuthorization: try storeBond(isAuthorized: true)
        case .insufficientAuthentication, .encryptionKeySizeTooShort: try storeBond()
        default: return false
        }
        try encrypt()
        return true
    }
}
