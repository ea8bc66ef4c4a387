// SPDX-License-Identifier: Apache-2.0

/// The model of a product number of MiBeacon.
struct MiBeaconModel: Sendable {
    let name: String
    /// The model sends only events.
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
        0x4B05: .init(name: "S400 Pro", isEventDriven: true), 0x03BC: .init(name: "GCLS002"),
        0x0C3C: .init(name: "CGC1"), 0x78D1: .init(name: "MC-COMM", isEventDriven: true),
        0x015D: .init(name: "HHCCPOT002"), 0x1568: .init(name: "K9B-1BTN", isEventDriven: true),
        0x1569: .init(name: "K9B-2BTN", isEventDriven: true), 0x0DFD: .init(name: "K9B-3BTN", isEventDriven: true),
        0x1C10: .init(name: "K9BB-1BTN", isEventDriven: true), 0x3A61: .init(name: "KS1", isEventDriven: true),
        0x3E17: .init(name: "KS1BP"), 0x1889: .init(name: "MS1BB", isEventDriven: true),
        0x2AEB: .init(name: "HS1BB", isEventDriven: true), 0x3F0F: .init(name: "RS1BB", isEventDriven: true),
        0x3F4C: .init(name: "PS1BB", isEventDriven: true), 0x5DB1: .init(name: "MBS17"),
        0x78DB: .init(name: "ESM787"), 0x06D3: .init(name: "MHO-C303"), 0x00DB: .init(name: "MMC-T201-1"),
        0x0391: .init(name: "MMC-W505", isEventDriven: true), 0x03DD: .init(name: "MUE4094RT", isEventDriven: true),
        0x0489: .init(name: "M1S-T500", isEventDriven: true), 0x0806: .init(name: "T700", isEventDriven: true),
        0x1790: .init(name: "T700", isEventDriven: true), 0x3531: .init(name: "XMPIRO2SXS", isEventDriven: true),
        0x4C60: .init(name: "XMPIRO2GSXS", isEventDriven: true), 0x4683: .init(name: "XMOSB01XS", isEventDriven: true),
        0x040A: .init(name: "WX08ZM"), 0x04E1: .init(name: "XMMF01JQD", isEventDriven: true),
        0x1949: .init(name: "XMWXKG01YL", isEventDriven: true), 0x2387: .init(name: "XMWXKG01LM", isEventDriven: true),
        0x07BF: .init(name: "YLAI003", isEventDriven: true), 0x38BB: .init(name: "PTX", isEventDriven: true),
        0x78A3: .init(name: "AFWXKG220000", isEventDriven: true),
        0x068E: .init(name: "YLYK01YL-FANCL", isEventDriven: true),
        0x04E6: .init(name: "YLYK01YL-VENFAN", isEventDriven: true),
        0x03BF: .init(name: "YLYB01YL-BHFRC", isEventDriven: true), 0x4F59: .init(name: "CGDK3"),
        0x50FB: .init(name: "ES3", isEventDriven: true), 0x6A0F: .init(name: "ES5BB", isEventDriven: true),
        0x520B: .init(name: "KS2BB"), 0x5968: .init(name: "XMWS01XS", isEventDriven: true),
        0x20DB: .init(name: "MJZNZ018H", isEventDriven: true), 0x64C5: .init(name: "PTX-F1"),
        0x11C2: .init(name: "SV40", isEventDriven: true), 0x0E39: .init(name: "XMZNMS08LM", isEventDriven: true),
        0x069E: .init(name: "ZNMS16LM", isEventDriven: true),
        0x7712: .init(name: "zhiee.flood.sj01", isEventDriven: true),
    ]

    // Models whose objects have a meaning of their own.
    static let lywsd03mmc: UInt16 = 0x055B
    static let mhoC401: UInt16 = 0x0387
    static let door: UInt16 = 0x098B
    static let motion: UInt16 = 0x0A8D
    static let nightLight: UInt16 = 0x07F6
    static let motionAndLight: UInt16 = 0x0A83
    static let leakTwo: UInt16 = 0x6375
    static let bed: UInt16 = 0x4683
    /// An octet follows the last object.
    static let fever: UInt16 = 0x0391
}
