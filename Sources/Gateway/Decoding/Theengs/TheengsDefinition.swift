// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// A user's definition in the format of Theengs Decoder, for conversion into a file of `decoders.d`
/// (decoder.theengs.io, "Adding decoders").
package struct TheengsDefinition {
    struct Property {
        var key: String
        var entries: TheengsValue.Table
        var unit: String?

        /// The name without its underscores: they tell properties of one name apart.
        var name: String { String(key.drop { $0 == "_" }) }
    }

    private let head: TheengsValue.Table
    private let condition: TheengsCondition
    private let properties: [Property]
    private let serviceData: String?
    private static let maximumProperties = 64

    /// - Parameters:
    ///   - text: JSON, or a header of C++ with JSON in string literals; a second object may have the properties' units.
    ///   - model: Which definition of several, by its `model_id`; `"T1#2"` is the second of one name.
    ///   - serviceData: The UUID of the sensor's Service Data, for conditions that name none.
    ///
    /// Throws if a part is missing, or if the choice among several definitions is open.
    package init(_ text: String, model: String? = nil, serviceData: String? = nil) throws(TheengsError) {
        let objects = TheengsSource.objects(in: text)
        let head = try Self.choice(of: objects.filter { $0["condition"] != nil }, among: objects, model)
        guard let conditions = head["condition"]?.list else { throw TheengsError("the definition has no condition") }
        guard let properties = head["properties"]?.table, properties.entries.count <= Self.maximumProperties else {
            throw TheengsError("the definition has no properties, or more than \(Self.maximumProperties)")
        }
        let units = objects.filter { $0["condition"] == nil }.compactMap { $0["properties"]?.table }
        self.head = head
        condition = try TheengsCondition(conditions)
        self.serviceData = serviceData
        self.properties = properties.entries.map { entry in
            let name = String(entry.key.drop { $0 == "_" })
            return Property(
                key: entry.key, entries: entry.value.table ?? .init(),
                unit: units.compactMap { $0[name]?.table?["unit"]?.text }.first)
        }
    }

    private static func choice(
        of definitions: [TheengsValue.Table], among objects: [TheengsValue.Table], _ model: String?
    ) throws(TheengsError) -> TheengsValue.Table {
        guard !objects.isEmpty else { throw TheengsError("there is no JSON object that is a definition") }
        var counts: [String: Int] = [:]
        let names = definitions.map { definition in
            let name = definition["model_id"]?.text ?? "?"
            counts[name, default: 0] += 1
            return counts[name] == 1 ? name : "\(name)#\(counts[name, default: 1])"
        }
        if let model {
            guard let index = names.firstIndex(of: model) else {
                throw TheengsError("there is no \(quoted(model)): the definitions are \(names.joined(separator: ", "))")
            }
            return definitions[index]
        }
        guard let only = definitions.first else { throw TheengsError("the definition has no condition") }
        guard definitions.count == 1 else {
            throw TheengsError(
                "the file has several definitions: choose one with --model: \(names.joined(separator: ", "))")
        }
        return only
    }

    /// The file, without vectors. Throws if no form can be converted.
    package func file(family: String? = nil) throws(TheengsError) -> String {
        let brand = head["brand"]?.text ?? ""
        let model = head["model_id"]?.text ?? head["model"]?.text ?? "sensor"
        var lines = [
            "# Converted by martlet's decoder import. Add a [[vector]] for what your sensor has sent, and check the configuration.",
            "family = \(quoted(family ?? Self.plain(model)))",
            "name = \(quoted(brand.isEmpty ? model : "\(brand) \(model)"))",
        ]
        guard condition.alternatives.count <= SensorDefinition.maximumForms else {
            throw TheengsError("its condition has more than \(SensorDefinition.maximumForms) alternatives")
        }
        // A form that cannot be converted is a note beside the others.
        var failures: [TheengsError] = []
        for alternative in condition.alternatives {
            do throws(TheengsError) {
                let form = try TheengsForm(
                    alternative, properties, serviceData, hasOthers: condition.alternatives.count > 1)
                lines += [""] + (try form.lines())
            } catch {
                failures.append(error)
                lines += ["", "# not converted: a form, \(error)"]
            }
        }
        if let failure = failures.first, failures.count == condition.alternatives.count { throw failure }
        lines += ["", "# [[vector]]", "# data = \"\"", "# values = { }"]
        return lines.map { $0.hasPrefix("#") ? $0.onOneLine : $0 }.joined(separator: "\n") + "\n"
    }

    private static func plain(_ model: String) -> String {
        let words = model.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        let name = String(words.joined(separator: "-").prefix(24))
        return "my-" + (name.isEmpty ? "sensor" : name)
    }
}
