// SPDX-License-Identifier: Apache-2.0

/// The introduction in `martlet configure --help`.
enum ConfigureHelp {
    static let text = """
        A gateway can be set up while its pairing window is open: before the first set-up, after a press of its \
        button, or after `martlet provision open` there. The first time the gateway wants the passkey of its screen or \
        of its label. This machine keeps the keys, and needs no passkey afterwards.

        Without settings and actions the command lists the gateways nearby, and says what to type. Settings are \
        applied together: the gateway tries them, proves them as far as its broker, and only then keeps them. After a \
        failure the command names the failure, and the settings of before hold again.

        Secrets are read from files, or from standard input where the file is -: a line each, passkey, Wi-Fi password, \
        broker password and passkeys of sensors in this order. A terminal asks for each, and shows none. Everybody on this machine can see the passkey of --passkey while the command \
        runs: a passkey is good for one pairing only, but --passkey - is better.

        This machine's controller must be free: a running gateway has it for itself.

        With --json each line is an object. Its key event is one of gateway (address, name, rssi, model, state, \
        next_step), connected (address), staged (setting), upload (received, size), progress (step, state, limit, reason, \
        text), network (ssid, strength, security, joined), sensor (address, name, rssi, family, id, accepted, values, \
        trouble), accepted and forgotten (sensor), time (time, clock, source, error_ms), window (open, seconds, passkey), \
        status, log (line), identify, rolled-back, dropped, factory-reset and error (reason, text). docs/provisioning-protocol.md says what \
        they mean.

        Exit status: 0 everything was done, 1 something failed, 2 wrong usage.
        """
}
