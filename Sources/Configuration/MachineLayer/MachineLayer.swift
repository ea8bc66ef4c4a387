// SPDX-License-Identifier: Apache-2.0

/// The part of the configuration that the gateway has written itself: settings from provisioning, and accepted sensors.
/// The layer may hold secrets, so its description shows only counts.
package struct MachineLayer: Equatable, Sendable {
    /// Its file, in the folder `config.d` of the state directory.
    package static let fileName = "50-provisioned.toml"
    static let networkPath = ["provisioning", "network"]
    package static let authorityPath = ["mqtt", "tls", "ca_file"]

    /// By path, `["mqtt", "host"]`.
    package var values: [[String]: ConfigurationValue] = [:]
    /// Its `[[sensor]]` tables.
    package var sensors: [[String: ConfigurationValue]] = []

    package init() {}

    /// Reads the text of the layer's file, or throws its mistakes. People's files do not matter here.
    package init(parsing text: String, file: String = fileName) throws(ConfigurationError) {
        try self.init(TOMLDocument(text, file: file))
    }

    package init(_ document: TOMLDocument) throws(ConfigurationError) {
        var reader = ConfigurationReader(gateway: GatewayName.unnamed)
        reader.addMachines(document)
        guard reader.issues.isEmpty else { throw ConfigurationError(reader.issues) }
        for (name, value) in document.root where name != "sensor" { set(value, at: [name]) }
        if case .list(let entries)? = document.root["sensor"] {
            for case .table(let entry) in entries { sensors.append(entry) }
        }
    }

    private mutating func set(_ value: ConfigurationValue, at path: [String]) {
        let section = GatewayConfiguration.sections.first { $0.path == path }
        guard let section, case .table(let entries) = value else {
            values[path] = value
            return
        }
        // The next text of the layer is without former keys.
        for (name, value) in entries where !section.former.contains(name) { set(value, at: path + [name]) }
    }

    /// The network, kept together with the settings.
    package var network: String? {
        get { if case .string(let name)? = values[Self.networkPath] { name } else { nil } }
        set { values[Self.networkPath] = newValue.map { .string($0) } }
    }

    /// The path of the authority's certificates.
    package var authority: String? {
        if case .string(let path)? = values[Self.authorityPath] { path } else { nil }
    }

    /// The place of the sensor's entry, by its id or address.
    package func index(ofSensor name: String) -> Int? {
        let compact = Self.compact(name)
        return sensors.firstIndex { entry in
            if entry["id"] == .string(name) { return true }
            guard case .string(let address)? = entry["address"] else { return false }
            return Self.compact(address) == compact
        }
    }

    private static func compact(_ address: String) -> String { address.lowercased().filter { $0 != ":" } }
}

/// A layer with its text and its parsed document. Checks, trials and writes all use this value, so the text is parsed
/// only once.
package struct MachineLayerText: Equatable, Sendable {
    package let layer: MachineLayer
    package let text: String
    let document: TOMLDocument

    /// Reads the text of a file, or throws the mistakes.
    package init(
        parsing text: String, file: String, _ texts: ConfigurationTexts = ConfigurationTexts()
    ) throws(ConfigurationError) {
        self.text = text
        document = try texts.document(of: text, file: file)
        layer = try MachineLayer(document)
    }

    /// Writes a layer as text. Throws if reading the text back gives a different layer: such a layer must not be tried
    /// out or written.
    ///
    /// - Parameter file: The path of the future file.
    package init(
        _ layer: MachineLayer, file: String, _ texts: ConfigurationTexts = ConfigurationTexts()
    ) throws(ConfigurationError) {
        try self.init(parsing: layer.text, file: file, texts)
        guard self.layer == layer else {
            throw ConfigurationError([ConfigurationIssue(file: file, line: 0, "it cannot be written as TOML")])
        }
    }

    package static func == (left: Self, right: Self) -> Bool { left.text == right.text }
}

extension MachineLayer: CustomStringConvertible, CustomReflectable {
    package var description: String { "layer of \(values.count) values and \(sensors.count) sensors" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension MachineLayerText: CustomStringConvertible, CustomReflectable {
    package var description: String { layer.description }
    package var customMirror: Mirror { layer.customMirror }
}
