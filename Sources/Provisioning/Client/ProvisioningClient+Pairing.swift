// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Dispatch
import Synchronization

extension ProvisioningClient {
    /// The error with the gateway's own hint: the gateway knows whether it lets phones pair now.
    private func passkeyWanted() async -> ProvisioningClientError {
        let words = (try? await presentation().nextStep).map { " It says: \($0)" } ?? ""
        return ProvisioningClientError(
            .passkeyWanted,
            "The gateway wants the passkey of its screen or its label: give one with --passkey -.\(words)"
        )
    }

    /// Connects, and makes sure that this machine may read owners' values.
    package func open(
        _ passkey: (_ trouble: ProvisioningClientError?) async -> CBPasskey?
    ) async throws(ProvisioningClientError) {
        do throws(ProvisioningClientError) {
            try await connect()
        } catch  where error.kind == .bondLost {
            // A new bond replaces the lost bond.
        }
        try await authenticate(passkey)
    }

    /// Makes sure that this machine may read owners' values: by the keys of a bond, or by pairing with a passkey.
    ///
    /// Reads a protected value first, because the answer shows whether pairing is needed at all.
    ///
    /// - Parameter passkey: called before each attempt to pair, with the reason of the last failure; returns the
    ///   passkey shown by the gateway, or nil to give up. No time limit runs meanwhile.
    package func authenticate(
        _ passkey: (_ trouble: ProvisioningClientError?) async -> CBPasskey?
    ) async throws(ProvisioningClientError) {
        if try await isOwner() { return }
        // The keys of a bond that failed are useless.
        var trouble: ProvisioningClientError? = isBonded ? .bondLost : nil
        while true {
            guard let passkey = await passkey(trouble) else {
                if let trouble { throw trouble }
                throw await passkeyWanted()
            }
            do throws(ProvisioningClientError) {
                try await pair(with: passkey, anew: trouble != nil)
                guard try await isOwner() else {
                    throw ProvisioningClientError(
                        .pairing, "The gateway has paired, and lets this machine do nothing: update it.")
                }
                return
            } catch  where error.kind == .wrongPasskey {
                trouble = error
            }
        }
    }

    /// False if the gateway requires a pairing.
    private func isOwner() async throws(ProvisioningClientError) -> Bool {
        do {
            _ = try await read(.lastError)
            return true
        } catch {
            switch error.kind {
            case .refused(0x05), .refused(0x08), .refused(0x0C), .refused(0x0F), .bondLost: return false
            // The other side may end the connection over unknown keys.
            case .linkLost where isBonded: return false
            default: throw error
            }
        }
    }

    /// `anew`: after a failed attempt, the connection may not serve for another attempt. Core 5.4, Vol 3, Part H, 3.4.
    private func pair(with passkey: CBPasskey, anew: Bool) async throws(ProvisioningClientError) {
        if anew || peripheral.state != .connected {
            await disconnect()
            // The removal of the bond would end its connection.
            if isBonded { controller.removeBond(for: peripheral) }
            try await connect()
        }
        agent.enter(passkey)
        defer { agent.enter(nil) }
        do {
            _ = try await controller.pair(
                peripheral, options: CBPairingOptions(capability: .keyboard, requiresAuthentication: true))
        } catch let error as CBPairingError {
            throw ProvisioningClientError(error)
        } catch {
            throw ProvisioningClientError(.pairing, "Pairing failed. \(error.localizedDescription)")
        }
    }
}

/// Enters a passkey that a person has read from the gateway; refuses all other requests.
final class PasskeyAgent: CBPairingAgent, Sendable {
    let queue = DispatchQueue(label: "martlet.configure.pairing")
    private let passkey = Mutex<CBPasskey?>(nil)

    func enter(_ new: CBPasskey?) { passkey.withLock { $0 = new } }

    func controller(_ controller: CBController, didReceive request: CBPairingRequest) {
        guard request.isOurs, request.kind == .enterPasskey, let passkey = passkey.withLock({ $0 }) else {
            request.respond(with: .refuse)
            return
        }
        request.respond(with: .passkey(passkey))
    }
}
