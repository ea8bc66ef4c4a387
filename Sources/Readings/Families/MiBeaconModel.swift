// SPDX-License-Identifier: Apache-2.0

/// The model of a product number of MiBeacon.
enum MiBeaconModel {
    static func name(of product: UInt16) -> String? { names[product] ?? namesOfEventDriven[product] }

    /// The model sends only events.
    static func isEventDriven(_ product: UInt16) -> Bool { namesOfEventDriven[product] != nil }

    /// An octet follows the last object of this product.
    static let fever: UInt16 = 0x0391

    private static let names: [UInt16: String] = [
        0x0098: "HHCCJCY01", 0x01AA: "LYWSDCGQ", 0x055B: "LYWSD03MMC", 0x045B: "LYWSD02", 0x16E4: "LYWSD02MMC",
        0x2542: "LYWSD02MMC", 0x0347: "CGG1", 0x0B48: "CGG1", 0x066F: "CGDK2", 0x0A83: "CGPR1", 0x0576: "CGD1",
        0x0387: "MHO-C401", 0x2832: "MJWSD05MMC", 0x4C47: "MJWSD05MMC", 0x55B5: "MJWSD06MMC", 0x5BEA: "MJWSD06MMC",
        0x1203: "XMWSDJ04MMC", 0x07F6: "MJYD02YL", 0x02DF: "JQJCY01YM", 0x03BC: "GCLS002", 0x0C3C: "CGC1",
        0x015D: "HHCCPOT002", 0x3E17: "KS1BP", 0x5DB1: "MBS17", 0x78DB: "ESM787", 0x06D3: "MHO-C303",
        0x00DB: "MMC-T201-1", 0x040A: "WX08ZM", 0x4F59: "CGDK3", 0x520B: "KS2BB", 0x64C5: "PTX-F1",
    ]

    private static let namesOfEventDriven: [UInt16: String] = [
        0x03D6: "CGH1", 0x098B: "MCCGQ02HL", 0x0A8D: "RTCGQ02LM", 0x0863: "SJWS01LM", 0x6375: "SJWS02LM",
        0x0997: "JTYJGD03MI", 0x0153: "YLYK01YL", 0x03B6: "YLKG07YL", 0x30D9: "S400", 0x3BD5: "S400", 0x48CF: "S400",
        0x4FC2: "S400", 0x45C9: "S200", 0x4C04: "S200", 0x4DCB: "S200", 0x4B05: "S400 Pro", 0x78D1: "MC-COMM",
        0x1568: "K9B-1BTN", 0x1569: "K9B-2BTN", 0x0DFD: "K9B-3BTN", 0x1C10: "K9BB-1BTN", 0x3A61: "KS1",
        0x1889: "MS1BB", 0x2AEB: "HS1BB", 0x3F0F: "RS1BB", 0x3F4C: "PS1BB", 0x0391: "MMC-W505", 0x03DD: "MUE4094RT",
        0x0489: "M1S-T500", 0x0806: "T700", 0x1790: "T700", 0x3531: "XMPIRO2SXS", 0x4C60: "XMPIRO2GSXS",
        0x4683: "XMOSB01XS", 0x04E1: "XMMF01JQD", 0x1949: "XMWXKG01YL", 0x2387: "XMWXKG01LM", 0x07BF: "YLAI003",
        0x38BB: "PTX", 0x78A3: "AFWXKG220000", 0x068E: "YLYK01YL-FANCL", 0x04E6: "YLYK01YL-VENFAN",
        0x03BF: "YLYB01YL-BHFRC", 0x50FB: "ES3", 0x6A0F: "ES5BB", 0x5968: "XMWS01XS", 0x20DB: "MJZNZ018H",
        0x11C2: "SV40", 0x0E39: "XMZNMS08LM", 0x069E: "ZNMS16LM", 0x7712: "zhiee.flood.sj01",
    ]
}
