// SPDX-License-Identifier: Apache-2.0

import Gateway
import Provisioning

extension ConfigureDialogue {
    /// Shows the sensors that the gateway hears, and accepts the sensors that the person names.
    func askSensors() async throws {
        while true {
            person.tell("Listening for sensors …")
            let sensors = try await client.sensors(within: listening)
            guard !sensors.isEmpty else {
                person.tell("The gateway hears none: see that they have power, and are near.")
                guard try await person.confirms("Listen again?", usual: true) else { return }
                continue
            }
            for sensor in sensors { report.show(.sensor(sensor)) }
            report.flush()
            switch try await choose(among: sensors.count) {
            case nil: continue
            case .some(let chosen) where chosen.isEmpty: return
            case .some(let chosen): for number in chosen { try await accept(sensors[number - 1]) }
            }
        }
    }

    /// Numbers of the list; nil: listen again.
    private func choose(among count: Int) async throws -> [Int]? {
        while true {
            let text = try await person.ask("Accept which, by their numbers; r listens again, empty goes on")
            if text.isEmpty { return [] }
            if text.lowercased() == "r" { return nil }
            if let chosen = Self.chosen(text, of: count) { return chosen }
            person.tell("Write numbers of the list, like 1 3 4.")
        }
    }

    private func accept(_ sensor: SensorMessage) async throws {
        let label = Text.plain(sensor.name ?? sensor.address)
        guard !sensor.accepted else { return person.tell("\(label) is accepted already.") }
        try await retrying("Try \(label) again?") {
            let usual = Self.identifier(of: sensor.name ?? "")
            let id = try await person.ask("Id of \(label) in topics", usual: usual)
            let passkey = try await person.askSecret("Its passkey, empty where it has none")
            try await client.accept(
                AcceptMessage(
                    address: sensor.address, id: id.isEmpty ? nil : id, passkey: passkey.isEmpty ? nil : passkey))
            report.show(.accepted(id.isEmpty ? sensor.address : id))
        }
    }

    /// Numbers from 1 to `count`, each once; nil if the text contains anything else.
    static func chosen(_ text: String, of count: Int) -> [Int]? {
        let words = text.split { $0 == " " || $0 == "," }
        var numbers: [Int] = []
        for word in words {
            guard let number = Int(word), number >= 1, number <= count else { return nil }
            if !numbers.contains(number) { numbers.append(number) }
        }
        return numbers.isEmpty ? nil : numbers
    }

    /// A name in the form of an id: `heart-rate-strap`.
    static func identifier(of name: String) -> String {
        var id = ""
        for character in name.lowercased().prefix(32) {
            if character.isASCII, character.isLetter || character.isNumber {
                id.append(character)
            } else if !id.isEmpty, id.last != "-" {
                id.append("-")
            }
        }
        while id.last == "-" { id.removeLast() }
        return id
    }
}
