// SPDX-License-Identifier: Apache-2.0

import Glibc

extension GatewayConfiguration {
    /// Reads the gateway's own files. No fault in these files prevents the start.
    ///
    /// - Parameters:
    ///   - layer: Replaces the file; nil takes the file on disk.
    ///   - mends: An unusable file is put aside.
    static func addMachineLayer(to reader: inout ConfigurationReader, _ layer: MachineLayerText?, mends: Bool) {
        let store = MachineLayerStore(
            stateDirectory: reader.configuration.bluetooth.stateDirectory, texts: reader.texts)
        // Another check reports a state directory that is no folder.
        let (files, reason) = files(in: store.folder, absent: [ENOENT, ENOTDIR])
        if let reason { report("\(store.folder), where the gateway keeps what was set up: \(reason)", to: &reader) }
        for file in Set(files + [store.path]).sorted() {
            if file == store.path {
                let found = layer.map { MachineLayerStore.Found(layer: $0) } ?? store.read(mends: mends)
                // An unreadable folder has been reported already.
                if let problem = found.problem, reason == nil { report(problem, to: &reader) }
                if let layer = found.layer { reader.addMachines(layer.document) }
            } else {
                add(file, to: &reader)
            }
        }
    }

    /// Adds a file of the folder that the gateway has not written.
    private static func add(_ file: String, to reader: inout ConfigurationReader) {
        guard case .success(let text) = contents(of: file) else {
            return report("\(file) cannot be read, and is left out", to: &reader)
        }
        do {
            reader.addMachines(try MachineLayerText(parsing: text, file: file, reader.texts).document)
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
