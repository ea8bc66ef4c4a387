// SPDX-License-Identifier: Apache-2.0

import Foundation
import HCI
import Testing

@testable import CoreBluetooth

/// Numbers and names for applications, and the origins of errors.
struct RowValueTests {
    @Test func `states, authorizations and properties have Apple's numbers`() {
        let states: [CBManagerState] = [.unknown, .resetting, .unsupported, .unauthorized, .poweredOff, .poweredOn]
        #expect(states.map(\.rawValue) == Array(0...5))
        let authorizations: [CBManagerAuthorization] = [.notDetermined, .restricted, .denied, .allowedAlways]
        #expect(authorizations.map(\.rawValue) == Array(0...3))
        let connection: [CBPeripheralState] = [.disconnected, .connecting, .connected, .disconnecting]
        #expect(connection.map(\.rawValue) == Array(0...3))
        let properties: [CBCharacteristicProperties] = [
            .broadcast, .read, .writeWithoutResponse, .write, .notify, .indicate, .authenticatedSignedWrites,
            .extendedProperties, .notifyEncryptionRequired, .indicateEncryptionRequired,
        ]
        #expect(properties.map(\.rawValue) == (0..<10).map { 1 << $0 })
        let permissions: [CBAttributePermissions] = [
            .readable, .writeable, .readEncryptionRequired, .writeEncryptionRequired,
        ]
        #expect(permissions.map(\.rawValue) == [1, 2, 4, 8])
    }

    @Test func `constants of UUIDs name what the specification does`() {
        let known = [
            CBUUIDCharacteristicExtendedPropertiesString: "2900", CBUUIDCharacteristicUserDescriptionString: "2901",
            CBUUIDClientCharacteristicConfigurationString: "2902",
            CBUUIDServerCharacteristicConfigurationString: "2903", CBUUIDCharacteristicFormatString: "2904",
            CBUUIDCharacteristicAggregateFormatString: "2905", CBUUIDCharacteristicValidRangeString: "2906",
            CBUUIDCharacteristicObservationScheduleString: "2910",
            CBUUIDL2CAPPSMCharacteristicString: "ABDD3056-28FA-441D-A470-55A75A52553A",
        ]
        for (constant, uuid) in known { #expect(CBUUID(string: constant).uuidString == uuid) }
    }

    @Test func `errors have Apple's numbers and domains, and are caught by their codes`() {
        let codes: [CBError.Code] = [
            CBError.unknown, CBError.invalidParameters, CBError.invalidHandle, CBError.notConnected,
            CBError.outOfSpace, CBError.operationCancelled, CBError.connectionTimeout, CBError.peripheralDisconnected,
            CBError.uuidNotAllowed, CBError.alreadyAdvertising, CBError.connectionFailed,
            CBError.connectionLimitReached, CBError.unknownDevice, CBError.operationNotSupported,
            CBError.peerRemovedPairingInformation, CBError.encryptionTimedOut, CBError.tooManyLEPairedDevices,
            CBError.leGattExceededBackgroundNotificationLimit, CBError.leGattNearBackgroundNotificationLimit,
        ]
        #expect(codes.map(\.rawValue) == Array(0...18))
        let attCodes: [CBATTError.Code] = [
            CBATTError.success, CBATTError.invalidHandle, CBATTError.readNotPermitted, CBATTError.writeNotPermitted,
            CBATTError.invalidPdu, CBATTError.insufficientAuthentication, CBATTError.requestNotSupported,
            CBATTError.invalidOffset, CBATTError.insufficientAuthorization, CBATTError.prepareQueueFull,
            CBATTError.attributeNotFound, CBATTError.attributeNotLong, CBATTError.insufficientEncryptionKeySize,
            CBATTError.invalidAttributeValueLength, CBATTError.unlikelyError, CBATTError.insufficientEncryption,
            CBATTError.unsupportedGroupType, CBATTError.insufficientResources,
        ]
        #expect(attCodes.map(\.rawValue) == Array(0x00...0x11))
        for code in codes {
            let error = CBError(code) as any Error
            #expect((error as NSError).domain == CBErrorDomain && (error as NSError).code == code.rawValue)
            #expect(!error.localizedDescription.isEmpty)
            do { throw error } catch code {} catch { Issue.record("\(code) was not caught") }
        }
        for code in attCodes {
            let error = CBATTError(code) as any Error
            #expect((error as NSError).domain == CBATTErrorDomain && (error as NSError).code == code.rawValue)
            do { throw error } catch code {} catch { Issue.record("\(code) was not caught") }
        }
    }

    @Test(arguments: [
        (HCIStatus.connectionTimeout, CBError.Code.connectionTimeout), (.remoteUserTerminated, .peripheralDisconnected),
        (.remoteLowResources, .peripheralDisconnected), (.remotePowerOff, .peripheralDisconnected),
        (.connectionFailedToBeEstablished, .connectionFailed), (.advertisingTimeout, .connectionFailed),
        (.micFailure, .connectionFailed), (.insufficientSecurity, .connectionFailed),
        (.connectionLimitExceeded, .connectionLimitReached),
        (.connectionRejectedLimitedResources, .connectionLimitReached),
        (.pinOrKeyMissing, .peerRemovedPairingInformation), (.llResponseTimeout, .encryptionTimedOut),
        (.invalidCommandParameters, .invalidParameters), (.unknownConnectionIdentifier, .invalidHandle),
        (.hardwareFailure, .unknown),
    ])
    func `the reason of a disconnection is Apple's error`(reason: HCIStatus, code: CBError.Code) {
        #expect(CBError(disconnection: reason)?.code == code)
        #expect(CBError(disconnection: reason)?.detail == reason.description)
    }

    @Test func `a connection that we ended ourselves ends without an error`() {
        #expect(CBError(disconnection: .localHostTerminated) == nil)
    }

    @Test(arguments: [0x12, 0x13, 0x80, 0x9F, 0xFC, 0xFD, 0xFE, 0xFF])
    func `codes that Apple does not name pass through`(code: Int) throws {
        let error = CBATTError(try #require(CBATTError.Code(rawValue: code)))
        #expect(error.errorCode == code && error.localizedDescription.contains("\(code)"))
    }

    @Test func `each feature is a bit of the controller, and no other`() {
        #expect(CBCentralManager.Feature([], usesExtendedCommands: false) == [])
        #expect(CBCentralManager.Feature([], usesExtendedCommands: true) == .extendedScanAndConnect)
        #expect(CBCentralManager.Feature(.le2M, usesExtendedCommands: false) == .le2M)
        #expect(CBCentralManager.Feature(.leCoded, usesExtendedCommands: false) == .leCoded)
        #expect(CBCentralManager.Feature(.llPrivacy, usesExtendedCommands: false) == .controllerPrivacy)
    }

    @Test func `a code of an attribute server is an octet`() {
        #expect(CBATTError.Code(rawValue: 0) == .success && CBATTError.Code(rawValue: 255)?.rawValue == 255)
        #expect(CBATTError.Code(rawValue: -1) == nil && CBATTError.Code(rawValue: 256) == nil)
    }
}
