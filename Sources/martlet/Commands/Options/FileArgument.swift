// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The configuration's file as a plain argument: `martlet check-config new.toml`.
struct FileArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The configuration file, as with --config.", valueName: "file"), completion: .file())
    var file: String?

    /// The options, with the given file.
    func applied(to options: ConfigurationOptions) -> ConfigurationOptions {
        guard let file else { return options }
        var options = options
        options.config = file
        return options
    }
}
