// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Configuration
@testable import Gateway

/// The `[page]` table, and the displayed parts of configurations.
struct PageConfigurationTests {
    private static func mistakes(_ text: String, environment: [String: String] = [:]) -> [String] {
        do throws(ConfigurationError) {
            _ = try GatewayConfiguration.parse(text, gateway: "g", environment: environment, isCheck: true)
            return []
        } catch {
            return error.issues.map(\.message)
        }
    }

    @Test(arguments: ["127.0.0.1:8080", "[::1]:8080", "localhost:80", "127.1.2.3:1"])
    func `on this machine alone the page needs no password`(listen: String) throws {
        let parsed = try GatewayConfiguration.parse("[page]\nlisten = \"\(listen)\"\n", gateway: "g")
        #expect(parsed.page.address?.isLoopback == true)
    }

    @Test(arguments: ["0.0.0.0:8443", "[::]:8443", "192.168.1.7:80", "[fe80::1]:80"])
    func `open to the network it is refused without one`(listen: String) throws {
        let text = "[page]\nlisten = \"\(listen)\"\n"
        #expect(Self.mistakes(text).first?.contains("needs a password") == true)
        let parsed = try GatewayConfiguration.parse(text + "password = \"12345678\"\n", gateway: "g")
        #expect(parsed.page.address?.isLoopback == false)
        #expect(Self.mistakes(text + "password = \"1234567\"\n").first?.contains("7 octets") == true)
    }

    @Test(
        arguments: [
            "8080", "attic:8080", ":8080", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:65536", "[127.0.0.1]:80", "::1:80",
            "256.0.0.1:80", "",
        ])
    func `an address that is none is refused with an example`(listen: String) {
        #expect(Self.mistakes("[page]\nlisten = \"\(listen)\"\n").first?.contains("127.0.0.1:8080") == true)
    }

    @Test func `a certificate and its key come together, and a password from one place`() {
        #expect(
            Self.mistakes("[page]\ncertificate_file = \"/c\"\n").first
                == "page.certificate_file is given without page.key_file")
        #expect(
            Self.mistakes("[page]\nkey_file = \"/c\"\n").first
                == "page.key_file is given without page.certificate_file")
        #expect(
            Self.mistakes("[page]\npassword = \"12345678\"\npassword_file = \"/p\"\n").first?
                .contains("both given") == true)
        #expect(Self.mistakes("[page]\npassword_file = \"/none\"\n").first?.contains("no such file") == true)
        #expect(Self.mistakes("[page]\nhosts = [\"a b\"]\n").first?.contains("gateway.example.org") == true)
    }

    @Test func `what is shown of a configuration has no secret in it, whatever its key is called`() throws {
        let text = """
            pasword = "s0"
            [gateway]
            id = "attic"
            [mqtt]
            host = "broker"
            port = 1884
            password = "s1"
            pass_word = ["s2", { deep = "s3", host = "s4" }]
            secret = 12345
            [page]
            "password" = \"\"\"
            s5\"\"\"
            [[sensor]]
            name = "Fridge*"
            bindkey = "00112233445566778899aabbccddeeff"
            passkey = "123456"
            retries = 77777
            sequence = { characteristic = "181a/2a6e", offset = 2, length = 1, order = "little" }
            [unknown]
            value = "s6"
            """
        let shown = ShownTOML.text(of: try TOMLDocument(text, file: "f").root)
        for secret in ["s0", "s1", "s2", "s3", "s4", "s5", "s6", "12345", "0011", "123456", "77777"] {
            #expect(!shown.contains(secret), "\(secret) is in \(shown)")
        }
        for open in ["id = \"attic\"", "host = \"broker\"", "port = 1884", "[[sensor]]", "name = \"Fridge*\""] {
            #expect(shown.contains(open), "\(open) is not in \(shown)")
        }
        let again = try TOMLDocument(shown, file: "again").root
        #expect(again["mqtt"] != nil && again["sensor"] != nil)
    }
}
