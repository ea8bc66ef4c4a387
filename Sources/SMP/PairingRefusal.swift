// SPDX-License-Identifier: Apache-2.0

/// Answers the Security Manager channel of a host that pairs with nobody. Core 5.4, Vol 3, Part H, 3.5.5.
package enum PairingRefusal {
    /// The answer to a command: Pairing Failed with «pairing not supported», or nothing to a Pairing Failed.
    package static func answer(to command: ArraySlice<UInt8>) -> [UInt8]? {
        guard let code = command.first, code != SMPPDU.failedCode else { return nil }
        return SMPPDU.pairingFailed(.pairingNotSupported).octets
    }
}
