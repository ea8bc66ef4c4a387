// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatewayBench
import Testing

@testable import Page

/// The program's files equal the folder's files.
struct PageFilesTests {
    private static let folder = Checkout.url("Sources/CPage/page")

    @Test func `every file of the page is served as it is, and all together are small`() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(PageFiles.names == Set(names))
        var total = 0
        for name in names {
            let path = name == "index.html" ? "/" : name == "login.html" ? "/login" : "/" + name
            let file = try #require(PageFiles.named(path), "\(name)")
            guard case .octets(let octets) = file.response.body else {
                Issue.record("\(name) is no file")
                continue
            }
            let data = try Data(contentsOf: Self.folder.appendingPathComponent(name))
            #expect(data == Data(octets), "\(name)")
            if name == "findings.de.js" {
                // Only a German reader who checks a configuration needs it.
                #expect(octets.count < 40_000)
            } else {
                total += octets.count
            }
        }
        // Two fifths of it are the texts of two languages.
        #expect(total < 330_000)
        #expect(PageFiles.named("/index.html") == nil && PageFiles.named("/../x") == nil)
    }

    @Test func `nothing of it asks another site for anything`() throws {
        for name in PageFiles.names {
            let text = try String(contentsOf: Self.folder.appendingPathComponent(name), encoding: .utf8)
            let addresses = text.matches(of: /https?:\/\/[a-zA-Z0-9.\/]+/).map { String($0.output) }
            #expect(addresses.allSatisfy { $0.hasPrefix("http://www.w3.org/") }, "\(name): \(addresses)")
            #expect(!text.contains("innerHTML"), "\(name)")
        }
    }
}
