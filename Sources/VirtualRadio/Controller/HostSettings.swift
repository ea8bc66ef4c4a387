// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// All settings of a host in its controller; HCI Reset makes them new.
struct HostSettings {
    /// Core 5.4, Vol 4, Part E, 7.3.1: LE Meta events are masked until the host asks for them.
    var eventMask: UInt64 = 0x0000_1FFF_FFFF_FFFF
    /// Core 5.4, Vol 4, Part E, 7.8.1.
    var leEventMask: UInt64 = 0x1F
    var randomAddress: DeviceAddress?
    var commandSet: CommandSet?

    var legacyAdvertising = AdvertisingSet()
    var advertisingSets: [UInt8: AdvertisingSet] = [:]
    var scanner = Scanner()
    var initiator: Initiator?
    var acceptList: [DeviceAddress] = []
    var resolvingList = ResolvingList()

    var links: [UInt16: HostLink] = [:]
    /// ACL data packets of all links that the controller still holds.
    var outstanding = 0
    var suggestedTransmitOctets: UInt16 = 27
    var suggestedTransmitTime: UInt16 = 328
    var defaultPHYs: UInt8 = 0b11
}

/// The family of advertising, scanning and initiating commands that the host uses. The host must not mix the two
/// families. Core 5.4, Vol 4, Part E, 3.1.1.
enum CommandSet {
    case legacy
    case extended
}

/// A connection in the view of one host.
struct HostLink {
    let link: Link
    let role: LinkRole
    /// The peer, by its identity if the identity is known.
    let peer: DeviceAddress
    /// ACL data packets of the host that the peer has not received yet.
    var outstanding = 0
    /// The host owes an answer to LE Long Term Key Request.
    var awaitsKey = false
    /// Packets to report with the next Number Of Completed Packets.
    var completed = 0
}

struct Scanner {
    var isEnabled = false
    var isActive = false
    var ownAddressType: UInt8 = 0
    var usesAcceptList = false
    /// Bit 0: LE 1M, bit 2: LE Coded.
    var phys: UInt8 = 1
    /// In units of 0.625 ms.
    var interval: UInt16 = 0x10
    var window: UInt16 = 0x10
    var filtersDuplicates = false
    /// Each new period forgets the duplicates.
    var forgetsEachPeriod = false
    var startedAt = MonotonicTime.zero
    /// Zero: for ever.
    var duration: Duration = .zero
    var period: Duration = .zero
    var currentPeriod: Int64 = 0
    var seen: Set<SeenAdvertisement> = []

    /// The size of a real controller's duplicate filter, roughly.
    static let seenCapacity = 512
}

struct SeenAdvertisement: Hashable {
    let address: DeviceAddress?
    let eventType: UInt16
    let setID: UInt8
}

struct Initiator {
    /// Bit 0: LE 1M, bit 2: LE Coded.
    var phys: UInt8 = 1
    /// Nil: any peer in the Filter Accept List.
    var peer: DeviceAddress?
    var ownAddressType: UInt8
    var parameters: ConnectionParameters
    var interval: UInt16
    var window: UInt16
    var startedAt: MonotonicTime
}

/// An initiator's answer to an advertisement.
struct ConnectionRequest {
    let initiator: DeviceAddress
    let parameters: ConnectionParameters
}

/// Whether a window of `window` in each `interval` (units of 0.625 ms) is open at `now`; the first window began at
/// `start`.
func isOpen(window: UInt16, interval: UInt16, since start: MonotonicTime, at now: MonotonicTime) -> Bool {
    guard window < interval else { return true }
    return (now.nanoseconds - start.nanoseconds) % (Int64(interval) * 625_000) < Int64(window) * 625_000
}
