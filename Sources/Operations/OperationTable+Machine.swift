// SPDX-License-Identifier: Apache-2.0

import Platform
import Readings

extension OperationName {
    package static let clock = Self(clockGroup)
    package static let supportText = Self("support-text")
    package static let provision = Self(provisionGroup)
    package static let identify = Self("identify")
    package static let update = Self("update")
    package static let restart = Self("restart")
    package static let log = Self("log")
    package static let factoryReset = Self("factory-reset")
}

/// Operations on the gateway as a machine.
extension OperationTable {
    package struct Time: Decodable, Sendable {
        package var unixMs: Int64
        package var force: Bool?
    }

    package struct Update: Decodable, Sendable {
        package var action: UpdateAction?
        package var report: UpdateReport?
    }

    package struct Window: Decodable, Sendable {
        package var action: WindowAction
        package var minutes: Int?
        package var phone: String?
        package var new: Bool?

        /// `open` stands in place of `action` under the former name `window`.
        private enum CodingKeys: CodingKey { case action, minutes, phone, new, open }

        package init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            minutes = try container.decodeIfPresent(Int.self, forKey: .minutes)
            phone = try container.decodeIfPresent(String.self, forKey: .phone)
            new = try container.decodeIfPresent(Bool.self, forKey: .new)
            if let isOpen = try container.decodeIfPresent(Bool.self, forKey: .open) {
                let action = try container.decodeIfPresent(WindowAction.self, forKey: .action)
                self.action = action ?? (isOpen ? .open : .close)
            } else {
                action = try container.decode(WindowAction.self, forKey: .action)
            }
        }
    }

    package struct WindowWatch: Decodable, Sendable {
        package var action: WindowAction
        package var minutes: Int?
        package var compare: Bool?
        package var watch: Bool?
    }

    private static let slow = OperationRow.Pace(burst: 5, period: .seconds(60))

    package static let status = operation(
        Shape(
            .status, "Tells how the gateway and its sensors are.", for: [.socket, .phone],
            bounds: .init(result: 16 << 20)), giving: GatewayStatus.self)

    package static let clock = operation(
        Shape(.clock, "Tells the gateway's time and its source.", for: [.socket]), giving: ClockStatus.self)

    package static let clockSet = operation(
        Shape(
            .clockSet, "Takes a time for the clock's.",
            [
                .init("unix_ms", "milliseconds since 1970 UTC"),
                .init("force", "take a time far from the gateway's own, too", isRequired: false),
            ], effect: .settings, for: [.socket, .phone]), taking: Time.self, giving: ClockStatus.self)

    package static let supportBundle = operation(
        Shape(
            .supportBundle, "Writes a support bundle.", effect: .disk, for: [.socket, .broker],
            pace: OperationRow.Pace(burst: 2, period: .seconds(300)),
            bounds: .init(result: 16 << 20, time: .seconds(120))), giving: SupportBundle.self)

    package static let supportText = operation(
        Shape(
            .supportText, "Gives the text of a support bundle.", for: [.page],
            bounds: .init(result: 16 << 20, time: .seconds(120)), aliases: [.init("support", [.page])]),
        giving: OperationFile.self, form: .file)

    package static let provision = operation(
        Shape(
            .provision, "Opens or closes the window in which phones pair.",
            [
                .init("action", "`open` or `close`; on the socket `status`, `label` and `forget`, too"),
                .init("minutes", "1 to 60: how long the window stays open", isRequired: false),
                .init("phone", "for `forget`: an address or identifier; all phones without it", isRequired: false),
                .init("new", "for `label`: make another label", isRequired: false),
            ], effect: .settings, for: [.socket, .page, .broker, .phone],
            pace: OperationRow.Pace(burst: 10, period: .seconds(15)), aliases: [.init("window", [.page], key: "open")]),
        taking: Window.self, giving: WindowReport.self)

    package static let provisionOpen = operation(
        Shape(
            .provisionOpen, "Opens the window, and tells each step of a phone in the window.",
            [
                .init("action", "`open`"),
                .init("minutes", "1 to 60: how long the window stays open", isRequired: false),
                .init("compare", "a person compares digits with the phone's", isRequired: false),
                .init("watch", "tells the steps of a window that is open already, and opens none", isRequired: false),
            ], effect: .settings, for: [.socket]), taking: WindowWatch.self, giving: WindowLine.self, form: .dialogue)

    package static let provisionLabel = operation(
        Shape(
            .provisionLabel, "Gives the label with the passkey for phones, as SVG.", for: [.page],
            aliases: [.init("label", [.page])]), giving: OperationFile.self, form: .file)

    package static let identify = operation(
        Shape(
            .identify, "Blinks the gateway's LED for 10 s.", for: [.broker, .phone],
            pace: OperationRow.Pace(burst: 10, period: .seconds(5)), control: .init(kind: .button)))

    package static let update = operation(
        Shape(
            .update, "Looks for an update of the image, or installs an update; `martlet update` reports its progress.",
            [
                .init("action", "`check` or `install`", isRequired: false),
                .init(
                    "report", "on the socket, in place of `action`: how far the update is", isRequired: false,
                    former: [.socket: "update"]),
            ], effect: .restart, for: [.socket, .page, .broker], pace: slow,
            aliases: [.init("update-report", [.socket])],
            control: .init(kind: .update, request: #"{"action":"install"}"#)), taking: Update.self,
        giving: ImageUpdate.self)

    package static let restart = operation(
        Shape(
            .restart, "Starts the gateway anew.", effect: .restart, for: [.page, .broker], pace: slow,
            control: .init(kind: .button)))

    package static let log = operation(
        Shape(.log, "Tells the newest lines of the log.", for: [.phone]), giving: [String].self)

    package static let factoryReset = operation(
        Shape(
            .factoryReset, "Removes what was provisioned, the bonds and the readings, and starts the gateway anew.",
            effect: .restart, for: [.phone]))

    static let machine: [OperationRow] = [
        status.row, clock.row, clockSet.row, supportBundle.row, supportText.row, provision.row, provisionOpen.row,
        provisionLabel.row, identify.row, update.row,
        restart.row, log.row, factoryReset.row,
    ]
}
