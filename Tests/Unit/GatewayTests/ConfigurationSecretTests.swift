// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Testing

@testable import Collector
@testable import Configuration
@testable import Gateway
@testable import GatewayBench
@testable import Platform
@testable import Publisher

struct ConfigurationSecretTests {
    @Test("The password comes from its file, or from the service manager's credentials")
    func secrets() throws {
        let folder = try TestFolder()
        try folder.write("mqtt.password", "from credentials\nsecond line\n")
        try folder.write("other", "from file\r\n")
        let user = "[mqtt]\nusername = \"u\"\n"
        let environment = ["CREDENTIALS_DIRECTORY": folder.path]
        let credential = try GatewayConfiguration.parse(user, gateway: "g", environment: environment)
        #expect(credential.mqtt.password?.revealed == "from credentials")
        let file = try GatewayConfiguration.parse(
            user + "password_file = \"\(folder.path("other"))\"\n", gateway: "g", environment: environment)
        #expect(file.mqtt.password?.revealed == "from file")
        let anonymous = try GatewayConfiguration.parse("", gateway: "g", environment: environment)
        #expect(anonymous.mqtt.password == nil)
    }

    @Test("A readable passkey file causes a warning, and a path that is no file is refused")
    func openPasskeyFile() throws {
        let folder = try TestFolder()
        try folder.write("passkey", "019655\n")
        let entry = { (file: String) in
            "[[sensor]]\nname = \"a\"\nsubscribe = [\"180d/2a37\"]\npasskey_file = \"\(file)\"\n"
        }
        for (mode, isOpen) in [(0o600, false), (0o604, true)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.path("passkey"))
            let read = try GatewayConfiguration.parse(entry(folder.path("passkey")), gateway: "g")
            #expect(read.sensors.first?.passkey?.revealed == "019655")
            #expect(read.warnings.count == (isOpen ? 1 : 0))
        }
        let error = #expect(throws: ConfigurationError.self) {
            try GatewayConfiguration.parse(entry("/dev/zero"), gateway: "g")
        }
        #expect(error?.description.contains("is no regular file") == true)
    }

    @Test(
        "A bindkey in a readable configuration file causes one warning a file, and a bindkey in a separate file causes none"
    )
    func openBindKey() throws {
        let folder = try TestFolder()
        let key = SimulatedKeys.digits
        try folder.write("key", key + "\n")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.path("key"))
        func warnings(_ entry: String, _ mode: Int) throws -> [String] {
            let text = "[mqtt]\nhost = \"a\"\n" + entry
            try folder.write("martlet.toml", text)
            try FileManager.default.setAttributes(
                [.posixPermissions: mode], ofItemAtPath: folder.path("martlet.toml"))
            return try GatewayConfiguration.load(path: folder.path("martlet.toml"), environment: [:]).warnings
        }
        let sensor = "[[sensor]]\naddress = \"A4:C1:38:00:00:0\"\n"
        func entry(_ number: Int, _ secret: String) -> String {
            sensor.replacingOccurrences(of: "00:0\"", with: "00:0\(number)\"") + secret
        }
        let inline = "bindkey = \"\(key)\"\n"
        #expect(try warnings(entry(1, inline), 0o600) == [])
        let said = try warnings(entry(1, inline) + entry(2, inline), 0o604)
        #expect(
            said.count == 1 && said[0].contains("martlet.toml:3: this [[sensor]] has a bindkey, and others can read"))
        #expect(!said.contains { $0.contains(key) })
        #expect(try warnings(entry(1, "bindkey_file = \"\(folder.path("key"))\"\n"), 0o604) == [])
    }

    private enum SimulatedKeys {
        static let digits = "231d39c1d7cc1ab1aee224cd096db932"
    }
}
