// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Configuration
import Operations
import Publisher

/// Works of operations on the configuration.
extension OperationWorks {
    private static let configuration = own(OperationTable.configuration) { gateway, _ in
        await gateway.shownConfiguration()
    }

    private static let settings = common(OperationTable.settings) { operations, _ in
        await operations.settings()
    }

    private static let settingsCheck = own(OperationTable.settingsCheck) { gateway, wish, _ throws(OperationError) in
        SettingsEffect(try await gateway.operations.check(wish.change))
    }

    private static let settingsApply = common(OperationTable.settingsApply) {
        operations, wish, call throws(OperationError) in
        let change = wish.change
        let runner = ApplyRunner(operations: operations)
        try await runner.apply(
            ApplyPlan(change: change, checksBroker: change.effect >= .reconnect), progress: call.progress)
        return SettingsEffect(change.effect)
    }

    private static let settingsUndo = common(OperationTable.settingsUndo) { operations, _ throws(OperationError) in
        SettingsUndone(network: try await operations.undo())
    }

    static let settingRows: [Named] = [
        configuration, settings, settingsCheck, settingsApply, settingsUndo,
    ]
}

extension OperationTable.Settings {
    /// The change, by the keys of the machine's layer. Empty text takes a value away.
    package var change: ConfigurationChange {
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
        if let homeAssistant { change.setHomeAssistant(homeAssistant) }
        if let usesTls { change.values[["mqtt", "tls", "enabled"]] = .some(.flag(usesTls)) }
        return change
    }
}
