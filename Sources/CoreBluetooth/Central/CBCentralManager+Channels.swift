// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import L2CAP

/// Answers to requests for channels, on the manager's queue.
extension CBCentralManager {
    func handle(_ event: ChannelEvent) {
        switch event {
        case .opened(let opening):
            guard opening.client == client, let id = opening.request else { return }
            guard let peripheral = takeRequest(id)?.peripheral, let delegate = peripheral.delegate else {
                channels.discard(opening)
                return
            }
            delegate.peripheral(
                peripheral, didOpen: channels.makeChannel(opening, peer: peripheral), error: nil)
        case .failed(let id, let failure):
            guard id.client == client, let peripheral = takeRequest(id)?.peripheral else { return }
            peripheral.delegate?.peripheral(peripheral, didOpen: nil, error: failure.asError)
        case .data, .ready, .closed:
            // The hub has taken them.
            break
        }
    }
}

extension ChannelFailure {
    /// The error for delegates. If security is missing, it is the attribute server's error, as on Apple's systems.
    var asError: any Error {
        switch self {
        case .refused(.insufficientAuthentication): CBATTError(.insufficientAuthentication)
        case .refused(.insufficientAuthorization): CBATTError(.insufficientAuthorization)
        case .refused(.encryptionKeySizeTooShort): CBATTError(.insufficientEncryptionKeySize)
        case .refused(.insufficientEncryption): CBATTError(.insufficientEncryption)
        case .refused(.spsmNotSupported): CBError(.operationNotSupported, detail: "the peer does not offer this PSM")
        case .refused(.noResources): CBError(.outOfSpace, detail: "the peer has no room for another channel")
        case .refused(let result): CBError(.unknown, detail: "the peer refused with result \(result.rawValue)")
        case .notSupported: CBError(.operationNotSupported, detail: "the peer has no L2CAP channels")
        case .timedOut: CBError(.connectionTimeout, detail: "the peer did not answer for 30 s")
        case .badAnswer: CBError(.unknown, detail: "the peer's answer makes no channel")
        case .tooManyChannels: CBError(.outOfSpace, detail: "too many channels on this link")
        case .abandoned: CBError(.operationCancelled)
        case .linkLost: CBError(.notConnected)
        }
    }
}
