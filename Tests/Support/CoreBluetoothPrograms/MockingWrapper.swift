// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth.CBATTRequest
import CoreBluetooth.CBUUID
import class CoreBluetooth.CBPeripheral
import Foundation

// A library with its own types around Core Bluetooth, so that applications are tested without a radio. It subclasses Apple's classes, makes
// their errors, and uses their whole API.

/// A service with properties from the test.
final class MockService: CBMutableService, @unchecked Sendable {
    var mockedUUID = CBUUID()
    var mockedIsPrimary = false

    override var uuid: CBUUID { mockedUUID }
    override var isPrimary: Bool { mockedIsPrimary }
}

/// A peripheral under another identifier.
class MockPeripheral: CBPeripheral, @unchecked Sendable {
    override var identifier: UUID { UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)) }
    override func copy(with zone: NSZone? = nil) -> Any { self }
}

/// A request of another central.
class MockRequest: CBATTRequest, @unchecked Sendable {
    var mockedCentral: CBCentral?

    override var central: CBCentral { mockedCentral ?? super.central }
    override var characteristic: CBCharacteristic { super.characteristic }
    override var offset: Int { 0 }
}

/// A channel with another PSM.
class MockChannel: CBL2CAPChannel, @unchecked Sendable {
    override var psm: CBL2CAPPSM { 0x80 }
}

/// The older parts of the API, which libraries from several years ago still use.
protocol OldAPI {
    func oldState(of manager: CBManager) -> String
    func isBroadcasted(_ characteristic: CBCharacteristic) -> Bool
}

struct OldNames: OldAPI {
    @available(*, deprecated)
    func oldState(of manager: CBManager) -> String {
        let central = CBCentralManagerState(rawValue: manager.state.rawValue) ?? .unknown
        let peripheral = CBPeripheralManagerState(rawValue: manager.state.rawValue) ?? .unknown
        switch (central, peripheral) {
        case (.poweredOn, .poweredOn): return "on"
        case (.poweredOff, .poweredOff): return "off"
        default: return "\(central) \(peripheral)"
        }
    }

    @available(*, deprecated)
    func isBroadcasted(_ characteristic: CBCharacteristic) -> Bool { characteristic.isBroadcasted }
}

enum MockErrors {
    static let timedOut = CBError(.connectionTimeout, userInfo: [NSLocalizedDescriptionKey: "the mock fell silent"])
    static let refused = CBATTError(.readNotPermitted, userInfo: ["characteristic": "2A19"])

    /// As Swift imports an error of Objective-C.
    static func imported(_ error: NSError) -> Error {
        switch error.domain {
        case CBErrorDomain: return CBError(_nsError: error)
        case CBATTErrorDomain: return CBATTError(_nsError: error)
        default: return error
        }
    }

    /// A library's names for the errors that it receives.
    static func name(of error: Error) -> String {
        do {
            throw error
        } catch CBError.connectionTimeout {
            return "timeout"
        } catch CBATTError.readNotPermitted {
            return "not readable"
        } catch let error as CBATTError {
            return name(of: error.code)
        } catch {
            return "\((error as NSError).domain) \((error as NSError).code)"
        }
    }

    /// Every code with a name in Apple's API; applications' own codes have none.
    static func name(of code: CBATTError.Code) -> String {
        switch code {
        case .success: return "success"
        case .invalidHandle: return "invalid handle"
        case .readNotPermitted: return "not readable"
        case .writeNotPermitted: return "not writable"
        case .invalidPdu: return "invalid PDU"
        case .insufficientAuthentication: return "authenticate"
        case .requestNotSupported: return "not supported"
        case .invalidOffset: return "invalid offset"
        case .insufficientAuthorization: return "authorize"
        case .prepareQueueFull: return "queue full"
        case .attributeNotFound: return "not found"
        case .attributeNotLong: return "not long"
        case .insufficientEncryptionKeySize: return "key too short"
        case .invalidAttributeValueLength: return "invalid length"
        case .unlikelyError: return "unlikely"
        case .insufficientEncryption: return "encrypt"
        case .unsupportedGroupType: return "group type"
        case .insufficientResources: return "resources"
        @unknown default: return "application \(code.rawValue)"
        }
    }
}

/// Writes a log with times and formats, as libraries do.
final class MockJournal {
    private(set) var lines: [String] = []
    private let start = CFAbsoluteTimeGetCurrent()

    func record(_ what: String, _ object: CVarArg) {
        let age: CFAbsoluteTime = CFAbsoluteTimeGetCurrent() - start
        lines.append(String(format: "%@ %@ %d", what, object, age < 0 ? 1 : 0))
    }

    /// Asks a peripheral by its keys, as libraries with Objective-C do.
    func record(keysOf peripheral: CBPeripheral) {
        let identifier = peripheral.value(forKey: "identifier") as? UUID
        let state = peripheral.value(forKey: "state") as? Int
        let name = peripheral.value(forKey: "name") as? String
        let nothing = peripheral.value(forKey: "kCBMsgArgDeviceAddress")
        lines.append("\(identifier == peripheral.identifier) \(state ?? -1) \(name ?? "-") \(nothing ?? "nothing")")
    }
}
