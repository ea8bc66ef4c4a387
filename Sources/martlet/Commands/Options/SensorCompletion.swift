// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Collector
import Configuration
import Gateway
import Operations

/// Completes sensors in the shell: the ids of a running gateway.
enum SensorCompletion {
    static let kind = CompletionKind.custom { words, _, _ in SensorCompletion.ids(for: words) }

    /// The sensors' ids, then the names of entries without a sensor; none without a gateway.
    static func ids(_ status: GatewayStatus) -> [String] {
        let all = status.collector.sensors.map(\.id) + status.collector.awaited.map(\.entry)
        // A shell reads an id as a word.
        return all.filter { !$0.isEmpty && $0.allSatisfy { $0.isLetter || $0.isNumber || "_-:.".contains($0) } }
    }

    static func ids(for words: [String]) -> [String] {
        func value(of names: String...) -> String? {
            words.indices.dropLast().last { names.contains(words[$0]) }.map { words[$0 + 1] }
        }
        let config = value(of: "-c", "--config") ?? GatewayConfiguration.defaultPath
        let socket = ControlOptions.path(socket: value(of: "--socket"), config: config)
        do throws(ControlError) {
            return ids(try ControlClient.ask(OperationTable.status, socket: socket))
        } catch {
            return []
        }
    }
}
