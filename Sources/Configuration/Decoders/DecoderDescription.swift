// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// The keys of the head of a file of `decoders.d`.
struct DecoderDescription: Sendable {
    var family: String?
    var name: String?
    var products: String?
    var hint: String?

    static let section = ConfigurationSection<DecoderDescription>(
        path: [],
        help: "A decoder of your own: see [own decoders](own-decoders.md). A new, a changed and a removed file "
            + "hold from the next reload on.",
        effect: .live, keys: keys)

    static let keys: [ConfigurationKey<DecoderDescription>] = [
        .text(
            "family", \.family, check: familyComplaint,
            "For advertisements: what readings, topics and entries call the family, like `\"acme-t1\"`."),
        .text("name", \.name, check: labelComplaint, "A name for people, like `\"ACME T1\"`."),
        .text("products", \.products, check: plainComplaint, "Whose products send it, for people."),
        .text("hint", \.hint, check: plainComplaint, "A hint for the sensor's owner."),
    ]

    func definition(_ forms: [SensorForm]) throws(InvalidValue) -> SensorDefinition {
        let uuids = forms.map { form in if case .characteristic(let uuid) = form.source { uuid } else { "" } }
        guard let first = uuids.first, uuids.allSatisfy({ $0 == first }) else {
            throw InvalidValue("all forms have to be about advertisements, or about one characteristic")
        }
        guard Set(forms.map { $0.source == .record }).count <= 1 else {
            throw InvalidValue("all forms have to be about records, or none")
        }
        let key: String
        if !first.isEmpty {
            guard family == nil else {
                throw InvalidValue("family is about advertisements, and match.characteristic is not")
            }
            key = first
        } else {
            guard let family else { throw InvalidValue("there is no family, by which entries and readings name it") }
            key = family
        }
        if forms.count > 1, forms.contains(where: { $0.length.upperBound >= SensorDefinition.maximumLength }) {
            throw InvalidValue("each of several forms may have at most \(SensorDefinition.maximumLength - 1) octets")
        }
        var definition = SensorDefinition(key: key, name: name ?? key, forms: forms)
        (definition.products, definition.hint) = (products ?? "", hint ?? "")
        return definition
    }
}

/// A user's decoder must not have the name of a built-in family. The sources of the built-in families do have these
/// names, so this check is off while they are read.
@TaskLocal var areBuiltInFamiliesRead = false

private func familyComplaint(_ text: String) -> String? {
    let isPlain = text.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "-") }
    guard !text.isEmpty, text.utf8.count <= 32, isPlain else {
        return "is \(quoted(String(text.prefix(64)))); wanted are up to 32 lower-case letters, digits and dashes"
    }
    return !areBuiltInFamiliesRead && SensorFamilies.all.contains { $0.family == text }
        ? "is \(quoted(text)), a family that is built in: give it another name" : nil
}
