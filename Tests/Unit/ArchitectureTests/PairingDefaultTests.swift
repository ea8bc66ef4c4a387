// SPDX-License-Identifier: Apache-2.0

import Testing

/// The library pairs on demand where its program has said nothing. The gateway says something from the beginning.
@Suite("The program and the library's default of pairing")
struct PairingDefaultTests {
    private static func calls(of name: String, outside library: String = "Sources/CoreBluetooth/") throws -> [String] {
        var calls: [String] = []
        for file in try Repository.files(below: "Sources") where file.hasSuffix(".swift") && !file.hasPrefix(library) {
            // A comment is no call.
            let code = try Repository.text(file).split(separator: "\n").filter { line in
                !line.drop { $0 == " " }.hasPrefix("//")
            }.joined(separator: "\n")
            for match in code.ranges(of: name) {
                var depth = 0
                let call = code[match.lowerBound...].prefix { character in
                    if character == "(" { depth += 1 }
                    if character == ")" { depth -= 1 }
                    return !(character == ")" && depth == 0)
                }
                // Labels alone are a name in a text.
                guard !call.dropFirst(name.count).allSatisfy({ $0.isLetter || $0 == ":" }) || call.count == name.count
                else { continue }
                calls.append("\(file): \(call)")
            }
        }
        return calls
    }

    @Test("every controller of the program begins with a policy")
    func controllers() throws {
        let calls = try Self.calls(of: "CBController(")
        #expect(calls.count >= 5)
        for call in calls { #expect(call.contains("pairing: .neverByItself"), "\(call)") }
        #expect(try Self.calls(of: "CBController.default") == [])
        #expect(try Self.calls(of: "CBPairingPolicy.onDemand") == [])
    }

    @Test(
        "every manager of the program is on such a controller",
        arguments: ["CBCentralManager(", "CBPeripheralManager("])
    func managers(name: String) throws {
        let calls = try Self.calls(of: name)
        #expect(!calls.isEmpty)
        for call in calls { #expect(call.contains("OptionControllerKey: "), "\(call)") }
    }
}
