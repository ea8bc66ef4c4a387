// SPDX-License-Identifier: Apache-2.0

extension NetworkManagerBus {
    /// A profile that we have written.
    private struct Profile {
        var path: String
        var uuid: String
        var settings: [String: BusValue]

        var connection: [String: BusValue] { settings["connection"]?.entries ?? [:] }
        var joinsByItself: Bool {
            connection["autoconnect"]?.bool != false
                && connection["autoconnect-priority"]?.integer == Int(ConnectionProfile.priority)
        }
    }

    func settle(_ kept: String?) throws(NetworkTrouble) -> String? {
        let profiles = try profiles()
        if let kept {
            // Without the kept profile, the other profiles are the only way to this gateway.
            guard let profile = profiles.first(where: { $0.uuid == kept }) else {
                return "the network that was kept is not there any more; nothing was deleted"
            }
            try joinByItself(profile)
        }
        for profile in profiles where profile.uuid != kept && profile.uuid != trial?.uuid { try delete(profile.path) }
        return nil
    }

    /// Deletes a kept or tried profile; a missing profile counts as deleted.
    func forget(_ uuid: String) throws(NetworkTrouble) {
        for profile in try profiles() where profile.uuid == uuid { try delete(profile.path) }
    }

    private func profiles() throws(NetworkTrouble) -> [Profile] {
        var found: [Profile] = []
        for path in try call(Self.settings, "Settings", "ListConnections").first?.elements ?? [] {
            guard let path = path.text, let sections = try settings(of: path),
                let connection = sections["connection"]?.entries, ConnectionProfile.isOurs(connection),
                let uuid = connection["uuid"]?.text
            else { continue }
            found.append(Profile(path: path, uuid: uuid, settings: sections))
        }
        return found
    }

    private func settings(of path: String) throws(NetworkTrouble) -> [String: BusValue]? {
        do {
            return try call(path, "Settings.Connection", "GetSettings").first?.entries
        } catch {
            // The profile has gone since the list was made.
            guard error.failure == .failed else { throw error }
            return nil
        }
    }

    private func delete(_ path: String) throws(NetworkTrouble) {
        do {
            _ = try call(path, "Settings.Connection", "Delete")
        } catch {
            guard try settings(of: path) == nil else { throw error }
        }
    }

    private func joinByItself(_ profile: Profile) throws(NetworkTrouble) {
        guard !profile.joinsByItself else { return }
        var sections = profile.settings
        var connection = profile.connection
        connection["autoconnect"] = .variant(.boolean(true))
        connection["autoconnect-priority"] = .variant(.int32(ConnectionProfile.priority))
        sections["connection"] = .dictionary(of: "v", connection)
        let security = "802-11-wireless-security"
        if var protected = sections[security]?.entries {
            // NetworkManager returns settings without secrets, and writes exactly the settings that it gets: the
            // secrets are added here.
            let secrets = try call(profile.path, "Settings.Connection", "GetSecrets", [.string(security)])
            protected.merge(secrets.first?.entries?[security]?.entries ?? [:]) { _, secret in secret }
            sections[security] = .dictionary(of: "v", protected)
        }
        _ = try call(
            profile.path, "Settings.Connection", "Update2",
            [.dictionary(of: "a{sv}", sections), .uint32(1), .options([:])])
        try synchronize(profile.path)
        activate(profile)
    }

    /// After a restart between `keep` and `settle` another network is in use.
    private func activate(_ profile: Profile) {
        do {
            guard let radio = radio(among: try devices()) else { return }
            if let active = radio.properties["ActiveConnection"]?.text, active != "/",
                try properties(of: active, "Connection.Active")["Uuid"]?.text == profile.uuid
            {
                return
            }
            _ = try call(Self.manager, "", "ActivateConnection", [.path(profile.path), .path(radio.path), .path("/")])
        } catch {
            // The profile joins by itself when it can.
            say(error.words)
        }
    }

    /// NetworkManager leaves the time of the write to disk to the kernel.
    func synchronize(_ path: String) throws(NetworkTrouble) {
        guard let file = try properties(of: path, "Settings.Connection")["Filename"]?.text, file.hasPrefix("/") else {
            return
        }
        SmallFile.synchronize(file)
        SmallFile.synchronize(SmallFile.folderOf(file))
    }
}
