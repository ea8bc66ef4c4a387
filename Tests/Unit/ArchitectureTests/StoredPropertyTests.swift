// SPDX-License-Identifier: Apache-2.0

import Testing

/// A type that acts has at most 20 stored properties: more properties mean that a part inside needs its own private state.
@Suite("Stored properties")
struct StoredPropertyTests {
    private static let most = 20

    /// Records: they carry data for other types' decisions, and do nothing. Each with its reason.
    private static let records = [
        "DiscoveryDocument.Entity": "the keys of Home Assistant's document",
        "FieldDescription": "the keys of a [[field]] in a file",
        "FormDescription": "the keys of a [match] in a file",
        "GatewayConfiguration": "configuration",
        "GatewayStatus": "the keys of a status",
        "HostCounters": "counters",
        "MQTTConfiguration": "configuration",
        "SensorExplanation": "the keys of an answer",
        "SensorRule": "an entry of the configuration",
        "SensorStatus": "the keys of a status",
    ]

    /// The stored properties of each type, inherited ones included.
    private static func types() throws -> [String: Int] {
        var types: [String: Int] = [:]
        var heirs: [String: String] = [:]
        for file in try Repository.files(below: "Sources")
        where file.hasSuffix(".swift") && !file.hasSuffix(".pb.swift") {
            let found = StoredProperties(try Repository.text(file))
            for (type, properties) in found.types { types[type] = max(types[type] ?? 0, properties.count) }
            heirs.merge(found.heirs) { _, new in new }
        }
        let own = types
        for var type in heirs.keys.sorted() {
            let heir = type
            while let parent = heirs[type], let inherited = own[parent], parent != heir {
                types[heir, default: 0] += inherited
                type = parent
            }
        }
        return types
    }

    @Test func `a type that acts has at most 20 stored properties`() throws {
        let types = try Self.types()
        #expect(types.count > 1_000)
        for (type, count) in types.sorted(by: { $0.key < $1.key }) {
            guard Self.records[type] == nil else { continue }
            #expect(count <= Self.most, "\(type) has \(count) stored properties: make parts")
        }
        #expect(types["LinkedSensor"].map { $0 > 10 } == true, "inherited properties count")
        for type in Self.records.keys {
            #expect(types[type].map { $0 > Self.most } == true, "\(type) needs no exemption")
        }
    }

    private static let sample = #"""
        @available(*, deprecated) public final class Outer: Base<Int> { // struct Comment { var no: Int }
            static let none = 1, neither = 2
            class var alsoNone: Int { 3 }
            private let one = 1, two: [String: Int] = ["a": 1, "b": 2]
            @Wrapped(wrappedValue: 3) package private(set) var three: Int
            var (four, five) = (4, 5)
            var six: (Int) -> Void = { value in
                var local = value
            }
            var seven: Int {
                didSet { print("}\(seven > 1 ? "{" : "}")") }
            }
            var computed: Int { seven }
            var alsoComputed: [Int]
            {
                get { [1] }
            }
            lazy var eight = {
                let text = "{\"}"
                return /* { */ text
            }()
            weak
                var nine: Outer?
            let ten: String =
                "ten"
            func work(with closure: () -> Void = {}) { let local = 1; if let local { var other = local } }
            enum Choice { case first; static var count = 2; var name: String { "" } }
            struct Inner { let pattern = #/{"/#; var `default`: Int; init() { let no = 1; self.default = no } }
        }
        extension Outer { struct Other { var only = """
            { var no: Int
            """ } }
        actor Third { nonisolated let it = 0 }
        """#

    @Test func `the scanner tells what acts, what is hidden, and of which type a property is`() throws {
        let found = StoredProperties(
            """
            private struct Hidden { var open = 0; private var kept = Other() }
            struct Record { var name: String; fileprivate(set) var other: Other? }
            struct Part {
                var inner = Inner(), other: [Other]
                private(set) var count = 0
                func look() {}
            }
            extension Part { package mutating func change() {} }
            struct Inner { private mutating func change() {} }
            """)
        #expect(found.acting == ["Part", "Inner"] && found.hidden == ["Hidden"])
        let part = try #require(found.types["Part"])
        #expect(part.map(\.type) == ["Inner", nil, nil] && part.map(\.isKept) == [false, false, true])
        #expect(found.types["Hidden"]?.map(\.isKept) == [false, true])
        #expect(found.types["Record"]?.map(\.type) == ["String", "Other"])
    }

    @Test func `the scanner counts what is stored`() {
        let types = StoredProperties(Self.sample).types.mapValues { $0.map(\.name) }
        #expect(
            types == [
                "Outer": ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"],
                "Outer.Inner": ["pattern", "default"], "Outer.Other": ["only"], "Third": ["it"],
            ])
        #expect(StoredProperties(Self.sample).heirs == ["Outer": "Base"])
        let open = StoredProperties(Self.sample).types["Outer"]?.filter { !$0.isKept }.map(\.name)
        #expect(StoredProperties(Self.sample).acting == ["Outer", "Third"])
        #expect(open == ["four", "five", "six", "seven", "eight", "nine"])
    }
}
