// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector
import Configuration
import Health
import Operations
import Publisher
import Readings
import Synchronization

extension GatewayOperator {
    package func heardSensors() async -> [HeardSensor] {
        await gateway.collector.heardSensors(within: Self.patience) ?? []
    }

    package func explain(_ sensor: String) async throws(OperationError) -> SensorExplanation {
        switch await gateway.collector.explain(sensor, within: Self.patience) {
        case .success(var explanation):
            // The account is judged with the present facts, so that the problems fit the state.
            let problems = await status().problems ?? []
            explanation.problems = problems.filter { $0.sensor == explanation.sensor }
            return explanation
        case .failure(let error): throw OperationError(.notFound, error.description)
        case nil: throw OperationError(.failed, "the collector does not answer")
        }
    }

    /// Keys of an entry that a second acceptance without them leaves as they are.
    private static let keptKeys: Set = ["id", "bindkey", "passkey", "label", "room"]

    package func accept(_ acceptance: SensorAcceptance) async throws(OperationError) -> HeardSensor {
        let address = try Self.address(acceptance.address)
        let known = await gateway.collector.heard(at: address.value, within: Self.patience)
        guard !known.isPrivate else { throw OperationError(.refused, Collector.privateTrouble) }
        let profile = SensorProfile.of(known.services)
        let family = known.family ?? profile?.name
        let subscribe = acceptance.subscribe ?? []
        guard !subscribe.isEmpty || family != nil else {
            throw OperationError(
                known.isHeard ? .refused : .notFound,
                known.isHeard
                    ? "\(address) advertises nothing that is known here: say what to collect, as in subscribe"
                    : "\(address) was not heard yet: wait until it is, or say what to collect, as in subscribe")
        }
        var entry: [String: ConfigurationValue] = ["address": .string(address.description)]
        if !subscribe.isEmpty {
            entry["subscribe"] = .list(subscribe.map { .string($0) })
        } else if known.family == nil, let profile {
            // A sensor that advertises its values needs no link, and no profile.
            entry["profile"] = .string(profile.name)
        }
        if let id = acceptance.id { entry["id"] = .string(id) }
        for (key, text) in try Self.names(acceptance.label, acceptance.room) where !text.isEmpty {
            entry[key] = .string(text)
        }
        if let passkey = acceptance.passkey { entry["passkey"] = .string(passkey.revealed) }
        try await write { [entry] layer, rules throws(OperationError) in
            if let id = acceptance.id, rules.contains(where: { $0.id == id && $0.address != address.value }) {
                throw OperationError(.refused, "\(quoted(id)) is the id of another sensor: give another one")
            }
            if let own = layer.index(ofSensor: address.description) {
                // The sensor's keys stay, because a person who accepts it again may not know them; so do its names.
                let kept = layer.sensors[own].filter { Self.keptKeys.contains($0.key) }
                layer.sensors[own] = entry.merging(kept) { new, _ in new }
            } else if let rule = rules.first(where: { $0.address == address.value }) {
                throw OperationError(
                    .refused, "\(rule.label) is accepted already, by an entry of the configuration file")
            } else {
                layer.sensors.append(entry)
            }
        }
        let heard = await gateway.collector.heardSensors(within: Self.patience) ?? []
        return heard.first { $0.address == address.description }
            ?? HeardSensor(
                address: address.description, family: family, id: acceptance.id ?? address.compact, isAccepted: true)
    }

    /// The address of a device, from a person's text.
    static func address(_ text: String) throws(OperationError) -> DeviceAddress {
        let name = quoted(String(text.prefix(64)))
        guard let address = DeviceAddress(text, kind: .public) else {
            throw OperationError(.notValid, "\(name) is no address like C4:7C:8D:00:11:22")
        }
        guard address.isDevice else { throw OperationError(.notValid, "\(name) is no address of a device") }
        return address
    }

    package func trust(_ sensor: String, _ address: String?) async throws(OperationError) -> TrustedSensor {
        var wanted: UInt64?
        if let address { wanted = try Self.address(address).value }
        switch await gateway.collector.trust(sensor, wanted, within: Self.patience) {
        case .success(let trusted): return trusted
        case .failure(let error): throw OperationError(.refused, error.description)
        case nil: throw OperationError(.failed, "the collector does not answer")
        }
    }

    package func forget(_ sensor: String) async throws(OperationError) {
        let names = try await names(of: sensor)
        try await write { layer, rules throws(OperationError) in
            layer.sensors.remove(at: try Self.place(of: names, in: layer, rules))
        }
    }

    package func forget(_ quantity: String, of sensor: String) async throws(OperationError) {
        let owner: QuantityOwner
        switch await gateway.collector.drop(quantity, of: sensor, within: Self.patience) {
        case .success(let found): owner = found
        case .failure(let error): throw OperationError(.notFound, error.description)
        case nil: throw OperationError(.failed, "the collector does not answer")
        }
        let entities = AnnouncedEntity.all(of: owner.device, in: gateway.journal)
        guard let entity = entities.first(where: { $0.name == quantity }) else {
            guard !owner.wasShown else { return }
            let names = entities.map(\.name).joined(separator: ", ")
            throw OperationError(
                .notFound,
                "Home Assistant was told of no \(quoted(String(quantity.prefix(64)))) of \(quoted(String(sensor.prefix(64))))"
                    + (names.isEmpty ? "" : "; of \(names)"))
        }
        guard let publisher = gateway.slot.publisher else { throw OperationError(.failed, "the gateway is stopping") }
        publisher.drop(entity)
    }

    package func setPasskey(_ passkey: Secret, of sensor: String) async throws(OperationError) {
        try await set("passkey", to: passkey, of: sensor)
    }

    package func setBindKey(_ key: Secret, of sensor: String) async throws(OperationError) {
        let bare = Secret(bareBindKey(key.revealed))
        if let complaint = bindKeyComplaint(bare.revealed) { throw OperationError(.notValid, "the key \(complaint)") }
        try await set("bindkey", to: bare, of: sensor)
        // A person gives the old key again after a reset of the sensor's counter. A new key resets the counter check
        // anyway.
        gateway.collector.trustCounter(of: sensor)
    }

    package func rename(_ sensor: String, label: String?, room: String?) async throws(OperationError) {
        let texts = try Self.names(label, room)
        guard !texts.isEmpty else { throw OperationError(.notValid, "say which label or which room") }
        let names = try await names(of: sensor)
        try await write { layer, rules throws(OperationError) in
            let place = try Self.place(of: names, in: layer, rules)
            for (key, text) in texts { layer.sensors[place][key] = text.isEmpty ? nil : .string(text) }
        }
    }

    /// The given names by their keys in an entry; an empty text takes a name back.
    private static func names(_ label: String?, _ room: String?) throws(OperationError) -> [(key: String, text: String)]
    {
        var names: [(key: String, text: String)] = []
        for (key, text) in [("label", label), ("room", room)] {
            guard let text else { continue }
            if !text.isEmpty, let complaint = labelComplaint(text) {
                throw OperationError(.notValid, "the \(key) \(complaint)")
            }
            names.append((key, text))
        }
        return names
    }

    private func set(_ key: String, to secret: Secret, of sensor: String) async throws(OperationError) {
        let names = try await names(of: sensor)
        try await write { layer, rules throws(OperationError) in
            let place = try Self.place(of: names, in: layer, rules)
            layer.sensors[place][key] = .string(secret.revealed)
        }
    }

    /// The names of the sensor that a person's word means, as an entry may have them; the word first.
    private func names(of sensor: String) async throws(OperationError) -> [String] {
        let others: [String?] =
            switch try await named(sensor) {
            case .success(.sensor(let sensor)): [sensor.id, sensor.address]
            case .success(.awaited(let entry)): [entry.id, entry.address, entry.name]
            case .failure: []
            }
        return [sensor] + others.compactMap(\.self)
    }

    /// The meaning of a person's word.
    ///
    /// - Returns: Failure if the collector knows no such sensor.
    /// - Throws: If several sensors have this name.
    func named(
        _ sensor: String
    ) async throws(OperationError) -> Result<CollectorStatus.Named, DeviceName.Unclear> {
        let status = await gateway.inquiries.collector.answer(within: Self.patience)
        do throws(DeviceName.Unclear) {
            return .success(try (status ?? gateway.inquiries.collector.last ?? CollectorStatus()).named(sensor))
        } catch {
            guard error.isUnknown else { throw OperationError(.notValid, error.description) }
            return .failure(error)
        }
    }

    /// The place of the first entry with one of the names.
    private static func place(
        of names: [String], in layer: MachineLayer, _ rules: [SensorRule]
    ) throws(OperationError) -> Int {
        for name in names {
            if let place = layer.index(ofSensor: name) { return place }
        }
        let name = names.first ?? ""
        guard names.count > 1 || rules.contains(where: { DeviceName(name).isAwaited(by: $0) }) else {
            throw OperationError(.notFound, DeviceName(name).complaint(amongEntries: rules))
        }
        throw OperationError(
            .refused,
            "the entry for \(quoted(String(name.prefix(64)))) is in a configuration file of yours: change it there")
    }

    /// Changes the gateway's own entries, on disk and in use, also during a trial.
    private func write(
        _ body: @escaping @Sendable (inout MachineLayer, [SensorRule]) throws(OperationError) -> Void
    ) async throws(OperationError) {
        try await change { [gateway] settings throws(OperationError) in
            var layer = settings.kept
            try body(&layer, gateway.configuration.sensors)
            var used = settings.current
            used.sensors = layer.sensors
            let (written, configuration): (MachineLayerText, GatewayConfiguration)
            do throws(ConfigurationError) {
                written = try settings.store.text(of: layer)
                configuration = try settings.source.load(
                    with: used == layer ? written : settings.store.text(of: used))
            } catch {
                throw OperationError(error)
            }
            let (left, before) = (configuration.leftOut, gateway.configuration.leftOut)
            if left.count > before.count, let reason = left.last { throw OperationError(.refused, reason) }
            try settings.keep(written, keepsFormer: false)
            settings.state.withLock { $0.trial?.layer.sensors = layer.sensors }
            gateway.apply(configuration)
        }
    }
}
