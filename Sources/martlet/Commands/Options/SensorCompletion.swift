// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Collector
import Configuration
import Gateway
import Health
import Operations

/// Completes the sensors and the problems of a running gateway in the shell.
enum SensorCompletion {
    static let kind = CompletionKind.custom { words, _, _ in SensorCompletion.words(for: words, SensorCompletion.ids) }
    static let problemKind = CompletionKind.custom { words, _, _ in
        SensorCompletion.words(for: words, SensorCompletion.problems)
    }

    /// The sensors' ids, then the names of entries without a sensor; none without a gateway.
    static func ids(_ status: GatewayStatus) -> [String] {
        let all = status.collector.sensors.map(\.id) + status.collector.awaited.map(\.entry)
        return all.filter(isWord)
    }

    /// The words behind the signs of `martlet status`, each once: a sensor, or a part of the gateway.
    static func problems(_ status: GatewayStatus) -> [String] {
        Set((status.problems ?? []).map { $0.sensor ?? $0.part }).filter(isWord).sorted()
    }

    /// The text is a single word for a shell.
    private static func isWord(_ text: String) -> Bool {
        !text.isEmpty && text.allSatisfy { $0.isLetter || $0.isNumber || "_-:.".contains($0) }
    }

    private static func words(for words: [String], _ those: (GatewayStatus) -> [String]) -> [String] {
        func value(of names: String...) -> String? {
            words.indices.dropLast().last { names.contains(words[$0]) }.map { words[$0 + 1] }
        }
        let config = value(of: "-c", "--config") ?? GatewayConfiguration.defaultPath
        let socket = ControlOptions.path(socket: value(of: "--socket"), config: config)
        do throws(ControlError) {
            return those(try ControlClient.ask(OperationTable.status, socket: socket))
        } catch {
            return []
        }
    }
}
