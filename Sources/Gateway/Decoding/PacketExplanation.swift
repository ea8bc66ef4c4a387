// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings
import SensorCipher

/// Explains octets given by a person, with all that Martlet can decode: `martlet decode`.
package struct PacketExplanation: Codable, Equatable, Sendable {
    /// The origin of the octets.
    package enum Subject: Sendable {
        /// AD structures of an advertisement, and of its scan response.
        case advertisement(response: [UInt8])
        /// The value of Manufacturer Specific Data: the company's two octets, then the company's data.
        case manufacturer
        /// The value of Service Data, without the UUID.
        case serviceData(BluetoothUUID)
        /// A characteristic's value, as readings name the characteristic.
        case characteristic(String)
    }

    package struct Packet: Sendable {
        package var octets: [UInt8]
        package var subject: Subject
        package var address: UInt64?
        package var name: String?
        package var services: [BluetoothUUID] = []
        package var key: [UInt8]?

        package init(_ octets: [UInt8], _ subject: Subject) { (self.octets, self.subject) = (octets, subject) }
    }

    /// Why there are no values. The raw value is part of JSON output, and never changes.
    package enum Reason: String, Codable, Sendable {
        case malformed, unknown, refused, impossible, encrypted
        case wrongKey = "wrong-key"
        case noValues = "no-values"
    }

    /// The family or the characteristic of the octets; nil if unknown.
    package var family: String?
    package var name: String?
    package var model: String?
    /// The sensor's packet number.
    package var number: UInt32?
    /// Empty if the sensor reports no known value.
    package var values: [DecodedField] = []
    package var reason: Reason?
    /// The reason for a person: a sentence, and advice.
    package var why: String?

    package init(_ packet: Packet) {
        if case .characteristic(let characteristic) = packet.subject {
            explain(packet.octets, ofCharacteristic: characteristic)
            return
        }
        let advertisements = Self.advertisements(of: packet)
        guard !advertisements.isEmpty else {
            fail(.malformed, "These octets hold no AD structure: the first octet of each is its length.")
            return
        }
        for advertisement in advertisements {
            guard let found = SensorFamilies.recognise(advertisement) else { continue }
            (family, name) = (found.decoder.family, found.decoder.name)
            switch found.packet {
            case .plain(let plain): explain(plain, of: found.decoder)
            case .sealed(let sealed): open(sealed, found, key: packet.key)
            }
            return
        }
        explainStranger(advertisements)
    }

    // MARK: Advertisements from the octets

    private static func advertisements(of packet: Packet) -> [Advertisement] {
        var one = Advertisement(address: packet.address, name: packet.name, services: packet.services)
        switch packet.subject {
        case .characteristic: return []
        case .manufacturer: one.manufacturerData = packet.octets
        case .serviceData(let uuid):
            if let short = uuid.short {
                one.serviceData[short] = packet.octets
            } else {
                one.longServiceData[uuid] = packet.octets
            }
        case .advertisement(let response):
            let all = Advertisement.all(
                in: (packet.octets + response)[...], responseAt: packet.octets.count, address: packet.address)
            return all.compactMap { found in
                guard
                    !found.manufacturerData.isEmpty || !found.serviceData.isEmpty || !found.longServiceData.isEmpty
                        || !found.services.isEmpty || found.name != nil || !found.encryptedData.isEmpty
                else { return nil }
                var found = found
                found.name = found.name ?? packet.name
                found.services += packet.services
                return found
            }
        }
        return [one]
    }

    // MARK: Explanations

    private mutating func explain(_ octets: [UInt8], ofCharacteristic characteristic: String) {
        guard let decode = Decoders.decoder(for: characteristic) else {
            fail(
                .unknown,
                "No decoder knows the characteristic \(characteristic): docs/own-decoders.md has how to describe it.")
            return
        }
        (family, name) = (characteristic, Decoders.name(of: characteristic))
        do throws(DecodeError) {
            add(try decode(octets))
        } catch {
            fail(.refused, "The value is not what the characteristic's decoder expects: \(error).")
        }
    }

    private mutating func explain(_ packet: AdvertisedPacket, of family: SensorFamily) {
        (model, number) = (packet.model, packet.number?.value)
        do throws(DecodeError) {
            add(try family.decode(packet.value))
        } catch {
            fail(.impossible, "It is \(family.name)'s, and says what cannot be: \(error).")
        }
    }

    private mutating func open(_ sealed: SealedPacket, _ found: SensorFamilies.Recognised, key: [UInt8]?) {
        let family = found.decoder
        model = sealed.model
        number = sealed.counter?.value
        let isOpenToAll = family.needs.key == .none
        guard isOpenToAll || key != nil else {
            fail(
                .encrypted,
                "It is \(family.name)'s and encrypted: give the sensor's key with --key. \(family.needs.hint)")
            return
        }
        let usable = isOpenToAll ? [] : family.key(from: key ?? [])
        guard let usable, let plaintext = PacketCipher.open(sealed, key: usable) else {
            fail(.wrongKey, "It is \(family.name)'s and encrypted, and this key does not open it.")
            return
        }
        guard let opened = found.opened(plaintext) else {
            if family.isEnvelope {
                fail(.unknown, "The key opens the packet. No family knows its structures: \(plaintext.hexadecimal).")
                return
            }
            fail(.wrongKey, "It is \(family.name)'s and encrypted, and this key does not open it.")
            return
        }
        (self.family, name) = (opened.decoder.family, opened.decoder.name)
        explain(opened.packet, of: opened.decoder)
    }

    private mutating func add(_ fields: [Field]) {
        values = fields.map { DecodedField($0) }
        if values.isEmpty { fail(.noValues, "It says that the sensor knows no value at the moment.") }
    }

    /// An unknown advertisement: the text lists the families that were asked.
    private mutating func explainStranger(_ advertisements: [Advertisement]) {
        var asked: [String: SensorFamily] = [:]
        for advertisement in advertisements {
            for family in SensorFamilies.asked(about: advertisement) {
                if family.saysWhatCannotBe(advertisement) {
                    (self.family, name) = (family.family, family.name)
                    fail(.impossible, "It is \(family.name)'s, and nothing in it can be.")
                    return
                }
                asked[family.family] = family
            }
        }
        let profile = advertisements.lazy.compactMap { SensorProfile.of($0.services) }.first
        if let profile {
            fail(
                .unknown,
                "It has no values in its advertisements; the profile \(profile.name) reads it over a connection.")
        } else if asked.isEmpty {
            fail(.unknown, "No family is known that sends there: docs/own-decoders.md has how to describe it.")
        } else {
            let names = asked.values.map(\.name).sorted().joined(separator: ", ")
            fail(
                .refused,
                "\(names) \(asked.count == 1 ? "sends" : "send") there, and these octets are not so: their length, a constant, "
                    + "a checksum, or the name, services or address beside them. "
                    + "--address and --name say what the octets alone do not.")
        }
    }

    private mutating func fail(_ reason: Reason, _ why: String) {
        self.reason = reason
        self.why = why.last == " " ? String(why.dropLast()) : why
    }

    // MARK: For a person

    package var text: String {
        var lines: [String] = []
        if let name, let family { lines.append("\(name) (\(family))" + (model.map { ", \($0)" } ?? "")) }
        if let number { lines.append("packet number \(number)") }
        for value in values {
            lines.append("\(value.quantity): \(Self.text(value.value))\(value.unit.map { " \($0)" } ?? "")")
        }
        if let why { lines.append(why) }
        return lines.joined(separator: "\n")
    }

    private static func text(_ value: DecodedField.Value) -> String {
        switch value {
        case .number(let number):
            number == number.rounded() && abs(number) < 1e15 ? String(Int64(number)) : String(number)
        case .text(let text): AdvertisedName.clean(text) ?? "–"
        case .list(let values): values.map { Self.text($0) }.joined(separator: ", ")
        }
    }
}
