// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/*.toml.

extension SensorFamilies {
    /// What files describe.
    static let described: [SensorDefinition] = [
        .acconeer, .amazfitScale, .amphiro, .aprilBrother, .beaconxPro, .beewi, .blusensor, .blustream, .chefIq, .ela, .feasycom, .grundfos, .hobo, .holyiot, .hormann, .inode, .jaalee, .jinou, .kegtron, .laica, .miBand, .michelin, .mikrotik, .moat, .mocreo, .mokobeacon, .nodon, .oras, .otodata, .polar, .radioland, .relsib, .seelevel, .senssun, .skale, .smartdry, .teltonika, .tpms, .xiaogui, .xoss,
    ]
}
