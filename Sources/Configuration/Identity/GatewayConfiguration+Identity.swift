// SPDX-License-Identifier: Apache-2.0

import Foundation

extension GatewayConfiguration {
    private static let nameless = "this machine has no id in /etc/machine-id"
    private static let choice = "gateway.id in the configuration sets one"

    /// Names a gateway without a name in its configuration: by its kept identity, else by the machine's id, else at
    /// random.
    ///
    /// - Parameter fresh: The new name to keep, if the gateway needs one; nil for a caller that must not write.
    static func identify(_ reader: inout ConfigurationReader, on places: MachineMarks.Places, fresh: String?) {
        let place = GatewayName(stateDirectory: reader.configuration.bluetooth.stateDirectory)
        let marks = MachineMarks(places)
        let machine = GatewayName.ofMachine(try? String(contentsOfFile: places.machineID, encoding: .utf8))
        var (name, warning): (String, String?)
        var former: String?
        switch place.read() {
        case .identity(let kept):
            (name, warning, former) = start(kept, place, on: marks, machine: machine, fresh: fresh)
        case let other: (name, warning) = begin(other, place, on: marks, machine: machine, fresh: fresh)
        }
        reader.update {
            $0.gateway = name
            $0.copiedFrom = former
            if let warning { $0.warnings.append(warning) }
        }
    }

    /// Starts a gateway with an identity: its name, a warning, and the original of a copy.
    private static func start(
        _ kept: GatewayIdentity, _ place: GatewayName, on marks: MachineMarks, machine: String?, fresh: String?
    ) -> (String, String?, String?) {
        var identity = kept
        var trouble = ""
        if let fresh {
            identity.start(on: marks, fresh: fresh)
            if identity != kept {
                do throws(GatewayName.Failure) { try place.keep(identity) } catch {
                    trouble =
                        ", until the next start: \(place.path) cannot be written (\(error.reason))"
                }
            }
        }
        if let former = identity.copiedFrom {
            return (
                identity.name,
                "this gateway is a copy of \(former) in another machine, and its name is \(identity.name) now\(trouble). Buffered "
                    + "readings keep the name \(former)",
                former
            )
        }
        guard machine == nil else { return (identity.name, nil, nil) }
        return (
            identity.name, "\(nameless), so the gateway is \(identity.name), as kept in \(place.path); \(choice)", nil
        )
    }

    /// Starts a gateway without a readable identity.
    private static func begin(
        _ kept: GatewayName.Kept, _ place: GatewayName, on marks: MachineMarks, machine: String?, fresh: String?
    ) -> (String, String?) {
        guard let fresh else {
            let words =
                switch kept {
                case .unreadable(let reason):
                    "and the gateway's id in \(place.path) cannot be read by this user: \(reason)"
                case .damaged:
                    "and what \(place.path) keeps of one is damaged: the next start makes another one; \(choice)"
                default: "so the first start makes an id for the gateway, and keeps it in \(place.path); \(choice)"
                }
            return machine.map { ($0, nil) } ?? (GatewayName.unnamed, "\(nameless), \(words)")
        }
        let name = machine ?? fresh
        let failure: String?
        do throws(GatewayName.Failure) {
            try place.keep(GatewayIdentity(name, on: marks))
            failure = nil
        } catch {
            failure = error.reason
        }
        // The machine's id gives the same name at the next start.
        guard machine == nil else { return (name, nil) }
        if let failure {
            return (
                name,
                "\(nameless), and \(place.path) cannot be written (\(failure)): the gateway is \(name) until it ends, and "
                    + "another one at each start; let it write there, or set gateway.id in the configuration"
            )
        }
        let former = if case .damaged = kept { "and what was kept of one is damaged, " } else { "" }
        return (
            name,
            "\(nameless), \(former)so the gateway is \(name) from now on, which is kept in \(place.path); \(choice)"
        )
    }
}
