// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

extension PairingTranscript {
    /// All but Passkey Entry of Secure Connections.
    static let short: [PairingTranscript] = [
        PairingTranscript(
            name: "legacy-just-works",
            initiator: DeviceAddress(kind: .public, value: 0x00A0C91D3301),
            responder: DeviceAddress(kind: .public, value: 0x00A0C91D3302),
            key: "c78e9287f4a57ce875b8e919f5425cef",
            temporaryKey: "00000000000000000000000000000000",
            pdus: """
                > 01030001100303
                < 02030001100303
                > 03c5f00d04556d70d42ae5bd1fc804a2d9
                < 03b955de53afeb746fb0b3d324ea044753
                > 0453ce43a3321dbaeb908c62a41e4aa8b0
                < 044742551a032598c4372f9e2625fe77bb
                """),
        PairingTranscript(
            name: "legacy-passkey-019655",
            initiator: DeviceAddress(kind: .random, value: 0xC3A0C91D3303),
            responder: DeviceAddress(kind: .public, value: 0x00A0C91D3304),
            key: "3a03de13f6e8f2eb1313d76490eb2434",
            temporaryKey: "00000000000000000000000000004cc7",
            pdus: """
                > 01040005100303
                < 02000005100303
                > 03198e165af12aa2373fee2d787d98d34d
                < 035dca064f3827b6cb2f9eb3d1404a49ad
                > 04d0db31d6e7c70e1f6852209fc6d2fc50
                < 0454b0f87db70ca4649264b61a61a06c03
                """),
        PairingTranscript(
            name: "legacy-oob",
            initiator: DeviceAddress(kind: .random, value: 0x7081940DFBAA),
            responder: DeviceAddress(kind: .random, value: 0xF1A0C91D3305),
            key: "0b3028d3418478099e06dab73730589c",
            temporaryKey: "0102030405060708090a0b0c0d0e0f10",
            pdus: """
                > 01030105100303
                < 02030105100303
                > 038f27e0d88c442345def573bad4378ae8
                < 03f19592e260077a237c8318c1f29d1338
                > 04f2bda71f4bf541c2e540735c62784326
                < 048b50bbd0753da4029b038d06b4c4f925
                """),
        PairingTranscript(
            name: "legacy-just-works-keysize-7",
            initiator: DeviceAddress(kind: .public, value: 0x00A0C91D3301),
            responder: DeviceAddress(kind: .public, value: 0x00A0C91D3302),
            key: "000000000000000000edf3e89b81b7cb",
            temporaryKey: "00000000000000000000000000000000",
            pdus: """
                > 01030001100303
                < 02030001070303
                > 0380c4d0263b2d291c4ba8fc746c3e0061
                < 038c694f501b96e51470969c86f724c5e8
                > 042bdd0af60bd96482375617147a48d55b
                < 047f7ef0d1738385732057985d9cff5c6d
                """),
        PairingTranscript(
            name: "sc-just-works",
            initiator: DeviceAddress(kind: .public, value: 0x00A0C91D3301),
            responder: DeviceAddress(kind: .public, value: 0x00A0C91D3302),
            key: "70efd349cfee38986e277c8cecc9f1cf",
            initiatorPrivateKey: "3f49f6d4a3c55f3874c9b3e3d2103f504aff607beb40b7995899b8a6cd3c1abd",
            responderPrivateKey: "55188b3d32f6bb9a900afcfbeed4e72a59cb9ac2f19d7cfb6b4fdd49f47fc5fd",
            pdus: """
                > 01030009100303
                < 02030009100303
                > 0ce69d350e480103ccdbfdf4ac1191f4efb9a5f9e9a7832c5e2cbe97f2d203b0208bd28915d08e1c742430ed8fc24563 \
                   765c15525abf9a32636deb2a65499c80dc
                < 0c90a1aa2fb27790559fa61586fd8ab547004c9ef184225909961daf1ff0f0a11e4a21b115f9af895f76368ee230112d \
                   476051b89a3a70567337ad9d423ef3554c
                < 03b40b2f4f33f8b240aa120165fd5c086f
                > 042b2a6d1504e5d240b2b92c1182565f3a
                < 041c9cbd759c8af042af05823f574b9e97
                > 0d34c92bae962bb95ac79ff7705aec3496
                < 0d08eb11e2e05e612d560c42745a905249
                """),
        PairingTranscript(
            name: "sc-numeric-comparison",
            initiator: DeviceAddress(kind: .random, value: 0xC3A0C91D3303),
            responder: DeviceAddress(kind: .public, value: 0x00A0C91D3304),
            key: "2e508b6c7809bb48f417269871cc268b",
            initiatorPrivateKey: "3f49f6d4a3c55f3874c9b3e3d2103f504aff607beb40b7995899b8a6cd3c1abd",
            responderPrivateKey: "55188b3d32f6bb9a900afcfbeed4e72a59cb9ac2f19d7cfb6b4fdd49f47fc5fd",
            number: 805856,
            pdus: """
                > 0101000d100303
                < 0201000d100303
                > 0ce69d350e480103ccdbfdf4ac1191f4efb9a5f9e9a7832c5e2cbe97f2d203b0208bd28915d08e1c742430ed8fc24563 \
                   765c15525abf9a32636deb2a65499c80dc
                < 0c90a1aa2fb27790559fa61586fd8ab547004c9ef184225909961daf1ff0f0a11e4a21b115f9af895f76368ee230112d \
                   476051b89a3a70567337ad9d423ef3554c
                < 033f13ede3f8b6ee1ed7dc027f12cfb1ca
                > 043d9b9e19d3a41e4de3694c1f3b5aac08
                < 0433fdd7aabc15a7e301b26e78b3894892
                > 0d717b04493ca00d6291c1eb0f17254e32
                < 0df99e38e988ac27b766865be55516d51c
                """),
        PairingTranscript(
            name: "sc-oob-both",
            initiator: DeviceAddress(kind: .random, value: 0x7081940DFBAA),
            responder: DeviceAddress(kind: .random, value: 0xF1A0C91D3305),
            key: "edb7c00de0d5cfa64c0f894416d31b3b",
            initiatorPrivateKey: "3f49f6d4a3c55f3874c9b3e3d2103f504aff607beb40b7995899b8a6cd3c1abd",
            responderPrivateKey: "55188b3d32f6bb9a900afcfbeed4e72a59cb9ac2f19d7cfb6b4fdd49f47fc5fd",
            initiatorData: ("1fdc93d2f19beeb6110dda7c77b7d367", "ce7cc1e40910d73720d0f95f1e04cb4a"),
            responderData: ("7d69bbe5f6cea77900c193cdf474cd83", "d49f9d8dbc60a575652bd72e012c2ec6"),
            pdus: """
                > 0103010d100303
                < 0203010d100303
                > 0ce69d350e480103ccdbfdf4ac1191f4efb9a5f9e9a7832c5e2cbe97f2d203b0208bd28915d08e1c742430ed8fc24563 \
                   765c15525abf9a32636deb2a65499c80dc
                < 0c90a1aa2fb27790559fa61586fd8ab547004c9ef184225909961daf1ff0f0a11e4a21b115f9af895f76368ee230112d \
                   476051b89a3a70567337ad9d423ef3554c
                > 040249190c57a8005a2cc80eb9cd087a54
                < 0405146422f8b9998e213cda51e5c3dc20
                > 0d7272fb9dacb62869ec4bf2dd5143a6d7
                < 0dcc0b19e94a504cbab69625fd414efa32
                """),
    ]
}
