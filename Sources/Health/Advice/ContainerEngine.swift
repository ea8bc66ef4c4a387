// SPDX-License-Identifier: Apache-2.0

/// The program that runs a container. A person types the program's commands on the container's host.
package enum ContainerEngine: String, CaseIterable, Sendable {
    case docker
    /// Podman of root: the capability for an adapter counts for root alone.
    case podman
    case rootlessPodman = "rootless-podman"
    /// containerd without Kubernetes.
    case nerdctl
    /// A Deployment.
    case kubernetes

    /// Kubernetes comes first, because one of the other engines runs its containers.
    private static let marks: [(path: String, engine: ContainerEngine)] = [
        ("/var/run/secrets/kubernetes.io", .kubernetes), ("/run/.containerenv", .podman), ("/.dockerenv", .docker),
        (image, .nerdctl),
    ]
    /// The file of Martlet's image: not every engine leaves a mark of its own.
    package static let image = "/usr/share/martlet/container"

    /// Each container has one of these files.
    package static let files = marks.map(\.path)

    /// The engine of this container; nil outside of containers.
    ///
    /// - Parameters:
    ///   - isThere: Whether there is something at a path.
    ///   - text: The text of a small file.
    package static func found(_ isThere: (String) -> Bool, text: (String) -> String?) -> Self? {
        guard let engine = marks.first(where: { isThere($0.path) })?.engine else { return nil }
        return engine == .podman && isMapped(text("/proc/self/uid_map")) ? .rootlessPodman : engine
    }

    /// The users of the container are other users of the host. user_namespaces(7).
    private static func isMapped(_ text: String?) -> Bool {
        let words = (text ?? "").split(whereSeparator: \.isWhitespace)
        return words.count >= 2 && words[1] != "0"
    }

    private var program: String {
        switch self {
        case .docker: "docker"
        case .podman: "sudo podman"
        case .rootlessPodman: "podman"
        case .nerdctl: "sudo nerdctl"
        case .kubernetes: "kubectl"
        }
    }

    /// A line of the container's program.
    func line(_ words: String, isInteractive: Bool) -> String {
        let place = self == .kubernetes ? "deploy/martlet -- " : "martlet "
        return "\(program) exec \(isInteractive ? "-it " : "")\(place)\(words)"
    }

    var log: String { "\(program) logs --tail 50 \(self == .kubernetes ? "deploy/martlet" : "martlet")" }

    var start: String {
        self == .kubernetes ? "\(program) scale --replicas=1 deploy/martlet" : "\(program) start martlet"
    }

    var stop: String {
        self == .kubernetes ? "\(program) scale --replicas=0 deploy/martlet" : "\(program) stop martlet"
    }

    var restart: String {
        self == .kubernetes ? "\(program) rollout restart deploy/martlet" : "\(program) restart martlet"
    }
}
