// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Dispatch
import Foundation

/// Reads the key of a sensor's Encrypted Advertising Data from the sensor's own characteristic Encrypted Data Key
/// Material (Core 5.4, Vol 3, Part C, 12.6), on a link for this read alone.
///
/// The read needs an encrypted link, so a sensor without a bond is paired first. A bond that brings no key goes again.
struct KeyMaterialReading: Sendable {
    struct Failure: Error {
        let text: String
        /// The pairing failed after it had begun.
        var isOfPairing = false
    }

    private static let service = CBUUID(string: "1800")
    private static let characteristic = CBUUID(string: "2B88")
    /// For each answer of the sensor.
    private static let patience: Duration = .seconds(10)

    let identifier: UUID
    let controller: CBController
    /// For a sensor without a bond; nil: the sensor is not paired.
    let pairing: CBPairingOptions?
    /// The entry has a passkey, so only a bond with this proof will do.
    let needsAuthentication: Bool

    /// The octets of the characteristic, and the bond that the read has made.
    func run() async throws(Failure) -> (key: [UInt8], bond: CBBond?) {
        let manager = CBCentralManager(
            delegate: nil, queue: DispatchQueue(label: "martlet.key-material"),
            options: [CBCentralManagerOptionControllerKey: controller])
        defer { withExtendedLifetime(manager) {} }
        let peripheral = try await link(by: manager)
        let answer: Result<(key: [UInt8], bond: CBBond?), Failure>
        do throws(Failure) {
            answer = .success(try await read(peripheral))
        } catch {
            answer = .failure(error)
        }
        try? await peripheral.disconnect(timeout: .seconds(5))
        return try answer.get()
    }

    private func link(by manager: CBCentralManager) async throws(Failure) -> CBPeripheral {
        do {
            try await manager.waitUntilPoweredOn(timeout: Self.patience)
            guard let peripheral = manager.retrievePeripherals(withIdentifiers: [identifier]).first else {
                throw CBError(.unknownDevice)
            }
            try await peripheral.connect(timeout: .seconds(20))
            controller.hideValues(of: peripheral)
            return peripheral
        } catch {
            throw Failure(text: "the connection failed: \(error.localizedDescription)")
        }
    }

    private func read(_ peripheral: CBPeripheral) async throws(Failure) -> (key: [UInt8], bond: CBBond?) {
        let made = try await secure(peripheral)
        do {
            let found = try await peripheral.characteristic(Self.characteristic, in: Self.service)
            return ([UInt8](try await peripheral.value(for: found, timeout: Self.patience)), made)
        } catch {
            if let made { controller.removeBond(withIdentifier: made.identifier) }
            throw Failure(text: Self.reason(error))
        }
    }

    /// Pairs with a sensor without a bond. The host encrypts a link with the key of a bond before each other request.
    private func secure(_ peripheral: CBPeripheral) async throws(Failure) -> CBBond? {
        if let bond = controller.bond(withIdentifier: identifier) {
            guard bond.isAuthenticated || !needsAuthentication else {
                throw Failure(text: "the sensor is paired, but not with its passkey")
            }
            return nil
        }
        guard let pairing else { throw Failure(text: "the sensor has to be paired, and its entry forbids this") }
        do {
            return try await controller.pair(peripheral, options: pairing, timeout: Collector.pairingLimit)
        } catch {
            let isBeforehand = (error as? CBPairingError)?.code.isBeforehand == true
            throw Failure(text: "pairing failed: \(error.localizedDescription)", isOfPairing: !isBeforehand)
        }
    }

    private static func reason(_ error: any Error) -> String {
        switch (error as? CBATTError)?.code {
        case .attributeNotFound?: "the sensor has no characteristic 2B88"
        case .insufficientAuthorization?: "the sensor wants a person to agree"
        case .insufficientAuthentication?, .insufficientEncryption?, .insufficientEncryptionKeySize?:
            "the sensor wants a better bond: give its entry a passkey, then pair anew"
        default: "the read failed: \(error.localizedDescription)"
        }
    }
}
