// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings
import SensorCipher
import Testing

@testable import VirtualRadio

struct SimulatedFamilyTests {
    private static let address: UInt64 = 0xA4C1_3812_3456

    @Test(arguments: SimulatedFamily.allCases)
    func `a model's packets are its family's, and say what the model measures`(_ model: SimulatedFamily) throws {
        let configuration = model.configuration(at: Self.address)
        for number in [UInt32(0), 1, 17, 29, 30, 59, 255, 65_535] {
            let octets = configuration.packet(number) + configuration.scanResponse
            #expect(configuration.packet(number).count <= 31 && configuration.scanResponse.count <= 31)
            let advertisement = try #require(Advertisement.all(in: octets[...], address: Self.address).first)
            let found = try #require(SensorFamilies.recognise(advertisement))
            #expect(found.decoder.family == model.rawValue)
            let packet: AdvertisedPacket
            switch found.packet {
            case .plain(let plain):
                #expect(!model.isEncrypted)
                packet = plain
            case .sealed(let sealed):
                #expect(model.isEncrypted)
                #expect(PacketCipher.open(sealed, key: [UInt8](repeating: 9, count: 16)) == nil)
                let opened = try #require(PacketCipher.open(sealed, key: SimulatedFamily.key))
                let unsealed = found.decoder.unsealed(sealed, plaintext: opened)
                packet = try #require(unsealed)
            }
            let fields = try found.decoder.decode(packet.value)
            let quantity: Quantity = model == .victron ? .voltage : .temperature
            let value = try #require(fields.first { $0.quantity == quantity }?.value.number)
            // A Tilt has whole degrees Fahrenheit, others have at least tenths.
            let step = model == .tilt ? 0.6 : 0.000_1
            #expect(abs(value - Double(model.value(of: number)) / 100) < step, "\(value)")
        }
    }
}
