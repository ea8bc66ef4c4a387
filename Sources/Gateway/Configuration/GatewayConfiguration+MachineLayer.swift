// SPDX-License-Identifier: Apache-2.0

import Glibc

extension GatewayConfiguration {
    /// Reads what the gateway has written itself. Nothing of it keeps the gateway from starting.
    ///
    /// - Parameters:
    ///   - layer: Stands in for the file; nil takes the one on disk.
    ///   - mends: A file that cannot be used is put aside.
    static func addMachineLayer(to reader: inout ConfigurationReader, _ layer: MachineLayerText?, mends: Bool) {
        let store = MachineLayerStore(stateDirectory: reader.configuration.bluetooth.stateDirectory)
        // Where the state directory is no folder, others say so.
        let (files, reason) = files(in: store.folder, absent: [ENOENT, ENOTDIR])
        if let reason { report("\(store.folder), where the gateway keeps what was set up: \(reason)", to: &reader) }
        for file in Set(files + [store.path]).sorted() {
            if file == store.path {
                let found = layer.map { MachineLayerStore.Found(layer: $0) } ?? store.read(mends: mends)
                // Where the folder itself cannot be read, that is said already.
                if let problem = found.problem, reason == nil { report(problem, to: &reader) }
                if let layer = found.layer { reader.addMachines(layer.document) }
            } else {
                add(file, to: &reader)
            }
        }
    }

    /// Somebody else has put it there.
    private static func add(_ file: String, to reader: inout ConfigurationReader) {
        guard case .success(let text) = contents(of: file) else {
            return report("\(file) cannot be read, and is left out", to: &reader)
        }
        do {
            reader.addMachines(try MachineLayerText(parsing: text, file: file).document)
        } catch {
            report("\(error.issues.first.map { "\($0)" } ?? file), and so it is left out", to: &reader)
        }
    }

    private static func report(_ problem: String, to reader: inout ConfigurationReader) {
        reader.update {
            $0.warnings.append(problem)
            $0.layerProblems.append(problem)
        }
    }
}
