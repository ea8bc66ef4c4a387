// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth

extension CBControllerStatistics {
    /// Names and counts for display.
    var counters: [String: UInt64] {
        [
            "advertising_reports": advertisingReports, "notifications": notifications, "indications": indications,
            "connections": connections, "disconnections": disconnections, "malformed_packets": malformedPackets,
            "dropped_fragments": droppedFragments, "undeliverable_frames": undeliverableFrames,
            "unexpected_pdus": unexpectedPDUs, "write_commands_dropped": writeCommandsDropped,
            "managers_cut_off": managersCutOff, "batches_withheld": batchesWithheld,
            "packets_lost": packetsLost, "command_timeouts": commandTimeouts, "hardware_errors": hardwareErrors,
            "restarts": restarts,
        ]
    }
}
