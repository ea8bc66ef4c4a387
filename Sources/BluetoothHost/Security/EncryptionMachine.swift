// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GATT
import HCI

/// One link's way to encryption, and to another key. The protection by a key counts only while the controller reports
/// encryption with this key. Core 5.4, Vol 3, Part C, 10.2.
package struct EncryptionMachine: Sendable {
    package enum Outcome: Equatable, Sendable {
        /// The event was not awaited.
        case ignored
        case encrypted
        /// The link may not be used any more.
        case failed(HCIStatus)
    }

    private enum Phase {
        case plain
        /// We asked for encryption as the Central, or gave our key as the Peripheral.
        case starting
        case encrypted
        /// Encrypted, and a change of the key is under way.
        case refreshing
        case failed
    }

    /// Time limit of a change. The link layer would wait 40 s (Core 5.4, Vol 6, Part B, 5.2), but a held attribute
    /// request has only 30 s, and would then fail without a known reason.
    package static let timeout: Duration = .seconds(25)

    /// Only a Central may start.
    package let isCentral: Bool
    private var phase = Phase.plain
    /// The protection by the coming key, and by the key in use.
    private var coming: LinkSecurity?
    private var current: LinkSecurity?
    private var comingIsBonds = false
    private var currentIsBonds = false
    /// When ``expire(at:)`` has to be called.
    package private(set) var deadline: MonotonicTime?

    package init(isCentral: Bool) { self.isCentral = isCentral }

    /// The link's protection; nil while the link is plain.
    package var security: LinkSecurity? { isEncrypted ? current : nil }

    /// The link is encrypted with a bond's key, so the peer's identity is proven.
    package var usesBond: Bool { isEncrypted && currentIsBonds }

    package var isEncrypted: Bool {
        switch phase {
        case .encrypted, .refreshing: true
        case .plain, .starting, .failed: false
        }
    }

    /// The controller is busy with a change.
    package var isChanging: Bool { deadline != nil }

    package var hasFailed: Bool { phase == .failed }

    /// Nothing is to be sent until the link is encrypted.
    package var holdsData: Bool {
        switch phase {
        case .starting: isCentral
        case .plain, .encrypted, .refreshing, .failed: false
        }
    }

    /// The key of a bond is handed to the controller; false while another key is on its way, or after a failure.
    package mutating func start(with bond: Bond, at now: MonotonicTime) -> Bool {
        guard start(with: bond.security, at: now) else { return false }
        comingIsBonds = true
        return true
    }

    /// The key in use has become a bond's key.
    package mutating func keyIsBonds() { currentIsBonds = isEncrypted }

    /// The key of a pairing is handed to the controller; false while another key is on its way, or after a failure.
    package mutating func start(with security: LinkSecurity, at now: MonotonicTime) -> Bool {
        switch phase {
        case .plain: phase = .starting
        case .encrypted: phase = .refreshing
        // A Central that asks again means another key. The last answer counts.
        case .starting, .refreshing: guard !isCentral else { return false }
        case .failed: return false
        }
        coming = security
        coming?.isEncrypted = true
        comingIsBonds = false
        deadline = now + Self.timeout
        return true
    }

    /// Takes Encryption Change or Encryption Key Refresh Complete. `keySize`: nil if the controller does not tell it.
    package mutating func changed(
        _ status: HCIStatus, isEnabled: Bool, keySize: UInt8?, minimumKeySize: UInt8
    ) -> Outcome {
        guard phase != .failed else { return .ignored }
        guard status == .success else {
            // A failure without a request changes nothing.
            return isChanging ? fail(status) : .ignored
        }
        // Vol 6, Part B, 5.1.3: LE links never become plain again.
        guard isEnabled else { return isEncrypted || isChanging ? fail(.unspecifiedError) : .ignored }
        // The link is encrypted with a key that we have not given.
        guard var coming else { return fail(.unspecifiedError) }
        if let keySize { coming.keySize = min(coming.keySize, keySize) }
        guard coming.keySize >= minimumKeySize else { return fail(.insufficientSecurity) }
        phase = .encrypted
        current = coming
        currentIsBonds = comingIsBonds
        self.coming = nil
        deadline = nil
        return .encrypted
    }

    /// The controller refused the command, or the link ended; nil when encryption was not under way.
    package mutating func refused(_ status: HCIStatus) -> HCIStatus? {
        guard isChanging else { return nil }
        _ = fail(status)
        return status
    }

    /// The controller has not reported the outcome in time.
    package mutating func expire(at now: MonotonicTime) -> HCIStatus? {
        guard let deadline, deadline <= now else { return nil }
        return refused(.llResponseTimeout)
    }

    private mutating func fail(_ status: HCIStatus) -> Outcome {
        phase = .failed
        coming = nil
        current = nil
        deadline = nil
        return .failed(status)
    }
}
