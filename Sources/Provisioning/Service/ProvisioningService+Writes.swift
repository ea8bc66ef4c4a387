// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector
import CoreBluetooth
import Foundation
import Gateway
import Logging
import NetworkControl
import Operations
import Synchronization

/// Handles writes.
extension ProvisioningService {
    func write(
        _ values: [(item: Item, octets: [UInt8])], by phone: String, _ central: CBCentral
    ) async throws(WriteRefusal) {
        if values.allSatisfy({ $0.item.isStaged }) { return try stage(values, by: phone) }
        guard values.count == 1, let (item, octets) = values.first else {
            throw WriteRefusal(.notValid, "Only settings can be written together; one action at a time.")
        }
        switch item {
        case .networks: try scan(try PlainText.decode(octets), by: phone)
        case .time: try await setTime(try PlainText.decode(octets))
        case .acceptSensor: try await accept(octets)
        case .forgetSensor: try await forget(try PlainText.decode(octets))
        case .sensorPasskey: try await setPasskey(octets)
        case .identify:
            do throws(OperationError) { try await phones.ask(.identify) } catch {
                throw WriteRefusal(.notSupported, "This gateway has no LED that could blink.")
            }
        case .apply:
            try expect("apply", octets)
            try await apply(by: phone)
        case .rollBack: try await rollBack(try PlainText.decode(octets), by: phone)
        case .factoryReset:
            try expect("erase everything", octets)
            try resetToFactory()
        case .window:
            let action = try PlainText.decode(octets)
            do throws(OperationError) { try await phones.ask(.provision, ["action": action]) } catch {
                throw WriteRefusal(.notValid, "Write “open” or “close”.")
            }
        default: throw WriteRefusal(.writeNotPermitted, "This cannot be written.")
        }
    }

    private func expect(_ word: String, _ octets: [UInt8]) throws(WriteRefusal) {
        guard try PlainText.decode(octets) == word else { throw WriteRefusal(.notValid, "Write “\(word)”.") }
    }

    // MARK: Settings

    private func stage(_ values: [(item: Item, octets: [UInt8])], by phone: String) throws(WriteRefusal) {
        let result = state.withLock { state -> Result<Void, WriteRefusal> in
            guard !state.isApplying else { return .failure(.applying) }
            let known = state.networks
            do throws(WriteRefusal) {
                try state.staging.change(by: phone, at: .now) { changes throws(WriteRefusal) in
                    for (item, octets) in values { try changes.set(item, octets, known: known) }
                }
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
        ensureTicker()
        sendStatusSoon()
    }

    // MARK: At once

    private func setTime(_ text: String) async throws(WriteRefusal) {
        guard let time = UniversalTime(text) else {
            throw WriteRefusal(.notValid, "Write the time in UTC like 2026-06-30T21:40:12.480Z.")
        }
        do throws(OperationError) {
            try await phones.ask(.clockSet, ["unix_ms": time.unixMilliseconds])
        } catch {
            throw WriteRefusal(error)
        }
    }

    private func accept(_ octets: [UInt8]) async throws(WriteRefusal) {
        let message = try StrictMessage.decode(
            AcceptMessage.self, from: octets, keys: ["address", "id", "subscribe", "passkey", "label", "room"])
        var wish = message
        wish.address = try Self.address(message.address)
        if let passkey = message.passkey { wish.passkey = try Self.passkey(passkey) }
        do throws(OperationError) {
            if wish.isRenaming, try await isRenamed(wish) { return }
            try await phones.ask(.accept, wish)
        } catch {
            throw WriteRefusal(error)
        }
    }

    /// False if no sensor of this address was accepted yet.
    private func isRenamed(_ wish: AcceptMessage) async throws(OperationError) -> Bool {
        var names = ["sensor": wish.address]
        (names["label"], names["room"]) = (wish.label, wish.room)
        do throws(OperationError) {
            try await phones.ask(.rename, names)
            return true
        } catch {
            guard error.kind == .notFound else { throw error }
            return false
        }
    }

    private func forget(_ sensor: String) async throws(WriteRefusal) {
        guard (1...128).contains(sensor.utf8.count), PlainText.isPlain(sensor) else {
            throw WriteRefusal(.notValid, "Write the sensor's id or its address.")
        }
        do throws(OperationError) {
            try await phones.ask(.forget, ["sensor": sensor])
        } catch {
            throw WriteRefusal(error)
        }
    }

    private func setPasskey(_ octets: [UInt8]) async throws(WriteRefusal) {
        let message = try StrictMessage.decode(AcceptMessage.self, from: octets, keys: ["address", "passkey"])
        guard let passkey = message.passkey else { throw WriteRefusal(.notValid, "The key “passkey” is missing.") }
        let (secret, address) = (try Self.passkey(passkey), try Self.address(message.address))
        do throws(OperationError) {
            try await phones.ask(.passkey, ["sensor": address, "passkey": secret])
        } catch {
            throw WriteRefusal(error)
        }
    }

    /// `C4:7C:8D:00:11:22`, in capitals.
    private static func address(_ text: String) throws(WriteRefusal) -> String {
        let octets = text.split(separator: ":", omittingEmptySubsequences: false)
        guard octets.count == 6,
            octets.allSatisfy({ $0.utf8.count == 2 && $0.allSatisfy { $0.isASCII && $0.isHexDigit } })
        else { throw WriteRefusal(.notValid, "The address has to be like C4:7C:8D:00:11:22.") }
        return text.uppercased()
    }

    private static func passkey(_ digits: String) throws(WriteRefusal) -> String {
        guard digits.utf8.count == 6, digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { throw WriteRefusal(.notValid, "A passkey has six digits.") }
        return digits
    }
}

extension ProvisioningTable.Item {
    /// The value waits for Apply.
    fileprivate var isStaged: Bool {
        switch self {
        case .name, .country, .wireless, .broker, .authority, .authorityData: true
        default: false
        }
    }
}

extension StagedChanges {
    fileprivate mutating func set(
        _ item: ProvisioningTable.Item, _ octets: [UInt8], known: [WirelessNetwork]
    ) throws(WriteRefusal) {
        switch item {
        case .name: try setName(octets)
        case .country: try setCountry(octets)
        case .wireless: try setWireless(octets, known: known)
        case .broker: try setBroker(octets)
        case .authority: authority = try StagedAuthority(announced: octets, continuing: authority)
        case .authorityData:
            guard authority?.hash != nil else {
                throw WriteRefusal(.nothingThere, "Write size and hash to CA certificate first.")
            }
            try authority?.add(octets)
        default: throw WriteRefusal(.writeNotPermitted, "This cannot be written.")
        }
    }
}

extension WriteRefusal {
    static var applying: Self { Self(.busy, "Changes are being applied; wait for the end.") }
}
