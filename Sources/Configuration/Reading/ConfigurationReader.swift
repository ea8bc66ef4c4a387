// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector

/// Builds a configuration from files: later files win key by key. Collects all mistakes.
struct ConfigurationReader {
    var configuration: GatewayConfiguration
    private(set) var issues: [ConfigurationIssue] = []
    /// File and line of each key's last value. Some checks run only after all files are read, and need the place.
    var origins: [[String]: Origin] = [:]
    /// File and line of the sensors' entries, in their order.
    private(set) var sensorOrigins: [Origin] = []
    /// Files without a key.
    private(set) var emptyFiles: [String] = []
    /// The file being read is the gateway's own.
    var isMachines = false
    /// The gateway's own file names the way to the broker, and differs from people's files.
    var brokerIsMachines = false
    /// The bounds of a text that a client has sent; nil for files of this machine.
    var foreign: ForeignText?

    struct Origin {
        var file: String
        var line: Int
        var isMachines = false
    }

    /// Parses the files' texts.
    let texts: ConfigurationTexts

    init(gateway: String, texts: ConfigurationTexts = ConfigurationTexts()) {
        configuration = GatewayConfiguration(gateway: gateway)
        self.texts = texts
    }

    /// Reads a file. Mistakes go to `issues`; valid keys are kept.
    mutating func add(_ text: String, file: String) {
        do {
            add(try texts.document(of: text, file: file))
        } catch {
            issues += error.issues
        }
    }

    mutating func add(_ document: TOMLDocument) {
        if document.root.isEmpty, !isMachines { emptyFiles.append(document.file) }
        var found = Found(document: document)
        read(document, &found)
        issues += found.issues.sorted { $0.line < $1.line }
        foreign?.files.formUnion(found.files)
    }

    func has(_ path: [String]) -> Bool { origins[path] != nil }

    mutating func fail(_ issue: ConfigurationIssue) { issues.append(issue) }

    func issue(at path: [String], _ message: String) -> ConfigurationIssue {
        let origin = origins[path] ?? Origin(file: "configuration", line: 0)
        return ConfigurationIssue(file: origin.file, line: origin.line, message)
    }

    mutating func update(_ change: (inout GatewayConfiguration) -> Void) { change(&configuration) }
}

extension ConfigurationReader {
    private struct Found {
        let document: TOMLDocument
        var issues: [ConfigurationIssue] = []
        /// Keys whose value is the name of a file, such as `mqtt.password_file`.
        var files: Set<String> = []

        mutating func add(_ path: [String], _ message: String) {
            issues.append(ConfigurationIssue(file: document.file, line: document.line(of: path), message))
        }
    }

    private mutating func read(_ document: TOMLDocument, _ found: inout Found) {
        let sections = GatewayConfiguration.sections
        let names = Set(sections.compactMap(\.path.first)).union(["sensor"])
        for (name, value) in document.root where !isSpent(found.issues.count) {
            if name == "sensor" {
                sensors(value, &found)
            } else if let section = sections.first(where: { $0.path == [name] }) {
                read(value, as: section, &found)
            } else {
                let home = sections.first { section in section.keys.contains { $0.name == name } }
                let hint =
                    NearestName.of(name, among: names.sorted())
                    .map { $0 == "sensor" ? " – did you mean [[sensor]]?" : " – did you mean [\($0)]?" }
                    ?? home.map { " – did you mean the key of that name in [\($0.path.joined(separator: "."))]?" } ?? ""
                found.add([name], "unknown section [\(name)]\(hint)")
            }
        }
    }

    private mutating func read(
        _ value: ConfigurationValue, as section: ConfigurationSection<GatewayConfiguration>, _ found: inout Found
    ) {
        let title = section.path.joined(separator: ".")
        guard case .table(let entries) = value else {
            guard case .boolean(let flag) = value, section.keys.contains(where: { $0.name == "enabled" }) else {
                found.add(section.path, "\(title) is \(value.kind); wanted is a table, [\(title)]")
                return
            }
            found.add(section.path, "\(title) is \(flag); wanted is a table: write below [\(title)] enabled = \(flag)")
            return
        }
        let below = GatewayConfiguration.sections.filter { $0.path.dropLast() == section.path[...] }
        for (name, value) in entries where !isSpent(found.issues.count) {
            let path = section.path + [name]
            if let inner = below.first(where: { $0.path == path }) {
                read(value, as: inner, &found)
            } else if section.former.contains(name) {
                warnOfFormer(path, found.document)
            } else if apply(value, name, section.keys, &configuration, path, below.compactMap(\.path.last), &found) {
                origins[path] = Origin(
                    file: found.document.file, line: found.document.line(of: path), isMachines: isMachines)
            }
        }
    }

    private func apply<Root>(
        _ value: ConfigurationValue, _ name: String, _ keys: [ConfigurationKey<Root>], _ root: inout Root,
        _ path: [String], _ alsoKnown: [String], _ found: inout Found
    ) -> Bool {
        let title = path.filter { Int($0) == nil }.joined(separator: ".")
        guard let key = keys.first(where: { $0.name == name }) else {
            let names = keys.map(\.name) + alsoKnown
            let meant = FamiliarWords.key(for: name, among: names) ?? NearestName.of(name, among: names)
            let home = GatewayConfiguration.sections.first { $0.keys.contains { $0.name == name } }
            let hint =
                meant.map { " – did you mean \"\($0)\"?" }
                ?? home.map { " – did you mean the key of that name in [\($0.path.joined(separator: "."))]?" } ?? ""
            found.add(path, "unknown key \"\(title)\"\(hint)")
            return false
        }
        if key.isSecret, value == .string("…") {
            found.add(path, "\(title) is \"…\", which the page shows in place of a secret: write the secret itself")
            return false
        }
        do throws(InvalidValue) {
            try key.apply(value, &root)
            if name.hasSuffix("_file") { found.files.insert(title) }
            return true
        } catch {
            found.add(path + (error.key.map { [$0] } ?? []), "\(title) \(error.reason)")
            return false
        }
    }

    private mutating func sensors(_ value: ConfigurationValue, _ found: inout Found) {
        guard case .list(let entries) = value else {
            found.add(["sensor"], "sensor is \(value.kind); wanted are tables headed [[sensor]]")
            return
        }
        for (index, entry) in entries.enumerated() where !isSpent(found.issues.count) {
            let path = ["sensor", String(index)]
            guard case .table(let entries) = entry else {
                found.add(path, "sensor holds \(entry.kind); wanted are tables headed [[sensor]]")
                continue
            }
            let before = found.issues.count
            var rule = SensorRule()
            for (name, value) in entries {
                _ = apply(value, name, GatewayConfiguration.sensorSection.keys, &rule, path + [name], [], &found)
            }
            guard found.issues.count == before else { continue }
            if let complaint = rule.complaint {
                found.add(path, complaint)
            } else if let complaint = rule.deadBandComplaint {
                found.add(path + ["dead_band", complaint.field], "sensor.dead_band \(complaint.text)")
            } else if let complaint = rule.limitsComplaint {
                found.add(path + ["limits", complaint.field], "sensor.limits \(complaint.text)")
            } else if foreign == nil, let complaint = rule.readSecretFiles(&configuration.warnings) {
                found.add(path + [complaint.key], complaint.text)
            } else {
                add(rule, path, &found)
            }
        }
    }

    /// Adds a rule. A rule with the id of an earlier file's rule replaces the earlier rule.
    private mutating func add(_ rule: SensorRule, _ path: [String], _ found: inout Found) {
        let origin = Origin(
            file: found.document.file, line: found.document.line(of: path), isMachines: isMachines)
        if isMachines, leavesOut(rule, origin) { return }
        if let id = rule.id, let index = configuration.sensors.firstIndex(where: { $0.id == id }) {
            if let earlier = origins[["sensor", id]], earlier.file == origin.file {
                found.add(path + ["id"], "sensor.id \(quoted(id)) is already used in line \(earlier.line)")
                return
            }
            configuration.sensors[index] = rule
            sensorOrigins[index] = origin
        } else if configuration.sensors.count >= Self.maximumRules {
            found.add(path, "more than \(Self.maximumRules) [[sensor]] tables")
            return
        } else {
            configuration.sensors.append(rule)
            sensorOrigins.append(origin)
        }
        if let id = rule.id { origins[["sensor", id]] = origin }
    }

    /// The limit is the greatest number of sensors.
    static var maximumRules: Int { Collector.maximumSensors }
}

extension SensorRule {
    /// The fault of the rule as a whole; nil for a good rule.
    fileprivate var complaint: String? {
        if !hasCriterion {
            return
                "this [[sensor]] accepts nothing: give it a name, address, identifier, service, manufacturer, family or "
                + "model"
        }
        if bindKey != nil, bindKeyFile != nil { return "this [[sensor]] has bindkey and bindkey_file; keep one" }
        if bindKey != nil || bindKeyFile != nil, !namesNothing || profile != nil {
            return "this [[sensor]] has a bindkey, which opens advertisements, and subscribe, read or profile; keep one"
        }
        if profile != nil, !namesNothing {
            return "this [[sensor]] has a profile, and subscribe or read; keep one"
        }
        if profile != nil, !write.isEmpty { return "this [[sensor]] has a profile, and write; keep one" }
        if !write.isEmpty, subscribe.isEmpty {
            return "this [[sensor]] has write and no subscribe: say where the sensor answers"
        }
        if writeInterval != nil, write.isEmpty, profile == nil {
            return "this [[sensor]] has write_every_s and no write: say what to write"
        }
        if readInterval != nil, read.isEmpty, profile == nil {
            return "this [[sensor]] has read_every_s and no read: say what to read"
        }
        if valueInterval != nil, subscribe.isEmpty, !read.isEmpty {
            return "this [[sensor]] has value_every_s and no subscribe: for what is read there is read_every_s"
        }
        if valueInterval != nil, bindKey != nil || bindKeyFile != nil {
            return "this [[sensor]] has value_every_s, which is for links, and a bindkey, for advertisements; keep one"
        }
        if linkUse == .close, !subscribe.isEmpty {
            return "this [[sensor]] has link = \"close\", and subscribe, for which the link stays; keep one"
        }
        if subscribe.count + read.count > 64 { return "this [[sensor]] names more than 64 characteristics" }
        if let feed = sequence?.feed,
            !subscribe.contains(where: {
                $0.plain == feed.plain && ($0 == feed || $0.instance == 0 || feed.instance == 0)
            })
        {
            return "this [[sensor]] has its sequence in a characteristic that is not in subscribe"
        }
        if passkey != nil, passkeyFile != nil { return "this [[sensor]] has passkey and passkey_file; keep one" }
        if passkey != nil || passkeyFile != nil, pair == false {
            return "this [[sensor]] has a passkey, and pair = false; keep one"
        }
        if id != nil, name?.last == "*" {
            return "this [[sensor]] has an id, which is for one sensor, and a name with *"
        }
        return nil
    }

    /// Reads the files of secrets. Returns the first fault.
    fileprivate mutating func readSecretFiles(_ warnings: inout [String]) -> (key: String, text: String)? {
        let passkeyIssue = Self.read(
            passkeyFile, of: "passkey_file", into: &passkey, wanted: "six digits", check: passkeyComplaint, &warnings)
        return passkeyIssue
            ?? Self.read(
                bindKeyFile, of: "bindkey_file", into: &bindKey, wanted: "32, 24 or 48 hexadecimal digits",
                check: bindKeyComplaint, &warnings)
    }

    private static func read(
        _ file: String?, of key: String, into secret: inout Secret?, wanted: String, check: (String) -> String?,
        _ warnings: inout [String]
    ) -> (key: String, text: String)? {
        guard let file else { return nil }
        switch GatewayConfiguration.secretContents(of: file) {
        case .failure(let issue): return (key, "sensor.\(key) \(quoted(file)): \(issue.reason)")
        case .success(let (text, isOpen)):
            if isOpen { warnings.append("sensor.\(key) \(quoted(file)): others can read it; run chmod 600 on it") }
            let found = GatewayConfiguration.secret(in: text)
            guard check(found.revealed) == nil else {
                return (key, "sensor.\(key) \(quoted(file)): its first line is not \(wanted)")
            }
            secret = found
            return nil
        }
    }
}
