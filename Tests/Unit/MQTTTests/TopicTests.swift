// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import MQTT

@Suite("Topics")
struct TopicTests {
    @Test(
        arguments: [
            ("a", nil), ("/", nil), ("a//b", nil), ("a b/ä/€/😀", nil), ("$SYS/broker", nil), ("A/a", nil),
            ("", .empty), ("a\u{0}b", .character), ("a\n", .character), ("\u{7F}", .character), ("\u{85}", .character),
            (String(decoding: [0xEF, 0xB7, 0x90], as: UTF8.self), .character),
            (String(decoding: [0xEF, 0xBF, 0xBF], as: UTF8.self), .character),
            (String(decoding: [0xF0, 0x9F, 0xBF, 0xBE], as: UTF8.self), .character), ("\u{FFFD}", nil),
            ("+", .wildcard), ("a/+/b", .wildcard), ("a/#", .wildcard), ("a+", .wildcard),
            // One character for Swift, two for the broker.
            ("a/+\u{301}", .wildcard), ("#\u{20DD}", .wildcard),
            (String(repeating: "a", count: 65_535), nil), (String(repeating: "ä", count: 32_768), .tooLong(65_536)),
        ] as [(String, TopicFault?)])
    func `a name has no wildcards`(text: String, expected: TopicFault?) {
        #expect(Self.fault { () throws(TopicFault) in _ = try TopicName(text) } == expected)
    }

    @Test(
        arguments: [
            ("a", nil), ("/", nil), ("+", nil), ("#", nil), ("+/+", nil), ("/+", nil), ("a/#", nil), ("a/+/b", nil),
            ("+/a/#", nil), ("a/$share/b", nil), ("$shared/a", nil), ("a//#", nil),
            ("", .empty), ("a\u{0}b", .character), ("a/\u{1F}", .character),
            ("a+", .wildcard), ("+a", .wildcard), ("a/b+/c", .wildcard), ("#/a", .wildcard), ("a#", .wildcard),
            ("a/#/b", .wildcard), ("##", .wildcard), ("++", .wildcard), ("+#", .wildcard), ("a/#b", .wildcard),
            ("+\u{301}/a", .wildcard), ("a/#\u{301}", .wildcard), ("$share/g/a", .shared), ("$share/", .shared),
            (String(repeating: "+/", count: 32_767), nil), (String(repeating: "a", count: 65_536), .tooLong(65_536)),
        ] as [(String, TopicFault?)])
    func `in a filter a wildcard stands for whole levels`(text: String, expected: TopicFault?) {
        #expect(Self.fault { () throws(TopicFault) in _ = try TopicFilter(text) } == expected)
    }

    @Test(arguments: [("a", false), ("a/+", true), ("#", true), ("$SYS/a", false)])
    func `a filter knows whether it has wildcards`(text: String, expected: Bool) throws {
        #expect(try TopicFilter(text).hasWildcards == expected)
    }

    private static func fault(_ body: () throws(TopicFault) -> Void) -> TopicFault? {
        do throws(TopicFault) {
            try body()
            return nil
        } catch {
            return error
        }
    }
}
