// SPDX-License-Identifier: Apache-2.0

/// What a product number of MiBeacon stands for.
struct MiBeaconModel: Sendable {
    let name: String
    /// It sends something when it happens, and nothing else.
    var isEventDriven = false

    /// By product number.
    static let all: [UInt16: MiBeaconModel] = [
        0x0098: .init(name: "HHCCJCY01"), 0x01AA: .init(name: "LYWSDCGQ"), 0x055B: .init(name: "LYWSD03MMC"),
        0x045B: .init(name: "LYWSD02"), 0x16E4: .init(name: "LYWSD02MMC"), 0x2542: .init(name: "LYWSD02MMC"),
        0x0347: .init(name: "CGG1"), 0x0B48: .init(name: "CGG1"), 0x066F: .init(name: "CGDK2"),
        0x03D6: .init(name: "CGH1", isEventDriven: true), 0x0A83: .init(name: "CGPR1"), 0x0576: .init(name: "CGD1"),
        0x0387: .init(name: "MHO-C401"), 0x2832: .init(name: "MJWSD05MMC"), 0x4C47: .init(name: "MJWSD05MMC"),
        0x55B5: .init(name: "MJWSD06MMC"), 0x5BEA: .init(name: "MJWSD06MMC"), 0x1203: .init(name: "XMWSDJ04MMC"),
        0x098B: .init(name: "MCCGQ02HL", isEventDriven: true), 0x0A8D: .init(name: "RTCGQ02LM", isEventDriven: true),
        0x07F6: .init(name: "MJYD02YL"), 0x0863: .init(name: "SJWS01LM", isEventDriven: true),
        0x6375: .init(name: "SJWS02LM", isEventDriven: true), 0x0997: .init(name: "JTYJGD03MI", isEventDriven: true),
        0x02DF: .init(name: "JQJCY01YM"), 0x0153: .init(name: "YLYK01YL", isEventDriven: true),
        0x03B6: .init(name: "YLKG07YL", isEventDriven: true), 0x30D9: .init(name: "S400", isEventDriven: true),
        0x3BD5: .init(name: "S400", isEventDriven: true), 0x48CF: .init(name: "S400", isEventDriven: true),
        0x4FC2: .init(name: "S400", isEventDriven: true), 0x45C9: .init(name: "S200", isEventDriven: true),
        0x4C04: .init(name: "S200", isEventDriven: true), 0x4DCB: .init(name: "S200", isEventDriven: true),
        0x03BC: .init(name: "GCLS002"),
    ]

    // Those whose objects mean something else than others'.
    static let lywsd03mmc: UInt16 = 0x055B
    static let mhoC401: UInt16 = 0x0387
    static let door: UInt16 = 0x098B
    static let motion: UInt16 = 0x0A8D
    static let nightLight: UInt16 = 0x07F6
    static let motionAndLight: UInt16 = 0x0A83
    static let remote: UInt16 = 0x0153
    static let dimmer: UInt16 = 0x03B6
}
