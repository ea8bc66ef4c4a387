// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Platform

/// Operations on the gateway as a machine.
extension OperationTable {
    private struct Time: Decodable {
        var unixMs: Int64
        var force: Bool?
    }

    private struct Report: Decodable { var update: UpdateReport }
    private struct Update: Decodable { var action: UpdateAction }

    private static let slow = OperationRow.Pace(burst: 5, period: .seconds(60))

    private static let status = plain(.status, "Tells how the gateway and its sensors are.", for: [.socket]) {
        gateway, _ in
        await gateway.operations.status()
    }

    private static let clock = plain(.clock, "Tells the gateway's time and its source.", for: [.socket]) { gateway, _ in
        await gateway.operations.clock()
    }

    private static let clockSet = row(
        .clockSet, "Takes a time for the clock's.",
        [
            .init("unix_ms", "milliseconds since 1970 UTC"),
            .init("force", "take it also where it is far from the gateway's own", isRequired: false),
        ], effect: .settings, for: [.socket], taking: Time.self
    ) { gateway, wish, _ throws(OperationError) in
        try await gateway.operations.setClock(unixMilliseconds: wish.unixMs, insists: wish.force == true)
    }

    private static let supportBundle = plain(
        .supportBundle, "Writes a file for somebody who helps.", effect: .disk, for: [.socket, .broker],
        pace: OperationRow.Pace(burst: 2, period: .seconds(300))
    ) { gateway, call throws(OperationError) in
        var bundle = try await gateway.writeSupportBundle()
        guard call.caller == .broker else { return bundle }
        if let problem = bundle.problem { throw OperationError(.failed, problem) }
        // The text is too large for a message, and private.
        bundle.text = nil
        return bundle
    }

    private static let provision = elsewhere(
        .provision, "Opens or closes the window in which phones pair.",
        [
            .init("action", "`open` or `close`; on the socket `status`, `label` and `forget`, too"),
            .init("minutes", "1 to 60: how long it stays open", isRequired: false),
            .init("phone", "of `forget`: its address or identifier; all without it", isRequired: false),
            .init("new", "of `label`: make another one", isRequired: false),
            .init("open", "of the release before, in place of `action`", isRequired: false),
        ], effect: .settings, for: Set(OperationRow.Caller.allCases),
        pace: OperationRow.Pace(burst: 10, period: .seconds(15)), aliases: [.init("window", [.page])],
        form: .answer)

    private static let provisionOpen = elsewhere(
        .provisionOpen, "Opens that window and tells all that goes on in it.", effect: .settings,
        for: [.socket], form: .dialogue)

    private static let identify = elsewhere(
        .identify, "Blinks the gateway's LED for 10 s.", for: [.broker],
        pace: OperationRow.Pace(burst: 10, period: .seconds(5)), form: .answer)

    private static let update = row(
        .update, "Looks for an update of the image, or installs it.", [.init("action", "`check` or `install`")],
        effect: .restart, for: [.page, .broker], pace: slow, taking: Update.self
    ) { gateway, wish, _ throws(OperationError) in
        try gateway.update(wish.action)
        return gateway.imageUpdate
    }

    private static let updateReport = row(
        .updateReport, "Tells the gateway how `martlet update` goes.",
        [.init("update", "the report")], for: [.socket], taking: Report.self
    ) { gateway, wish, _ throws(OperationError) in try gateway.take(wish.update) }

    private static let restart = plain(
        .restart, "Starts the gateway anew.", effect: .restart, for: [.page, .broker], pace: slow
    ) { gateway, call throws(OperationError) in try gateway.startAnew(call) }

    static let machine: [OperationRow] = [
        status, clock, clockSet, supportBundle, provision, provisionOpen, identify, update, updateReport, restart,
    ]
}
