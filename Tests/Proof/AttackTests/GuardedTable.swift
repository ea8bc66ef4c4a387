// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import BluetoothHost
import GATT

@testable import HostBench

/// Our server's table under attack: some values are open to every peer, and some are closed to every attacker.
enum GuardedTable {
    static let start: UInt16 = 0x20
    /// Read only, known to the server: 01 02 03.
    static let fixed: UInt16 = 0x22
    /// Read and written, with and without response, at most 10 octets.
    static let writable: UInt16 = 0x24
    /// Notified and indicated.
    static let updated: UInt16 = 0x26
    static let updatedConfiguration: UInt16 = 0x27
    /// Read and written, up to 512 octets.
    static let long: UInt16 = 0x29

    /// Known to the server; only its value is protected.
    static let sealed: UInt16 = 0x2B
    /// Each access to these handles needs the protection in the handle's name.
    static let encrypted: UInt16 = 0x2D
    static let encryptedConfiguration: UInt16 = 0x2E
    static let encryptedDescriptor: UInt16 = 0x2F
    static let authenticated: UInt16 = 0x31
    static let authenticatedConfiguration: UInt16 = 0x32
    static let secureConnections: UInt16 = 0x34
    static let secureConnectionsConfiguration: UInt16 = 0x35
    static let authorized: UInt16 = 0x37
    static let authorizedConfiguration: UInt16 = 0x38
    static let end: UInt16 = 0x38
    /// No attribute is there.
    static let nowhere: UInt16 = 0x00F0

    /// Handles from which nothing may come, and to which nothing may get, on a link without protection.
    static let guarded: Set<UInt16> = [
        sealed, encrypted, encryptedDescriptor, authenticated, secureConnections, authorized,
    ]
    static let guardedConfigurations: [(value: UInt16, configuration: UInt16)] = [
        (encrypted, encryptedConfiguration), (authenticated, authenticatedConfiguration),
        (secureConnections, secureConnectionsConfiguration), (authorized, authorizedConfiguration),
    ]

    private static let mark: [UInt8] = [0xCA, 0x9A, 0x7E, 0x5D]

    /// A protected value's octets, for any length.
    static func canary(_ count: Int) -> [UInt8] { (0..<count).map { mark[$0 & 3] } }

    /// Any three octets in a row that occur only in a protected value.
    static let traces: Set<UInt32> = Set(
        (0..<4).map { first in
            (0..<3).reduce(0) { $0 << 8 | UInt32(mark[(first + $1) & 3]) }
        })

    private static func guarded(
        _ uuid: UInt16, _ access: AttributeAccess, descriptors: [LocalDescriptor] = []
    ) -> LocalCharacteristic {
        LocalCharacteristic(
            uuid: BluetoothUUID(uuid), properties: [.read, .write, .writeWithoutResponse, .notify, .indicate],
            read: access, write: access, notify: access, descriptors: descriptors)
    }

    static let service = LocalService(
        uuid: BluetoothUUID(UInt16(0xFFF0)),
        characteristics: [
            LocalCharacteristic(
                uuid: BluetoothUUID(UInt16(0xFFF1)), properties: .read, value: [1, 2, 3], write: .denied),
            LocalCharacteristic(
                uuid: BluetoothUUID(UInt16(0xFFF2)), properties: [.read, .write, .writeWithoutResponse],
                maximumLength: 10),
            LocalCharacteristic(uuid: BluetoothUUID(UInt16(0xFFF3)), properties: [.read, .notify, .indicate]),
            LocalCharacteristic(uuid: BluetoothUUID(UInt16(0xFFF4)), properties: [.read, .write]),
            LocalCharacteristic(
                uuid: BluetoothUUID(UInt16(0xFFF5)), properties: .read, value: canary(512), read: .encrypted,
                write: .denied),
            guarded(
                0xFFF6, .encrypted,
                descriptors: [
                    LocalDescriptor(
                        uuid: BluetoothUUID(UInt16(0x2901)), value: canary(20), read: .encrypted, write: .denied)
                ]),
            guarded(0xFFF7, .authenticated),
            guarded(0xFFF8, AttributeAccess(level: .secureConnections)),
            guarded(0xFFF9, AttributeAccess(needsAuthorization: true)),
        ])
}

/// Owns ``GuardedTable/service``: answers our server's requests, and notes requests that should not have come.
final class GuardedOwner {
    /// By handle; protected ones not.
    private(set) var values: [UInt16: [UInt8]] = [
        GuardedTable.writable: [0x70], GuardedTable.updated: [0],
        GuardedTable.long: [UInt8](repeating: 0x33, count: 512),
    ]
    private(set) var writes: [[WriteItem]] = []
    /// Protected handles which a peer has reached.
    private(set) var breaches: [UInt16] = []
    /// Whether links may be protected, so that access to those handles is right.
    var expectsTrust = false
    /// Requests are kept, not answered.
    var holdsAnswers = false
    private(set) var heldReads: [ServerRequest] = []
    private(set) var heldWrites: [ServerRequest] = []

    func take(_ event: ServerEvent, _ bench: Bench) {
        switch event {
        case .read(let request, let handle, let offset):
            record(handle)
            guard !holdsAnswers else { heldReads.append(request); return }
            let value = GuardedTable.guarded.contains(handle) ? GuardedTable.canary(512) : values[handle] ?? []
            bench.host.answer(
                read: request, offset <= value.count ? .success(Array(value[offset...])) : .failure(.invalidOffset),
                at: bench.now)
        case .write(_, let request, let items):
            for item in items {
                record(item.handle)
                guard !GuardedTable.guarded.contains(item.handle) else { continue }
                let old = item.offset == 0 ? [] : values[item.handle] ?? []
                values[item.handle] = Array(old.prefix(item.offset)) + item.value
            }
            writes.append(items)
            guard let request else { return }
            guard !holdsAnswers else { heldWrites.append(request); return }
            bench.host.answer(write: request, nil, at: bench.now)
        case .subscription(_, let handle, let isOn):
            if isOn { record(handle) }
        case .updateFinished, .requestUnanswered: break
        }
    }

    private func record(_ handle: UInt16) {
        if GuardedTable.guarded.contains(handle), !expectsTrust { breaches.append(handle) }
    }

    func forgetWrites() { writes = [] }
    func forgetReads() { heldReads = [] }
}
