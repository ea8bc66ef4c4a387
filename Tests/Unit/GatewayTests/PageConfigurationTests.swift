// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Testing

@testable import Configuration
@testable import Gateway
@testable import GatewayBench

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

    @Test func `a token for the metrics has a length, and is another than the password`() throws {
        let folder = try TestFolder()
        let page = "[page]\nlisten = \"127.0.0.1:8080\"\npassword = \"0123456789abcdef\"\n"
        let text = page + "metrics_token_file = \"\(folder.path("token"))\"\n"
        #expect(Self.mistakes(text).first?.contains("no such file") == true)
        for wrong in ["0123456789abcde", "0123456789abcdef"] {
            try folder.write("token", wrong + "\n")
            let mistake = Self.mistakes(text).first
            #expect(
                mistake?.contains("16 characters") == true && mistake?.contains(wrong) == false, "\(mistake ?? "–")")
        }
        try folder.write("token", "fedcba9876543210\n")
        let configuration = try GatewayConfiguration.parse(text, gateway: "g")
        #expect(configuration.page.metricsToken?.revealed == "fedcba9876543210")
        try folder.write("page.metrics_token", "another token of a service")
        let service = try GatewayConfiguration.parse(
            page, gateway: "g", environment: ["CREDENTIALS_DIRECTORY": folder.path])
        #expect(service.page.metricsToken?.revealed == "another token of a service")
    }

    @Test(arguments: [
        ("127.0.0.1:8080", nil), ("192.168.1.7:8443", "https://192.168.1.7:8443/"),
        ("[2001:db8::7]:443", "https://[2001:db8::7]:443/"),
    ])
    func `the page's address is told where other machines reach it`(listen: String, url: String?) {
        var page = PageConfiguration()
        page.listen = listen
        #expect(page.url == url)
        page.hosts = ["gateway.example.org"]
        #expect((page.url != nil) == (url != nil) && page.url?.contains("gateway.example.org") ?? true)
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

/// The open ports of the flashed image.
struct OpenPortsTests {
    private static func ports(_ text: String, more: String? = nil) throws -> [UInt16] {
        let folder = try TestFolder()
        try folder.write("martlet.toml", text)
        if let more { try folder.write("conf.d/10-page.toml", more) }
        return try OpenPorts.named(by: folder.path("martlet.toml"))
    }

    @Test func `a page for the network opens its port, and a page for the machine alone none`() throws {
        #expect(try Self.ports("") == [])
        #expect(try Self.ports("[page]\nlisten = \"127.0.0.1:8080\"\n") == [])
        #expect(try Self.ports("[page]\nlisten = \"[::1]:8080\"\n") == [])
        #expect(try Self.ports("[page]\nlisten = \"localhost:8080\"\n") == [])
        #expect(try Self.ports("[page]\nlisten = \"0.0.0.0:8443\"\n") == [8_443])
        #expect(try Self.ports("[page]\nlisten = \"[::]:443\"\n") == [443])
        #expect(
            try Self.ports("[page]\nlisten = \"0.0.0.0:8443\"\n", more: "[page]\nlisten = \"192.168.1.2:9443\"\n")
                == [9_443], "later files win")
    }

    @Test func `the gateway's own file opens nothing, and a secret that root cannot read keeps no port closed`() throws
    {
        let folder = try TestFolder()
        try folder.write("state/config.d/50-provisioned.toml", "[page]\nlisten = \"0.0.0.0:22\"\n")
        try folder.write(
            "martlet.toml",
            """
            [bluetooth]
            state_directory = "\(folder.path("state"))"
            [mqtt]
            username = "gateway"
            password_file = "\(folder.path("nowhere"))"
            [page]
            listen = "0.0.0.0:8443"
            """)
        #expect(try OpenPorts.named(by: folder.path("martlet.toml")) == [8_443])
    }

    @Test func `files with a mistake open nothing`() throws {
        #expect(throws: ConfigurationError.self) { try Self.ports("[page]\nlisten = \"0.0.0.0:8443\"\ncolour = 1\n") }
        #expect(throws: ConfigurationError.self) { try Self.ports("[page]\nlisten = \"0.0.0.0:99999\"\n") }
        #expect(throws: ConfigurationError.self) { try OpenPorts.named(by: "/nowhere/martlet.toml") }
    }
}
