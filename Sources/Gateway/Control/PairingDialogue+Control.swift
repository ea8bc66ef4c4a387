// SPDX-License-Identifier: Apache-2.0

import Collector

extension PairingDialogue {
    /// Runs the dialogue over the control socket. The server keeps the result alive while the client is connected.
    func makeControl() -> ControlDialogue {
        let control = ControlDialogue { [self] line in
            if let reply = try? ControlCoding.decode(PairingReply.self, from: line) { answer(reply) }
        } left: { [self] in
            clientLeft()
        }
        listen { word, isLast in
            let response: ControlResponse<PairingMessage> =
                switch word {
                case .message(let message): .success(message)
                case .failure(let reason): .failure(reason)
                }
            // A message consists of strings and numbers, so encoding cannot fail.
            guard let line = try? ControlCoding.encode(response) else { return }
            control.say(line, isLast: isLast)
        }
        return control
    }
}
