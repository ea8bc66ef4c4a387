// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Platform
import Publisher

/// Operations on the configuration.
extension OperationTable {
    /// The broker has so long to prove itself.
    private static let proofLimit: Duration = .seconds(45)

    private struct Settings: Decodable {
        var name: String?
        var host: String?
        var port: Int?
        var username: String?
        var password: String?
        var usesTls: Bool?

        /// Empty text takes a value away.
        var change: ConfigurationChange {
            var change = ConfigurationChange()
            func set(_ path: [String], _ text: String?) {
                if let text { change.values[path] = .some(text.isEmpty ? nil : .text(text)) }
            }
            set(["gateway", "name"], name)
            set(["mqtt", "host"], host)
            set(["mqtt", "username"], username)
            if let port { change.values[["mqtt", "port"]] = .some(.integer(port)) }
            if let password {
                change.values[["mqtt", "password"]] = .some(password.isEmpty ? nil : .secret(Secret(password)))
            }
            if let usesTls { change.values[["mqtt", "tls", "enabled"]] = .some(.flag(usesTls)) }
            return change
        }
    }

    private struct Effect: Codable {
        var effect: ConfigurationEffect
    }

    private static let arguments: [OperationRow.Argument] = [
        .init("name", "of the gateway", isRequired: false), .init("host", "of the broker", isRequired: false),
        .init("port", "of the broker", isRequired: false), .init("username", "at the broker", isRequired: false),
        .init("password", "at the broker", isRequired: false, isSecret: true),
        .init("uses_tls", "whether the way to the broker is encrypted", isRequired: false),
    ]

    private static let configuration = row(
        Shape(
            .configuration, "Shows the configuration files, without secrets.", for: [.page],
            bounds: .init(result: 4 << 20)
        )
    ) { gateway, _ in
        await gateway.shownConfiguration()
    }

    private static let checkConfig = elsewhere(
        Shape(
            .checkConfig, "Tells the mistakes of a configuration.", [.init("text", "the configuration")], for: [.page],
            bounds: .init(arguments: 1 << 20),
            aliases: [.init("check", [.page])]), form: .answer)

    private static let settings = common(
        Shape(.settings, "Tells the gateway's settings, without secrets.", for: [.page])
    ) { operations, _ in await operations.settings() }

    private static let settingsCheck = row(
        Shape(
            .settingsCheck, "Tells the effect of other settings, and their mistakes.", arguments, for: [.page],
            aliases: [.init("settings/check", [.page])]), taking: Settings.self
    ) { gateway, wish, _ throws(OperationError) in
        Effect(effect: try await gateway.operations.check(wish.change))
    }

    private static let settingsApply = common(
        Shape(
            .settingsApply, "Tries other settings, and keeps them when the broker has answered.", arguments,
            effect: .settings, for: [.page, .phone], bounds: .init(time: .seconds(90)),
            steps: BrokerStep.allCases.map(\.rawValue), aliases: [.init("settings/apply", [.page])]),
        taking: Settings.self
    ) { operations, wish, call throws(OperationError) in
        let effect = try await operations.check(wish.change)
        try await operations.tryOut(wish.change)
        do {
            if effect >= .reconnect {
                try await operations.proveBroker(within: proofLimit) { call.progress($0.rawValue) }
            }
            try await operations.keep(network: nil)
        } catch {
            await operations.takeBack()
            if let failure = error as? BrokerProofFailure { throw OperationError(.notValid, failure.text) }
            throw error as? OperationError ?? OperationError(.failed, "it could not be done")
        }
        return Effect(effect: effect)
    }

    private static let settingsUndo = common(
        Shape(
            .settingsUndo, "Goes back to the settings before the last change.", effect: .settings,
            for: [.page, .phone], aliases: [.init("settings/undo", [.page])])
    ) { operations, _ throws(OperationError) in SettingsUndone(network: try await operations.undo()) }

    static let settingRows: [OperationRow] = [
        configuration, checkConfig, settings, settingsCheck, settingsApply, settingsUndo,
    ]
}

/// The settings before the last change are in use again.
package struct SettingsUndone: Encodable, Sendable {
    /// Their network, for whoever takes care of networks.
    package let network: String?

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode("undone")
    }
}
