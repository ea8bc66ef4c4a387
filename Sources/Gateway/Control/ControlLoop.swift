// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Glibc
import Logging
import Platform

/// The server thread's loop: one poll over the listener and all clients.
struct ControlLoop {
    private let listener: Int32
    private let wakeUp: Int32
    private let bell: WakeUp
    private let limits: ControlLimits
    private let logger: Logger
    private let dialogues: ControlServer.DialogueMaker
    private let handler: ControlServer.Handler
    private let outbox: ControlOutbox
    private var clients: [Client] = []
    private let clock = ContinuousClock()

    private struct Client {
        let descriptor: Int32
        var deadline: ContinuousClock.Instant
        /// The time at which the client last sent octets, or read some.
        var lastHeard: ContinuousClock.Instant
        var received: [UInt8] = []
        var unsent: ArraySlice<UInt8> = []
        /// The request was too long. The gateway ignores its rest, and only sends the answer.
        var isRefused = false
        var isClosing = false
        /// The pending answer.
        var pending: (number: UInt64, task: Task<Void, Never>)?
        var dialogue: ControlDialogue?
        /// The number of lines that the client may still send in its dialogue.
        var linesLeft = 0
    }

    init(
        listener: Int32, wakeUp: Int32, bell: WakeUp, limits: ControlLimits, logger: Logger,
        dialogues: @escaping ControlServer.DialogueMaker, handler: @escaping ControlServer.Handler
    ) {
        self.listener = listener
        self.wakeUp = wakeUp
        self.bell = bell
        self.dialogues = dialogues
        self.limits = limits
        self.logger = logger
        self.handler = handler
        outbox = ControlOutbox(limit: limits.answers, bell: bell)
    }

    /// Returns when the wake-up descriptor is signalled; closes all other descriptors.
    mutating func run() {
        while turn() {}
        for client in clients { drop(client) }
        close(listener)
    }

    private mutating func turn() -> Bool {
        var entries = [entry(wakeUp, POLLIN), entry(listener, POLLIN), entry(bell.descriptor, POLLIN)]
        // The loop does not read from a client with a pending answer, so a client cannot pile up answers. It reads
        // during a dialogue, to notice the dialogue's end.
        entries += clients.map { client in
            let reading = client.pending == nil && client.unsent.isEmpty || client.dialogue != nil ? POLLIN : 0
            return entry(client.descriptor, reading | (client.unsent.isEmpty ? 0 : POLLOUT))
        }
        let now = clock.now
        let nearest = clients.map(\.deadline).min()
        let wait = nearest.map { Int32(clamping: max(0, now.duration(to: $0).wholeMilliseconds + 1)) } ?? -1
        let ready = poll(&entries, nfds_t(entries.count), wait)
        if ready < 0, errno != EINTR {
            logger.error("control socket failed", metadata: ["error": "\(String(cString: strerror(errno)))"])
            return false
        }
        guard entries[0].revents == 0 else { return false }
        if ready > 0 {
            for index in clients.indices where entries[index + 3].revents != 0 {
                let events = Int32(entries[index + 3].revents)
                if clients[index].pending != nil, events & (POLLHUP | POLLERR) != 0 { clients[index].isClosing = true }
                serve(&clients[index], isReadable: events & (POLLIN | POLLHUP | POLLERR) != 0)
            }
            if entries[2].revents != 0 {
                bell.clear()
                deliver()
                for index in clients.indices where clients[index].dialogue != nil { speak(&clients[index]) }
            }
            // One new client a turn: every client with a request is served before the next new client.
            if entries[1].revents != 0 { acceptClient() }
        }
        let moment = clock.now
        for index in clients.indices where clients[index].pending != nil && clients[index].deadline <= moment {
            clients[index].pending?.task.cancel()
            answered(&clients[index], Array(#"{"error":"the gateway takes too long to answer","ok":false}"#.utf8))
        }
        let ended = clients.filter { $0.isClosing || $0.deadline <= moment }
        guard !ended.isEmpty else { return true }
        clients.removeAll { $0.isClosing || $0.deadline <= moment }
        for client in ended { drop(client) }
        return true
    }

    private func drop(_ client: Client) {
        close(client.descriptor)
        client.pending?.task.cancel()
        client.dialogue?.clientLeft()
    }

    private func entry(_ descriptor: Int32, _ events: Int32) -> pollfd {
        pollfd(fd: descriptor, events: Int16(events), revents: 0)
    }

    private mutating func acceptClient() {
        let descriptor = accept(listener, nil, nil)
        guard descriptor >= 0 else {
            if errno == EMFILE || errno == ENFILE {
                // The listener stays readable: without a pause this would spin.
                usleep(100_000)
            }
            return
        }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        if clients.count >= limits.clients { makeRoom() }
        clients.append(Client(descriptor: descriptor, deadline: clock.now + limits.patience, lastHeard: clock.now))
    }

    /// Disconnects the client that has been silent longest. Clients that wait for an answer go only if no client is
    /// idle. Clients in a dialogue go last, because a person may be typing.
    private mutating func makeRoom() {
        let outside = clients.filter { $0.dialogue == nil }
        let idle = outside.filter { $0.pending == nil }
        let candidates = !idle.isEmpty ? idle : !outside.isEmpty ? outside : clients
        guard let silent = candidates.min(by: { $0.lastHeard < $1.lastHeard }) else { return }
        // In the middle of an answer, the client would take the farewell for a part of the answer.
        if silent.unsent.isEmpty {
            let farewell = Array(#"{"error":"too many clients","ok":false}"#.utf8)
            _ = transmit(silent.descriptor, farewell[...] + [UInt8(ascii: "\n")])
        }
        clients.removeAll { $0.descriptor == silent.descriptor }
        drop(silent)
    }

    private func serve(_ client: inout Client, isReadable: Bool) {
        if client.pending == nil, client.unsent.isEmpty || client.dialogue != nil, isReadable {
            var buffer = [UInt8](repeating: 0, count: 1024)
            let count = recv(client.descriptor, &buffer, buffer.count, 0)
            if count < 0, errno == EAGAIN || errno == EINTR { return }
            guard count > 0 else {
                client.isClosing = true
                return
            }
            client.lastHeard = clock.now
            client.received += buffer[..<count]
            if client.dialogue == nil { answerNext(&client) } else { hear(&client) }
        }
        send(&client)
    }

    /// Passes a client's lines to its dialogue.
    private func hear(_ client: inout Client) {
        while let dialogue = client.dialogue, let end = client.received.firstIndex(of: UInt8(ascii: "\n")) {
            let line = Array(client.received[..<end])
            client.received.removeSubrange(...end)
            client.linesLeft -= 1
            guard client.linesLeft >= 0 else {
                client.isClosing = true
                return
            }
            dialogue.receive(line)
        }
        if client.received.count > limits.request { client.isClosing = true }
    }

    /// Sends the dialogue's lines to the client.
    private func speak(_ client: inout Client) {
        guard let (lines, isOver) = client.dialogue?.takeLines() else { return }
        for line in lines { client.unsent += line + [UInt8(ascii: "\n")] }
        if isOver {
            client.dialogue = nil
            client.deadline = clock.now + limits.patience
        }
        send(&client)
    }

    /// Answers the first complete line; the rest waits until the answer is sent.
    private func answerNext(_ client: inout Client) {
        guard client.pending == nil else { return }
        guard let end = client.received.firstIndex(of: UInt8(ascii: "\n")) else {
            if client.received.count > limits.request {
                client.unsent =
                    Array(#"{"error":"the request is too long","ok":false}"#.utf8)[...] + [UInt8(ascii: "\n")]
                client.received = []
                client.isRefused = true
            }
            return
        }
        let line = Array(client.received[..<end])
        client.received.removeSubrange(...end)
        client.deadline = clock.now + limits.patience
        if let dialogue = dialogues(line) {
            client.dialogue = dialogue
            client.linesLeft = limits.dialogueLines
            client.deadline = clock.now + limits.dialogue
            // The dialogue may have lines for the client already.
            dialogue.begin(bell)
            hear(&client)
            return
        }
        guard let pending = outbox.begin(line, handler) else {
            client.unsent =
                Array(#"{"error":"too many requests wait for their answers","ok":false}"#.utf8)[...]
                + [UInt8(ascii: "\n")]
            return
        }
        client.pending = pending
        client.deadline = clock.now + limits.answer
    }

    /// Hands finished answers to their waiting clients.
    private mutating func deliver() {
        let answers = outbox.take()
        guard !answers.isEmpty else { return }
        for index in clients.indices {
            guard let number = clients[index].pending?.number, let answer = answers[number] else { continue }
            answered(&clients[index], answer)
        }
    }

    private func answered(_ client: inout Client, _ answer: [UInt8]) {
        client.pending = nil
        client.deadline = clock.now + limits.patience
        client.unsent = (answer + [UInt8(ascii: "\n")])[...]
        send(&client)
    }

    private func send(_ client: inout Client) {
        while !client.unsent.isEmpty {
            let count = transmit(client.descriptor, client.unsent)
            if count < 0, errno == EAGAIN || errno == EINTR { return }
            guard count > 0 else {
                client.isClosing = true
                return
            }
            client.lastHeard = clock.now
            client.unsent = client.unsent.dropFirst(count)
            guard client.unsent.isEmpty else { continue }
            guard client.dialogue == nil else { return }
            client.isClosing = client.isRefused
            client.deadline = clock.now + limits.patience
            if !client.isRefused { answerNext(&client) }
        }
    }

    private func transmit(_ descriptor: Int32, _ octets: ArraySlice<UInt8>) -> Int {
        octets.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }
}
