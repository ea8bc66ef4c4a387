// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Platform
import Publisher

/// Operations on the gateway as a machine.
extension OperationTable {
    private struct Time: Decodable {
        var unixMs: Int64
        var force: Bool?
    }

    private struct Update: Decodable {
        var action: UpdateAction?
        var report: UpdateReport?
    }

    private static let slow = OperationRow.Pace(burst: 5, period: .seconds(60))

    private static let status = common(
        Shape(
            .status, "Tells how the gateway and its sensors are.", for: [.socket, .phone],
            bounds: .init(result: 16 << 20))
    ) { operations, _ in await operations.status() }

    private static let clock = row(Shape(.clock, "Tells the gateway's time and its source.", for: [.socket])) {
        gateway, _ in
        await gateway.operations.clock()
    }

    private static let clockSet = common(
        Shape(
            .clockSet, "Takes a time for the clock's.",
            [
                .init("unix_ms", "milliseconds since 1970 UTC"),
                .init("force", "take it also where it is far from the gateway's own", isRequired: false),
            ], effect: .settings, for: [.socket, .phone]), taking: Time.self
    ) { operations, wish, _ throws(OperationError) in
        try await operations.setClock(unixMilliseconds: wish.unixMs, insists: wish.force == true)
    }

    private static let supportBundle = row(
        Shape(
            .supportBundle, "Writes a file for somebody who helps.", effect: .disk, for: [.socket, .broker],
            pace: OperationRow.Pace(burst: 2, period: .seconds(300)),
            bounds: .init(result: 16 << 20, time: .seconds(120))
        )
    ) { gateway, call throws(OperationError) in
        var bundle = try await gateway.writeSupportBundle()
        guard call.caller == .broker else { return bundle }
        if let problem = bundle.problem { throw OperationError(.failed, problem) }
        // The text is too large for a message, and private.
        bundle.text = nil
        return bundle
    }

    private static let provision = elsewhere(
        Shape(
            .provision, "Opens or closes the window in which phones pair.",
            [
                .init("action", "`open` or `close`; on the socket `status`, `label` and `forget`, too"),
                .init("minutes", "1 to 60: how long it stays open", isRequired: false),
                .init("phone", "for `forget`: an address or identifier; all phones without it", isRequired: false),
                .init("new", "for `label`: make another label", isRequired: false),
                .init("open", "the former release's name for `action`", isRequired: false),
            ], effect: .settings, for: Set(OperationRow.Caller.allCases),
            pace: OperationRow.Pace(burst: 10, period: .seconds(15)), aliases: [.init("window", [.page])]),
        form: .answer)

    private static let provisionOpen = elsewhere(
        Shape(
            .provisionOpen, "Opens that window and tells all that goes on in it.", effect: .settings,
            for: [.socket]), form: .dialogue)

    private static let identify = elsewhere(
        Shape(
            .identify, "Blinks the gateway's LED for 10 s.", for: [.broker, .phone],
            pace: OperationRow.Pace(burst: 10, period: .seconds(5)), control: .init(kind: .button)), form: .answer)

    private static let update = row(
        Shape(
            .update, "Looks for an update of the image, or installs it; `martlet update` tells how that goes.",
            [
                .init("action", "`check` or `install`", isRequired: false),
                .init(
                    "report", "on the socket, in place of `action`: how far the update is", isRequired: false,
                    former: [.socket: "update"]),
            ], effect: .restart, for: [.socket, .page, .broker], pace: slow,
            aliases: [.init("update-report", [.socket])],
            control: .init(kind: .update, request: #"{"action":"install"}"#)), taking: Update.self
    ) { gateway, wish, call throws(OperationError) in
        if let report = wish.report {
            guard call.caller == .socket else {
                throw OperationError(.refused, "a report cannot be given on this way")
            }
            return try gateway.take(report)
        }
        guard let action = wish.action else { throw OperationError(.notValid, #""action" is missing"#) }
        try gateway.update(action)
        return gateway.imageUpdate
    }

    private static let restart = row(
        Shape(
            .restart, "Starts the gateway anew.", effect: .restart, for: [.page, .broker], pace: slow,
            control: .init(kind: .button))
    ) { gateway, call throws(OperationError) in try gateway.startAnew(call) }

    private static let log = common(
        Shape(.log, "Tells the newest lines of the log.", for: [.phone])
    ) { operations, _ in await operations.logTail(lines: 32) }

    private static let factoryReset = common(
        Shape(
            .factoryReset, "Removes what was provisioned, the bonds and the readings, and starts the gateway anew.",
            effect: .restart, for: [.phone])
    ) { operations, _ throws(OperationError) in
        try await operations.resetToFactory()
        return Nothing()
    }

    static let machine: [OperationRow] = [
        status, clock, clockSet, supportBundle, provision, provisionOpen, identify, update, restart, log, factoryReset,
    ]
}
