// SPDX-License-Identifier: Apache-2.0

/// What the host has seen since it started; nothing that it throws away goes uncounted.
package struct HostCounters: Equatable, Sendable {
    package var eventsReceived: UInt64 = 0
    package var aclPacketsReceived: UInt64 = 0
    package var advertisingReports: UInt64 = 0
    package var notifications: UInt64 = 0
    package var indications: UInt64 = 0
    package var connections: UInt64 = 0
    package var disconnections: UInt64 = 0
    /// Connections that peers made to us; they are among the others as well.
    package var centralConnections: UInt64 = 0
    /// Those among them that nobody had advertised for; they are ended.
    package var uninvitedConnections: UInt64 = 0
    /// HCI packets that could not be read.
    package var malformedPackets: UInt64 = 0
    /// ACL data for no link of ours, or for one that the controller tells of only afterwards.
    package var unknownHandles: UInt64 = 0
    /// L2CAP fragments that fit nowhere, or frames longer than we take.
    package var droppedFragments: UInt64 = 0
    /// Frames on channels that we do not serve.
    package var unknownChannels: UInt64 = 0
    /// ATT PDUs that nobody had asked for, or that could not be read.
    package var unexpectedPDUs: UInt64 = 0
    /// Write commands that found the link's queue full, or did not fit its MTU.
    package var writeCommandsDropped: UInt64 = 0
    /// Notifications and indications of bonded peers on links that were not encrypted.
    package var valuesBlocked: UInt64 = 0
    package var encryptionFailures: UInt64 = 0
    package var pairingsStarted: UInt64 = 0
    package var pairingsSucceeded: UInt64 = 0
    /// Among them those that the end of their link has ended, and those that a Central was asked for and did not begin.
    package var pairingsFailed: UInt64 = 0
    /// PDUs of the Security Manager that nothing waited for.
    package var pairingPDUsIgnored: UInt64 = 0
    /// Notifications and indications that a client sent and that did not leave.
    package var updatesDropped: UInt64 = 0
    /// Requests of peers that a client did not answer in time.
    package var requestsUnanswered: UInt64 = 0
    /// Clients that handled nothing for so long that they were cut off, and the batches of events that they were not given:
    /// what was in them that lasts, they are told when they go on.
    package var clientsCutOff: UInt64 = 0
    package var batchesWithheld: UInt64 = 0
    package var commandTimeouts: UInt64 = 0
    package var hardwareErrors: UInt64 = 0
    package var restarts: UInt64 = 0
    /// Packets of the controller that the kernel had no room for before they were read.
    package var packetsLost: UInt64 = 0
    /// Octets skipped to find packet borders again.
    package var octetsSkipped: UInt64 = 0

    package init() {}
}
