// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A request to the helper: a line of JSON. A connection carries one request at a time.
package struct NetworkRequest: Equatable, Sendable {
    package enum Verb: String, Codable, Sendable, CaseIterable {
        case status, scan, country, join, keep, settle
        case revert = "take-back"
    }

    /// Octets of a line, without its end.
    package static let maximumLine = 2_048
    /// Limits of a trial, in seconds.
    package static let limits = 1...600

    package var verb: Verb
    /// For `country`.
    package var country: String?
    /// For `join`.
    package var settings: WirelessSettings?
    /// For `join`: seconds.
    package var limit: Int?
    /// For `settle` and `take-back`: the UUID that `keep` returned.
    package var kept: String?

    package init(
        _ verb: Verb, country: String? = nil, settings: WirelessSettings? = nil, limit: Int? = nil, kept: String? = nil
    ) {
        self.verb = verb
        self.country = country
        self.settings = settings
        self.limit = limit
        self.kept = kept
    }

    /// The fault in the request, without the faulty value.
    package var complaint: String? {
        if let country, !RadioCountry.codes.contains(country) { return "country: two capital letters of ISO 3166-1" }
        if let kept, !RandomUUID.isValid(kept) { return "kept: a UUID in lower case" }
        if let limit, !Self.limits.contains(limit) { return "limit: 1 to 600 seconds" }
        let isComplete =
            switch verb {
            case .status, .scan, .keep: country == nil && settings == nil && limit == nil && kept == nil
            case .country: country != nil && settings == nil && limit == nil && kept == nil
            case .join: country == nil && settings != nil && limit != nil && kept == nil
            case .settle, .revert: country == nil && settings == nil && limit == nil
            }
        return isComplete ? nil : "\(verb.rawValue): other keys belong to it"
    }
}

extension NetworkRequest: Codable {
    private enum Key: String, CodingKey, CaseIterable { case verb, country, ssid, password, hidden, limit, kept }

    private struct AnyKey: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    package init(from decoder: any Decoder) throws {
        let known = Set(Key.allCases.map(\.rawValue))
        for key in try decoder.container(keyedBy: AnyKey.self).allKeys where !known.contains(key.stringValue) {
            throw DecodingError.dataCorrupted(.init(codingPath: [key], debugDescription: "an unknown key"))
        }
        let container = try decoder.container(keyedBy: Key.self)
        verb = try container.decode(Verb.self, forKey: .verb)
        country = try container.decodeIfPresent(String.self, forKey: .country)
        limit = try container.decodeIfPresent(Int.self, forKey: .limit)
        kept = try container.decodeIfPresent(String.self, forKey: .kept)
        let password = try container.decodeIfPresent(String.self, forKey: .password)
        let isHidden = try container.decodeIfPresent(Bool.self, forKey: .hidden)
        if let ssid = try container.decodeIfPresent(String.self, forKey: .ssid) {
            settings = WirelessSettings(ssid: ssid, password: password, isHidden: isHidden ?? false)
        } else if password != nil || isHidden != nil {
            throw DecodingError.dataCorrupted(.init(codingPath: [Key.ssid], debugDescription: "ssid is missing"))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(verb, forKey: .verb)
        try container.encodeIfPresent(country, forKey: .country)
        try container.encodeIfPresent(limit, forKey: .limit)
        try container.encodeIfPresent(kept, forKey: .kept)
        try container.encodeIfPresent(settings?.ssid, forKey: .ssid)
        try container.encodeIfPresent(settings?.password, forKey: .password)
        if let settings, settings.isHidden { try container.encode(true, forKey: .hidden) }
    }
}

/// The helper's lines of JSON. Lines with `step` report a running `join`; any other line is the answer.
package struct NetworkAnswer: Codable, Equatable, Sendable {
    /// Octets of a line, without its end: 64 networks whose names are all escapes.
    package static let maximumLine = 65_536

    var step: NetworkStep?
    var failure: NetworkFailure?
    /// Text for the log: about a failure, or beside a success.
    var words: String?
    var status: NetworkStatus?
    var networks: [WirelessNetwork]?
    var kept: String?

    init(
        step: NetworkStep? = nil, failure: NetworkFailure? = nil, words: String? = nil, status: NetworkStatus? = nil,
        networks: [WirelessNetwork]? = nil, kept: String? = nil
    ) {
        self.step = step
        self.failure = failure
        self.words = words
        self.status = status
        self.networks = networks
        self.kept = kept
    }

    init(_ trouble: NetworkTrouble) {
        self.init(failure: trouble.failure, words: String(trouble.words.prefix(500)))
    }
}

/// Lines of JSON, in both directions.
package enum NetworkLine {
    package static func encode(_ value: some Encodable) -> [UInt8]? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(value) else { return nil }
        return Array(data) + [UInt8(ascii: "\n")]
    }

    /// Nil for an invalid line. The error is not logged: it may quote the line, which may hold a password.
    package static func decode<Value: Decodable>(_ type: Value.Type, _ octets: [UInt8]) -> Value? {
        try? JSONDecoder().decode(type, from: Data(octets))
    }
}
