// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Foundation
import GATT
import L2CAP
import Testing
import TestSupport
import VirtualRadio

@testable import CoreBluetooth

/// Clauses of the tables of errors in docs/core-bluetooth.md.
@Suite(.timeLimit(.minutes(10)))
struct ErrorClauseTests {
    static let failures: [(GATTError, CBError.Code)] = [
        (.timedOut, .connectionTimeout), (.malformed, .unknown), (.disconnected, .notConnected),
        (.notSent, .notConnected), (.queueFull, .outOfSpace),
    ]

    @Test(arguments: failures) func `each failure of a request is Apple's error`(failure: GATTError, code: CBError.Code)
    {
        #expect((failure.asError as? CBError)?.code == code)
    }

    @Test func `requests and writes that wait are bounded`() {
        #expect(GATTClientMachine.capacity == 64 && WriteCommandRoom.limit == 16)
    }

    @Test func `a full table of bonds is Apple's error`() {
        #expect(CBPairingError(.tooManyBonds).coreBluetoothCode == .tooManyLEPairedDevices)
    }

    @Test(arguments: zip([0, 1_000, 1_500, 59_999], [1, 2, 2, 60]))
    func `a refused pairing says when another may begin`(milliseconds: Int, seconds: Int) throws {
        let error = try #require(CBPairingError(.tooSoon(.milliseconds(milliseconds))))
        #expect(error.code == .tooManyAttempts && error.detail == "another may begin in \(seconds) s")
        #expect(error.localizedDescription.contains("\(seconds) s"))
    }

    static let publishing: [(GATTDatabaseError, CBError.Code)] = [
        (.handlesTaken, .invalidHandle), (.tableFull, .outOfSpace), (.tooManyServices, .outOfSpace),
        (.typeNotAllowed(BluetoothUUID(0x1801 as UInt16)), .uuidNotAllowed),
        (.valueTooLong(BluetoothUUID(0x2A38 as UInt16)), .invalidParameters), (.notPublished(1), .invalidParameters),
    ]

    @Test(arguments: publishing)
    func `each failure of the database is Apple's error`(failure: GATTDatabaseError, code: CBError.Code) {
        #expect(CBError(failure).code == code)
    }

    static let channels: [(ChannelFailure, CBError.Code)] = [
        (.refused(.spsmNotSupported), .operationNotSupported), (.notSupported, .operationNotSupported),
        (.refused(.noResources), .outOfSpace), (.tooManyChannels, .outOfSpace), (.timedOut, .connectionTimeout),
        (.linkLost, .notConnected), (.abandoned, .operationCancelled),
    ]

    @Test(arguments: channels)
    func `each failure of a channel is Apple's error`(failure: ChannelFailure, code: CBError.Code) {
        #expect((failure.asError as? CBError)?.code == code)
    }

    @Test func `descriptors of the host are not published`() async throws {
        let central = try Application()
        let peripheral = try PeripheralApplication(on: central.radio)
        let manager = try await peripheral.makeManager()
        let refused = "added CBErrorDomain \(CBError.uuidNotAllowed.rawValue)"
        // 2901 is the program's own.
        for (uuid, isRefused) in [("2900", true), ("2902", true), ("2903", true), ("2901", false)] {
            let value = CBMutableCharacteristic(
                type: CBUUID(string: "2A38"), properties: .read, value: nil, permissions: .readable)
            let content: Any = isRefused ? NSNumber(value: 1) : "Place"
            value.descriptors = [CBMutableDescriptor(type: CBUUID(string: uuid), value: content)]
            let service = CBMutableService(type: CBUUID(string: "180D"), primary: true)
            service.characteristics = [value]
            try await peripheral.publish(service, with: manager)
            #expect(peripheral.calls.last == (isRefused ? refused : "added"), "\(uuid)")
        }
    }

    @Test func `services of the host are not published`() async throws {
        let central = try Application()
        let peripheral = try PeripheralApplication(on: central.radio)
        let manager = try await peripheral.makeManager()
        let refused = "added CBErrorDomain \(CBError.uuidNotAllowed.rawValue)"
        // The last one is GAP with all its octets. 180A is the program's own.
        let rows = [
            ("1800", true, refused), ("1801", true, refused), ("1800", false, refused),
            ("00001800-0000-1000-8000-00805F9B34FB", true, refused), ("180A", true, "added"),
        ]
        for (uuid, isPrimary, outcome) in rows {
            let service = CBMutableService(type: CBUUID(string: uuid), primary: isPrimary)
            try await peripheral.publish(service, with: manager)
            #expect(peripheral.calls.last == outcome, "\(uuid)")
        }
    }

    @Test func `a peripheral whose manager is gone is an unknown device`() async throws {
        let application = try Application()
        _ = application.addSensor(.counter)
        func connected() async throws -> CBPeripheral {
            let manager = try await application.makeManager()
            return try await application.connect(with: manager)
        }
        let peripheral = try await connected()
        // A delegate's call may still hold the manager.
        let code = await firstAnswer(where: { $0 == .unknownDevice }) { () -> CBError.Code? in
            do { _ = try await peripheral.rssi() } catch { return (error as? CBError)?.code }
            return nil
        }
        #expect(code == .unknownDevice)
        await #expect(throws: CBError(.unknownDevice)) { try await peripheral.connect() }
    }
}
