// SPDX-License-Identifier: Apache-2.0

import Publisher

extension OperationName {
    package static let configuration = Self("configuration")
    package static let settings = Self("settings")
    package static let settingsCheck = Self("settings-check")
    package static let settingsApply = Self("settings-apply")
    package static let settingsUndo = Self("settings-undo")
}

/// Operations on the configuration.
extension OperationTable {
    package struct Settings: Decodable, Sendable {
        package var name: String?
        package var host: String?
        package var port: Int?
        package var username: String?
        package var password: String?
        package var usesTls: Bool?
        package var homeAssistant: Bool?

        package init() {}
    }

    package struct Checking: Decodable, Sendable {
        package var text: String
        package var path: String?
    }

    private static let arguments: [OperationRow.Argument] = [
        .init("name", "of the gateway", isRequired: false), .init("host", "of the broker", isRequired: false),
        .init("port", "of the broker", isRequired: false), .init("username", "at the broker", isRequired: false),
        .init("password", "at the broker", isRequired: false, isSecret: true),
        .init("uses_tls", "whether the way to the broker is encrypted", isRequired: false),
        .init("home_assistant", "whether Home Assistant is told of the sensors", isRequired: false),
    ]

    package static let configuration = operation(
        Shape(
            .configuration, "Shows the configuration files, without secrets.", for: [.page],
            bounds: .init(result: 4 << 20)), giving: ShownConfiguration.self)

    package static let checkConfig = operation(
        Shape(
            .checkConfig, "Tells the mistakes of a configuration.",
            [
                .init("text", "the configuration"),
                .init("path", "the file whose secrets \"…\" stands for", isRequired: false),
            ], for: [.page],
            bounds: .init(arguments: 256 << 10),
            aliases: [.init("check", [.page])]), taking: Checking.self, giving: ConfigurationCheck.self)

    package static let settings = operation(
        Shape(.settings, "Tells the gateway's settings, without secrets.", for: [.page]), giving: GatewaySettings.self)

    package static let settingsCheck = operation(
        Shape(
            .settingsCheck, "Tells the effect of other settings, and their mistakes.", arguments, for: [.page],
            aliases: [.init("settings/check", [.page])]), taking: Settings.self, giving: SettingsEffect.self)

    package static let settingsApply = operation(
        Shape(
            .settingsApply, "Tries other settings, and keeps them when the broker has answered.", arguments,
            effect: .settings, for: [.page, .phone], bounds: .init(time: .seconds(150)),
            steps: ["check", "country", "associate", "address"] + BrokerStep.allCases.map(\.rawValue) + ["keep"],
            aliases: [.init("settings/apply", [.page])]),
        taking: Settings.self, giving: SettingsEffect.self)

    package static let settingsUndo = operation(
        Shape(
            .settingsUndo, "Goes back to the settings before the last change.", effect: .settings,
            for: [.page, .phone], aliases: [.init("settings/undo", [.page])]), giving: SettingsUndone.self)

    static let settingRows: [OperationRow] = [
        configuration.row, checkConfig.row, settings.row, settingsCheck.row, settingsApply.row, settingsUndo.row,
    ]
}
