// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Page

/// The forms of a `Host`: each accepted form, with the nearest refused forms.
struct PageHostTests {
    @Test(
        arguments: [
            ("attic", "attic", nil), ("Attic.LOCAL:8080", "attic.local", 8080),
            ("a-b_c.example.org:1", "a-b_c.example.org", 1),
            ("192.0.2.7", "192.0.2.7", nil), ("192.0.2.7:65535", "192.0.2.7", 65_535), ("[::1]", "::1", nil),
            ("[::1]:8080", "::1", 8080), ("[FE80::1]:80", "fe80::1", 80), ("7seas", "7seas", nil),
            ("a.7seas", "a.7seas", nil),
        ] as [(String, String, UInt16?)])
    func `names and addresses are read with their port`(text: String, name: String, port: UInt16?) {
        let host = PageHost(text)
        #expect(host?.name == name && host?.port == port)
    }

    @Test(
        arguments: [
            "", ":8080", "attic:", "attic:0", "attic:65536", "attic:080", "attic:8080:8080", "attic:80x", "attic: 80",
            "attic:+80", "attic:-1", "attic:８０", "attic:evil.example", "attic.", "attic.:80", ".attic", "a..b",
            "attic ", " attic",
            "attic,evil", "user@attic", "user:word@attic", "attic/", "attic#x", "attic?x", "attic%2e", "attic\\x",
            "at\u{0}tic",
            "attic\t", "ättic", "\u{2116}", "127.0.0.1.", "127.0.0.1:", "127.0.0.1:80:80", "127.0.0.1x:80.5", "127.1",
            "2130706433",
            "0x7f000001.1", "256.0.0.1", "1", "[::1", "::1", "::1]", "[]", "[::1]evil", "[::1]evil.example:80",
            "[::1].", "[::1]:",
            "[::1]:0", "[::1]:80:80", "[::1]:80x", "[::1]80", "[[::1]]", "[::1]]", "[127.0.0.1]", "[attic]",
            "[::1%25eth0]",
            "[::1%eth0]", "[v1.x]", "[::g]", "x[::1]", "[::1]@attic", "attic@[::1]", String(repeating: "a", count: 64),
            String(repeating: "a.", count: 126) + "ab",
        ])
    func `what is like them is nothing`(text: String) { #expect(PageHost(text) == nil) }

    @Test func `the longest names there are`() {
        #expect(PageHost(String(repeating: "a", count: 63)) != nil)
        #expect(PageHost(String(repeating: "a.", count: 126) + "a")?.name.utf8.count == 253)
    }
}
