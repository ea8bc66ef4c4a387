// SPDX-License-Identifier: Apache-2.0

import BluetoothHost

/// Additive: counts of a controller's host stack since the controller was opened. Counts only grow.
public struct CBControllerStatistics: Codable, Hashable, Sendable {
    /// Advertisements and scan responses.
    public let advertisingReports: UInt64
    /// Notifications from peripherals.
    public let notifications: UInt64
    /// Indications from peripherals.
    public let indications: UInt64
    /// Notifications and indications of characteristics without a subscription.
    public let unclaimedValues: UInt64
    /// Links that were established.
    public let connections: UInt64
    /// Links that ended.
    public let disconnections: UInt64
    /// Malformed packets from the controller.
    public let malformedPackets: UInt64
    /// L2CAP fragments that the host dropped.
    public let droppedFragments: UInt64
    /// Data for unknown links or channels.
    public let undeliverableFrames: UInt64
    /// ATT PDUs without a request.
    public let unexpectedPDUs: UInt64
    /// Writes without response that found no place in the queue of their link.
    public let writeCommandsDropped: UInt64
    /// Managers whose delegates handled nothing for 5 s while others had to wait for them. Their connections were ended; when
    /// they go on, their state is `resetting` for a moment, and they begin anew.
    public let managersCutOff: UInt64
    /// Batches of events that the host withheld from these managers meanwhile.
    public let batchesWithheld: UInt64
    /// Packets of the controller that the kernel dropped, as they were not read in time.
    public let packetsLost: UInt64
    /// Commands without an answer from the controller in time.
    public let commandTimeouts: UInt64
    /// Hardware errors that the controller reported.
    public let hardwareErrors: UInt64
    /// How often the controller had to be reset.
    public let restarts: UInt64

    init(_ counters: HostCounters, unclaimedValues: UInt64) {
        self.unclaimedValues = unclaimedValues
        advertisingReports = counters.advertisingReports
        notifications = counters.notifications
        indications = counters.indications
        connections = counters.connections
        disconnections = counters.disconnections
        malformedPackets = counters.malformedPackets
        droppedFragments = counters.droppedFragments
        undeliverableFrames = counters.unknownHandles + counters.unknownChannels
        unexpectedPDUs = counters.unexpectedPDUs
        writeCommandsDropped = counters.writeCommandsDropped
        managersCutOff = counters.clientsCutOff
        batchesWithheld = counters.batchesWithheld
        packetsLost = counters.packetsLost
        commandTimeouts = counters.commandTimeouts
        hardwareErrors = counters.hardwareErrors
        restarts = counters.restarts
    }
}
