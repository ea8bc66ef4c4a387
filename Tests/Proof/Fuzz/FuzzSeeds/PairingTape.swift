// SPDX-License-Identifier: Apache-2.0

/// One pairing as an input of the target `smp`: our machine's setup, then its events.
package struct PairingTape {
    private var script: FuzzScript

    /// An event of the machine.
    package enum Step: UInt8, CaseIterable {
        case received
        /// The link is encrypted with the pairing's key, if the pairing has one.
        case encrypted
        case encryptedOtherwise
        case waits
        case cancelled
        case encryptionFails
        case disconnected
        case answersAgain
    }

    package init(_ setup: PairingSetup) { script = FuzzScript([FuzzFormats.lonePairing, 0] + setup.octets) }

    package mutating func received(_ pdu: [UInt8]) {
        guard pdu.count < 256 else { return }
        script.add(Step.received.rawValue)
        script.add(counted: pdu)
    }

    package mutating func encrypted() { script.add(Step.encrypted.rawValue) }

    package func write(to folder: SeedFolder) {
        folder.write(Array(script.octets.prefix(FuzzFormats.Limit.pairing)), for: "smp")
    }
}
