// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import Synchronization

/// The events of which iOS tells the user of a suspended application. The system never suspends a daemon, and its
/// operator reads the journal: the event is a notice in the log.
struct ConnectNotices: OptionSet, Sendable {
    let rawValue: UInt8

    static let connection = Self(rawValue: 1 << 0)
    static let disconnection = Self(rawValue: 1 << 1)
    static let notification = Self(rawValue: 1 << 2)

    /// Between two notices of notifications from one peripheral: a sensor sends several a second.
    static let pause: Duration = .seconds(10)

    init(rawValue: UInt8) { self.rawValue = rawValue }

    init(_ options: [String: Any]?) {
        self = []
        if CBCentralManager.flag(options, CBConnectPeripheralOptionNotifyOnConnectionKey) { insert(.connection) }
        if CBCentralManager.flag(options, CBConnectPeripheralOptionNotifyOnDisconnectionKey) { insert(.disconnection) }
        if CBCentralManager.flag(options, CBConnectPeripheralOptionNotifyOnNotificationKey) { insert(.notification) }
    }
}

extension CBPeripheral {
    /// Writes a notice if the application asked for notices of `event`.
    func notice(
        _ event: ConnectNotices, _ message: Logger.Message, _ metadata: Logger.Metadata = [:], to logger: Logger
    ) {
        let (isWanted, name) = changing.withLock { state in
            defer { if event == .notification { state.noticed = .now } }
            return (state.notices.contains(event), state.name)
        }
        guard isWanted else { return }
        let peer: Logger.Metadata = ["peer": "\(address)", "peer.name": "\(name ?? "-")"]
        logger.notice(message, metadata: peer.merging(metadata) { first, _ in first })
    }
}

extension CBPeripheral.State {
    /// Notices of notifications are on, and the last notice is old enough.
    var owesNotice: Bool {
        guard notices.contains(.notification) else { return false }
        return noticed.map { .now - $0 >= ConnectNotices.pause } ?? true
    }
}
