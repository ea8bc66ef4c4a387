// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Readings

struct CharacteristicInstanceTests {
    @Test func `the first of several keeps its name, and the others have numbers`() {
        let names = (1...3).map { CharacteristicInstance.name(of: "2a6e", number: $0) }
        #expect(names == ["2a6e", "2a6e_2", "2a6e_3"])
        #expect(CharacteristicInstance.parts(of: "2a6e_3").map { "\($0.characteristic) \($0.number)" } == "2a6e 3")
        for name in ["2a6e", "2a6e_", "2a6e_1", "2a6e_0", "2a6e_256", "2a6e_x", ""] {
            #expect(CharacteristicInstance.parts(of: name) == nil, "\(name)")
        }
    }

    @Test func `the second temperature is temperature_2`() throws {
        let fields = try #require(Decoders.decode(characteristic: "2a6e_2", value: [0x10, 0x08]))
        #expect(fields.map(\.key) == ["temperature_2"])
        #expect(Decoders.decode(characteristic: "2a6e", value: [0x10, 0x08])?.map(\.key) == ["temperature"])
        #expect(Decoders.decode(characteristic: "2a6e_2", value: [0x10]) == nil, "it is decoded as strictly")
        #expect(Decoders.name(of: "2a6e_2") == Decoders.name(of: "2a6e").map { $0 + " 2" })
        #expect(Decoders.numbers(of: "2a6e_2") == [.temperature])
        #expect(Decoders.decoder(for: "ffff_2") == nil && Decoders.name(of: "ffff_2") == nil)
    }

    @Test func `fields that a value numbers itself stay apart from those of the instance before`() {
        let field = Field(.temperature, .int(1), index: 3)
        #expect(field.numbered(2).index == 19 && field.numbered(255).index == .max)
    }
}
