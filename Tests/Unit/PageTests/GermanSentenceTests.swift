// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatewayBench
import Testing

/// The page says in German what the gateway says in English: refusals of commands, and errors of lower layers. The English
/// templates stand in the sources, as literals; each has a German one.
struct GermanSentenceTests {
    /// Literals behind `before`, in the Swift files whose path begins with `files`.
    private struct Place {
        let files: String
        let before: String

        init(_ files: String, _ before: String) { (self.files, self.before) = (files, before) }
    }

    private static let places = [
        Place("", #"OperationError\(\s*\.\w+,(?:\s*Advice\.here\()?"#),
        Place("Page/", #"\.refusal\(\s*\d+,"#),
        Place("CoreBluetooth/Errors/CBError.swift", #"(?:case [^\n]*|default): (?=")"#),
        Place("CoreBluetooth/Errors/CBATTError.swift", #"(?:case [^\n]*|default): (?=")"#),
        Place("Collector/", #"\badvise\((?=\s*")"#),
        Place("Collector/", #"trouble\.record\((?=\s*")"#),
        Place("Collector/Links/SetUpMachine.swift", #"problems\.append\((?=\s*")"#),
        Place("Collector/Links/LinkEndAdvice.swift", #"(?:meaning|advice):(?=\s*")"#),
        Place("Collector/Links/LinkEndAdvice.swift", #"0x[0-9A-F]{2}: \((?=\s*")"#),
        Place("Collector/Links/LinkEndAdvice.swift", #"0x[0-9A-F]{2}: \(\s*"[^"]*",(?=\s*")"#),
        Place("HCITransport/UserChannel.swift", #"message:\s*(?:Advice\.here\()?(?=\s*")"#),
        Place("MQTT/MQTTFailure.swift", #"return (?=")"#),
        Place("Publisher/Broker/MQTTFailure+Advice.swift", #"return (?=\s*")"#),
    ]

    /// Sentences of the operating system and of OpenSSL, and sentences of several literals.
    private static let others: Set<String> = [
        "Connection refused", "No route to host", "Network is unreachable", "Connection timed out",
        "{1}: the other end closed the connection before it answered CONNECT",
        "{1}: the other end closed the connection before TLS was agreed on",
        "The gateway pairs with the sensor.", "The gateway pairs with the sensor; the link began {1} ago.",
        "The gateway reads the sensor every {1}; the last value came {2} ago, the next poll is in {3}.",
        "The gateway reads the sensor every {1}; the last value came {2} ago.",
        "The gateway sets the sensor up.", "The gateway sets the sensor up; the link began {1} ago.",
        "The sensor has been connected for {1}, and no value has come yet.",
        "The sensor has been connected for {1}, and no value has come yet; the link before {2}.",
        "The sensor is heard, but its advertisements are not understood: the newest came {1} ago, and the last value "
            + "came {2} ago, at {3} dBm.",
        "The sensor is heard, but its advertisements are not understood: the newest came {1} ago, and the last value "
            + "came {2} ago.",
        "last heard {1} ago at {2} dBm",
        "The gateway collects nothing from the device: no [[sensor]] entry accepts the device; last heard {1} ago at {2} dBm.",
        "The gateway let the sensor go before: {1}.",
        "The gateway reads the sensor every {1}, the next poll is in {2}.",
        "The gateway reads the sensor every {1}.",
        "The sensor is heard, but its advertisements are not understood; last heard {1} ago at {2} dBm.",
        "The sensor is heard, but takes no connection; last heard {1} ago at {2} dBm.",
        "{1} ({2}, takes no connection)",
        "{1} is not connected to: its values come in its advertisements, and nothing has to be paired. An encrypted sensor "
            + "needs its key: {2}",
        "perhaps the broker wants a certificate of the gateway: set mqtt.tls.certificate_file and mqtt.tls.key_file",
        "renew it where it is; but is the clock of this machine right, which says {1}?",
        "the controller refuses to advertise: {1}: {2}", "the controller refuses to connect: {1}: {2}",
        "the controller refuses to scan: {1}: {2}",
        "the server answered with {1}, a redirect to {2}, which is not followed",
        "Permission denied", "No such file or directory", "No space left on device", "Read-only file system",
        "Input/output error", "Device or resource busy", "Name or service not known",
        "Temporary failure in name resolution", "No address associated with hostname",
        // OpenSSL's.
        "certificate has expired", "certificate is not yet valid", "hostname mismatch", "IP address mismatch",
        "self-signed certificate", "self-signed certificate in certificate chain", "unable to get issuer certificate",
        "unable to get local issuer certificate", "unable to verify the first certificate",
    ]

    private static func german() throws -> [String: String] { try GermanTexts.sentences() }

    /// The templates of the sources that say something by themselves.
    private static func templates(in sources: [String: String]) throws -> Set<String> {
        var found: Set<String> = []
        for place in places {
            let pattern = try Regex(place.before)
            for (name, text) in sources where name.hasPrefix(place.files) {
                for match in text.matches(of: pattern) {
                    var reader = LiteralReader(text[match.range.upperBound...])
                    guard let template = reader.template() else { continue }
                    // The middle and the end of a text begin with a mark.
                    guard let first = template.first, first.isLetter || "{\"".contains(first) else { continue }
                    if letters(template) >= 8 { found.insert(template) }
                }
            }
        }
        return found
    }

    private static func letters(_ template: String) -> Int {
        template.replacing(/\{\d+\}/, with: "").count(where: \.isLetter)
    }

    private static func numbers(_ template: String) -> [String] {
        template.matches(of: /\{(\d+)\}/).map { String($0.1) }.sorted()
    }

    /// Faults of the German sentences.
    private static func faults(_ german: [String: String], _ sources: [String: String]) throws -> [String] {
        let templates = try templates(in: sources)
        // More text follows a literal that ends with a blank: the sentence has its beginning.
        let left = templates.filter { template in
            german[template] == nil
                && !(template.last == " " && german.keys.contains { $0.hasPrefix(template) })
        }
        let whole = sources.values.joined().replacing(/"\s*\+\s*"/, with: "").utf8CString
        func says(_ words: String) -> Bool {
            whole.withUnsafeBufferPointer { text in text.baseAddress.map { strstr($0, words) != nil } ?? false }
        }
        let unsaid = german.keys.filter { sentence in
            guard !templates.contains(sentence), !others.contains(sentence) else { return false }
            let words = sentence.replacing(/\{\d+\}|[;,:(] ?/, with: "\n").split(separator: "\n")
                .map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " .")) }
            return !words.filter { $0.count >= 6 }.allSatisfy { says($0) || says(escaped($0)) }
        }
        let places = german.filter { numbers($0) != numbers($1) || $1.isEmpty }.keys
        return left.sorted().map { "no German sentence: \($0)" } + unsaid.sorted().map { "nothing says: \($0)" }
            + places.sorted().map { "other places: \($0)" }
    }

    private static func escaped(_ text: String) -> String { text.replacingOccurrences(of: "\"", with: "\\\"") }

    @Test func `each refusal and each error that the page may show is German, too, with the same places`() throws {
        let sources = try GermanTexts.sources()
        #expect(try Self.templates(in: sources).count > 130)
        let faults = try Self.faults(try Self.german(), sources)
        #expect(faults.isEmpty, "\(faults.joined(separator: "\n"))")
    }

    @Test func `a sentence that is missing, one that nothing says and a place left out are found`() throws {
        let sources = [
            "Gateway/A.swift": #"throw OperationError(.busy, "wait for \(name), please")"#,
            "Page/B.swift": #"return .refusal(404, "there is nothing here" + " at all")"#,
            "Collector/C.swift": #"advise("its key is missing: " + hint)"#,
        ]
        var german = [
            "wait for {1}, please": "Bitte auf {1} warten", "there is nothing here at all": "Hier ist gar nichts",
            "its key is missing: {1}": "Sein Schlüssel fehlt: {1}",
        ]
        #expect(try Self.faults(german, sources) == [])
        german["wait for {1}, please"] = "Bitte warten"
        german["its key is missing: {1}"] = nil
        german["the door is open"] = "Die Tür ist offen"
        #expect(
            try Self.faults(german, sources) == [
                "no German sentence: its key is missing: ", "nothing says: the door is open",
                "other places: wait for {1}, please",
            ])
    }

    @Test func `a literal of the sources is a template`() {
        for (literal, template) in [
            (#""plain" "#, "plain"), (#""a \(f("x (y", g(1))) b \(c)""#, "a {1} b {2}"),
            ("\"one \"\n    + \"two \\(x)\"\n  + y", "one two {1}"),
            (##"#""action" is \#(a) \n"#"##, #""action" is {1} \n"#),
            (#""he said \"no\"""#, #"he said "no""#),
        ] as [(String, String)] {
            var reader = LiteralReader(literal[...])
            #expect(reader.template() == template)
        }
        var reader = LiteralReader("error.description)"[...])
        #expect(reader.template() == nil)
    }
}
