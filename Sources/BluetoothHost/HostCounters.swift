// SPDX-License-Identifier: Apache-2.0

/// Counts what the host has seen since its start; everything thrown away is counted.
package struct HostCounters: Equatable, Sendable {
    package var eventsReceived: UInt64 = 0
    package var aclPacketsReceived: UInt64 = 0
    package var advertisingReports: UInt64 = 0
    package var notifications: UInt64 = 0
    package var indications: UInt64 = 0
    package var connections: UInt64 = 0
    package var disconnections: UInt64 = 0
    /// Connections that peers made to us; ``connections`` includes them.
    package var centralConnections: UInt64 = 0
    /// Connections that peers made although no client advertised. The host ends them.
    package var uninvitedConnections: UInt64 = 0
    /// HCI packets that could not be decoded.
    package var malformedPackets: UInt64 = 0
    /// ACL data for links that are not ours, or that the controller reports only afterwards.
    package var unknownHandles: UInt64 = 0
    /// L2CAP fragments that fit nowhere, or frames longer than we take.
    package var droppedFragments: UInt64 = 0
    /// Frames on channels that we do not serve.
    package var unknownChannels: UInt64 = 0
    /// ATT PDUs without a request for them, and unreadable ATT PDUs.
    package var unexpectedPDUs: UInt64 = 0
    /// Write commands that met a full queue of the link, or did not fit its MTU.
    package var writeCommandsDropped: UInt64 = 0
    /// Notifications and indications of bonded peers on unencrypted links.
    package var valuesBlocked: UInt64 = 0
    package var encryptionFailures: UInt64 = 0
    package var pairingsStarted: UInt64 = 0
    package var pairingsSucceeded: UInt64 = 0
    /// Includes pairings cut short by the end of their link, and pairings that a Central was asked for and did not
    /// begin.
    package var pairingsFailed: UInt64 = 0
    /// PDUs of the Security Manager that no pairing waited for.
    package var pairingPDUsIgnored: UInt64 = 0
    /// Notifications and indications that a client sent, and that did not leave.
    package var updatesDropped: UInt64 = 0
    /// Requests of peers without an answer from the client in time.
    package var requestsUnanswered: UInt64 = 0
    /// Clients that were cut off for handling nothing, and the batches withheld from them. A client that goes on is
    /// told the lasting part of these batches.
    package var clientsCutOff: UInt64 = 0
    package var batchesWithheld: UInt64 = 0
    package var commandTimeouts: UInt64 = 0
    package var hardwareErrors: UInt64 = 0
    package var restarts: UInt64 = 0
    /// Packets of the controller that the kernel had no room for before the host read them.
    package var packetsLost: UInt64 = 0
    /// Octets skipped to find packet borders again.
    package var octetsSkipped: UInt64 = 0

    package init() {}
}
