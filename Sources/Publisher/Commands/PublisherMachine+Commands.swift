// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import MQTT

/// Commands over MQTT, if the configuration allows commands.
extension PublisherMachine {
    /// Takes a message on a command topic.
    ///
    /// - Returns: False for a message on another topic.
    mutating func receiveCommand(_ message: IncomingMessage) -> Bool {
        guard commands != nil, message.topic.text.hasPrefix(topics.commands) else { return false }
        // A retained command was meant for an earlier moment.
        guard !message.isRetained else {
            logHeard(.notice, "a retained command is ignored", ["mqtt.topic": "\(message.topic)"])
            return true
        }
        let verb = String(message.topic.text.dropFirst(topics.commands.count))
        var request = CommandRequest(verb: verb)
        do throws(CommandFault) {
            request = try CommandRequest(message, verb: verb)
        } catch {
            request.responseTopic = message.responseTopic
            request.correlation = message.correlation
            answer(request, .failure(kind: "not-valid", error.text))
            return true
        }
        switch commands?.decide(request) {
        case .perform(let request):
            logHeard(.notice, "a command came over MQTT", ["command": "\(request.verb)"])
            want(.perform(request))
        case .answer(let answer): self.answer(request, answer)
        case .ignore, nil: break
        }
        return true
    }

    /// A command was carried out.
    mutating func performed(_ request: CommandRequest, _ answer: CommandAnswer) {
        commands?.performed(request, answer)
        self.answer(request, answer)
    }

    private mutating func answer(_ request: CommandRequest, _ answer: CommandAnswer) {
        let topic = answerTopic(request)
        let message = OutgoingMessage(topic: topic, payload: Self.payload(of: answer, to: request))
        if commands?.send(message, request.correlation) == false {
            logHeard(.warning, "an answer is left out: too many wait", ["command": "\(request.verb)"])
        }
    }

    /// The client may choose the topic for the answer. The topic must not make the gateway speak in its own name, or in
    /// the name of Home Assistant's devices.
    private func answerTopic(_ request: CommandRequest) -> String {
        guard let wanted = request.responseTopic?.text else { return topics.result }
        // OpenMQTTGateway's and Theengs' topics begin with "home", topics of brokers themselves with "$". Sparkplug's
        // begin with "spBv1.0", and with "STATE" in its older versions.
        let own = [topics.prefix, configuration.homeAssistant.prefix, "home", "spBv1.0", "STATE"]
        let isOwn = wanted.hasPrefix("$") || own.contains { wanted == $0 || wanted.hasPrefix($0 + "/") }
        return isOwn ? topics.result : wanted
    }

    private static func payload(of answer: CommandAnswer, to request: CommandRequest) -> [UInt8] {
        var writer = PayloadWriter()
        writer.literal("{")
        if let id = request.id {
            writer.literal("\"id\":")
            writer.string(id)
            writer.literal(",")
        }
        writer.literal("\"command\":")
        writer.string(String(request.verb.prefix(64)))
        switch answer {
        case .success(let result):
            writer.literal(",\"ok\":true,\"result\":")
            writer.append(result)
        case .failure(let kind, let text):
            writer.literal(",\"ok\":false,\"kind\":")
            writer.string(kind)
            writer.literal(",\"error\":")
            writer.string(text)
        }
        writer.literal("}")
        return writer.octets
    }

    /// Sends waiting answers, as far as there is room.
    mutating func publishAnswers() {
        while inFlight.hasRoom, let answer = commands?.popFirst() {
            let properties = answer.correlation.map { MessageProperties(correlation: $0) }
            publish(answer.message, as: .control(answer.message), properties)
        }
    }
}
