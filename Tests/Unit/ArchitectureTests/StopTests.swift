// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite("The ways of a notification and of an advertisement")
struct StopTests {
    private static let notification = "The way of one notification"
    private static let advertisement = "The way of one advertisement"
    private static let both = [notification, advertisement]

    private let document: ArchitectureDocument

    init() throws { document = try ArchitectureDocument() }

    private func stops(of way: String) throws -> [ArchitectureDocument.Stop] {
        try #require(document.ways[way], "docs/architecture.md has no stops under \"\(way)\"")
    }

    @Test("about ten stops lead from the HCI socket to the PUBACK, or to the journal", arguments: both)
    func thereAreAboutTen(way: String) throws {
        let stops = try stops(of: way)
        #expect((8...14).contains(stops.count))
        #expect(stops.first?.file.hasPrefix("Sources/HCITransport/") == true)
        let end = way == Self.notification ? "Sources/MQTT/" : "Sources/Journal/"
        #expect(stops.last?.file.hasPrefix(end) == true)
    }

    @Test("the way of an advertisement ends at a stop of a notification")
    func waysMeet() throws {
        let last = try #require(try stops(of: Self.advertisement).last)
        #expect(try stops(of: Self.notification).contains(last))
    }

    @Test("no stop is named twice", arguments: both)
    func eachOnce(way: String) throws {
        let stops = try stops(of: way)
        #expect(Set(stops).count == stops.count)
    }

    @Test("the function of each stop is in its file", arguments: both)
    func functionsExist(way: String) throws {
        for stop in try stops(of: way) {
            let text = try Repository.text(stop.file)
            let isThere = text.contains("func \(stop.name)(") || text.contains("func \(stop.name)<")
            #expect(isThere, "\(stop)")
        }
    }

    @Test("the drawing of the house names every module of the table with Swift code")
    func drawing() {
        let words = Set(document.drawing.matches(of: /\w+/).map { String($0.0) })
        for target in document.targets where target.name.firstMatch(of: /^C[A-Z]|Headers$/) == nil {
            #expect(words.contains(target.name), "\(target.name)")
        }
    }
}
