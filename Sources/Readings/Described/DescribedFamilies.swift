// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/*.toml.

extension SensorFamilies {
    /// What files describe.
    static let described: [SensorDefinition] = [
        .acconeer, .amazfitScale, .amphiro, .aprilBrother, .aranet, .atc, .bParasite, .beaconxPro, .beewi, .bluemaestro, .blusensor, .blustream, .chefIq, .ela, .eufy, .feasycom, .govee, .grundfos, .hhccjcy10, .hobo, .holyiot, .hormann, .ibeacon, .inkbird, .inode, .jaalee, .jinou, .kegtron, .laica, .miBand, .miScale, .mibeacon, .michelin, .mikrotik, .moat, .mocreo, .mokobeacon, .nodon, .oralB, .oras, .otodata, .polar, .qingping, .radioland, .rapt, .relsib, .ruuvi, .seelevel, .sensirion, .sensorpush, .senssun, .skale, .smartdry, .switchbot, .teltonika, .thermobeacon, .thermopro, .tilt, .tpms, .victron, .xiaogui, .xoss,
    ]
}

extension Decoders {
    /// Characteristics that files describe.
    static let described: [SensorDefinition] = [.batteryMonitor, .inkbirdIdt34c]
}
