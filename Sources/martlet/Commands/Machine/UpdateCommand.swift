// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Configuration
import Foundation
import Gateway
import Glibc
import Health
import Journal
import Operations
import Readings

struct UpdateCommand: ListedCommand {
    static let place = HelpPlace(.machine, 20)
    static let configuration = CommandConfiguration(
        commandName: OperationName.update.word,
        abstract: "Install an update of the flashed image.",
        discussion: """
            The update is written to the slot that does not run, and started at the next restart. A slot that does not do \
            as well as the one before it within five minutes is left again by itself. Readings, bonds and settings stay.
            """,
        examples: [
            "martlet update update.raucb --restart": "from a file, and start it at once",
            "martlet update https://example.org/update.raucb": "starts with the next boot",
            "martlet update --check": "which version is at [update] url",
        ])

    @Argument(help: "The update: a .raucb file, or its http or https URL; the configured one when not given.")
    var source: String?

    @Flag(help: "Only say the version, and whether the update can be installed.")
    var check = false

    @Flag(
        help:
            "Install also without a way back: an older version, or a new schema of the journal.")
    var force = false

    @Flag(help: "Restart into the update at once.")
    var restart = false

    @Flag(help: "Print the outcome as JSON.")
    var json = false

    @OptionGroup var control: ControlOptions

    func validate() throws {
        if check, restart { throw ValidationError("--check installs nothing that could be restarted into.") }
    }

    func run() throws {
        do {
            guard geteuid() == 0 else { throw ImageSystem.Failure(description: "only root can install an update") }
            let source = try source ?? Self.configuredSource(control.config)
            let reporter = UpdateReporter(socket: control.path)
            if check {
                let version = try Self.look(at: source, on: ImageSystem(), force: force, reporter)
                if json { return try Output.json(["version": version]) }
                Output.line("\(version) can be installed")
                return
            }
            let version = try Self.install(source, on: ImageSystem(), force: force, reporter)
            if json { try Output.json(["version": version]) }
            guard restart else {
                if json { return }
                Output.line(Advice.here("installed; the update starts at the next restart (\(.machine(.reboot)))"))
                return
            }
            if !json { Output.line("installed; restarting") }
            try Self.restart()
        } catch let failure as ImageSystem.Failure {
            Output.error("\(Self._commandName): \(failure)")
            throw ExitStatus.failure
        }
    }
}

extension UpdateCommand {
    /// `[update] url`.
    static func configuredSource(_ path: String) throws -> String {
        let configuration: GatewayConfiguration
        do {
            configuration = try ConfigurationSource.files(path: path, freshName: nil).load()
        } catch {
            throw ImageSystem.Failure(description: "\(error)")
        }
        guard let url = configuration.update.url else {
            throw ImageSystem.Failure(
                description: "say which update, by its file or URL, or give \(path) its \"url\" in [update]")
        }
        return url
    }

    /// Judges the update, reports its version to a running gateway, and returns the version.
    static func look(at source: String, on image: ImageSystem, force: Bool, _ reporter: UpdateReporter) throws -> String
    {
        defer { reporter.finish() }
        do {
            reporter.tell(UpdateReport(.checking))
            let version = try UpdateJudge.check(source, for: image, force: force).version
            reporter.tell(UpdateReport(.idle, version: version))
            return version
        } catch {
            reporter.tell(UpdateReport(.failed, error: "\(error)"))
            throw error
        }
    }

    static func restart() throws {
        let restarting = try Process.run(URL(fileURLWithPath: "/usr/bin/systemctl"), arguments: ["reboot"])
        restarting.waitUntilExit()
        guard restarting.terminationStatus == 0 else {
            throw ImageSystem.Failure(description: Advice.here("the machine does not restart: \(.machine(.reboot))"))
        }
    }

    /// Judges and installs the update; reports each step to a running gateway.
    ///
    /// - Returns: The installed version.
    @discardableResult
    static func install(
        _ source: String, on image: ImageSystem, force: Bool, _ reporter: UpdateReporter
    ) throws -> String {
        defer { reporter.finish() }
        var version: String?
        do {
            reporter.tell(UpdateReport(.checking))
            let bundle = try UpdateJudge.check(source, for: image, force: force)
            version = bundle.version
            Output.error("installing \(bundle.version)")
            reporter.tell(UpdateReport(.installing, version: version, percentage: 0))
            try image.install(source, force: force) {
                reporter.tell(UpdateReport(.installing, version: version, percentage: $0))
            }
            reporter.tell(UpdateReport(.installed, version: version))
            return bundle.version
        } catch {
            reporter.tell(UpdateReport(.failed, version: version, error: "\(error)"))
            throw error
        }
    }
}

/// Decides whether an update may be installed.
enum UpdateJudge {
    /// Describes the update. Throws if the update is not for this image, is older than the running version, or brings a
    /// journal schema that the running version could not read after going back. `force` allows the last two.
    static func check(_ source: String, for image: ImageSystem, force: Bool) throws -> ImageSystem.Bundle {
        let current = try image.version()
        if !source.contains("://"), !FileManager.default.fileExists(atPath: source) {
            throw ImageSystem.Failure(description: "\(source): no such file")
        }
        let bundle = try image.inspect(source)
        if try !force && image.isOlder(bundle.version, than: current) {
            throw ImageSystem.Failure(
                description:
                    "\(bundle.version) is older than \(current), which runs here; --force installs the older version")
        }
        guard !force else { return bundle }
        guard let schema = bundle.journalSchema else {
            throw ImageSystem.Failure(
                description: """
                    \(bundle.version) does not say which schema of the journal it brings, and so whether \(current) could \
                    read it after going back; --force installs it all the same
                    """)
        }
        if schema > JournalSchema.version {
            throw ImageSystem.Failure(
                description: Advice.here(
                    "\(bundle.version) changes the schema of the journal from \(JournalSchema.version) to \(schema); if it "
                        + "failed then, \(current) could not read the journal any more. Have what is buffered delivered "
                        + "first (\(.martlet(.drainHistory))), and install it with --force"))
        }
        return bundle
    }
}
