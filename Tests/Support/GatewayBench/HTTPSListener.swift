// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization
import Testing

@testable import Gateway

/// An HTTPS server of Python's, with a certificate of the test's own authority for `localhost`. The server records its requests.
final class HTTPSListener {
    /// The server's answer to a request.
    enum Manner: String {
        /// Takes it: 204.
        case take
        /// The answer is 200, and a body without an end.
        case huge
        case fail500 = "500"
        case refuse400 = "400"
        /// To an existing server.
        case redirect
        /// To a host with characters that control a terminal.
        case oddRedirect = "308"
        /// Reads the request, and says nothing.
        case hang
        /// Closes the connection instead of an answer.
        case close
        /// Sends a header without an end.
        case header
    }

    /// A received request.
    struct Request: Equatable {
        var path: String
        var headers: [String: String]
        var body: String
    }

    let port: UInt16
    let shop: CertificateShop
    private let process = Process()
    private let manner: String
    private let log: String

    var url: String { "https://localhost:\(port)/hook?key=geheim" }

    init(_ shop: CertificateShop, port: UInt16? = nil, _ manner: Manner = .take) throws {
        self.shop = shop
        self.port = try port ?? TestPorts.next()
        (self.manner, log) = (shop.folder.path("manner"), shop.folder.path("requests"))
        if !FileManager.default.fileExists(atPath: shop.certificate("localhost")) {
            try shop.make("localhost", for: "DNS:localhost")
        }
        let script = shop.folder.path("server.py")
        try Self.script.write(toFile: script, atomically: true, encoding: .utf8)
        if !FileManager.default.fileExists(atPath: log) {
            _ = FileManager.default.createFile(atPath: log, contents: nil)
        }
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = [
            script, "\(self.port)", shop.certificate("localhost"), shop.key("localhost"), self.manner, log,
        ]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        behave(manner)
        try process.runReachable()
        let isReady = blockingEventually { Broker.accepts(self.port) }
        guard isReady else { throw POSIXError(.ETIMEDOUT) }
    }

    deinit { stop() }

    func stop() {
        guard process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    func behave(_ manner: Manner) { behave(inTurn: [manner]) }

    /// Each manner is for one request, and the last manner for all others.
    func behave(inTurn manners: [Manner]) {
        try? manners.map(\.rawValue).joined(separator: " ").write(
            toFile: self.manner, atomically: true, encoding: .utf8)
    }

    /// All requests, also the refused requests.
    var requests: [Request] {
        let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().compactMap { line in
            guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
                let path = object["path"] as? String, let headers = object["headers"] as? [String: String],
                let body = object["body"] as? String
            else { return nil }
            return Request(path: path, headers: headers, body: body)
        }
    }

    /// The bodies of the accepted requests, as objects.
    var taken: [[String: Any]] {
        requests.filter { $0.headers["x-manner"] == "take" }.compactMap {
            try? JSONSerialization.jsonObject(with: Data($0.body.utf8)) as? [String: Any]
        }
    }

    private static let script = #"""
        import http.server, json, socketserver, ssl, sys, threading, time
        port, certificate, key, manner, log = int(sys.argv[1]), *sys.argv[2:6]
        lock = threading.Lock()
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                with lock:
                    how, *others = open(manner).read().split()
                    if others:
                        open(manner, "w").write(" ".join(others))
                headers = {name.lower(): value for name, value in self.headers.items()}
                with lock, open(log, "a") as out:
                    out.write(json.dumps({"path": self.path, "headers": headers | {"x-manner": how}, "body": body}) + "\n")
                try:
                    self.answer(how)
                except OSError:
                    pass
                self.close_connection = True
            def answer(self, how):
                if how == "hang":
                    time.sleep(600)
                elif how == "close":
                    return
                elif how == "header":
                    self.wfile.write(b"HTTP/1.1 200 OK\r\n")
                    while True:
                        self.wfile.write(b"X-More: " + b"x" * 1000 + b"\r\n")
                elif how == "huge":
                    self.wfile.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                    while True:
                        self.wfile.write(b"10000\r\n" + b"x" * 0x10000 + b"\r\n")
                else:
                    status = {"take": 204, "redirect": 307}.get(how) or int(how)
                    self.send_response(status)
                    if status == 308:
                        self.send_header("Location", "https://evil\x1b[31m\xe2\x80\xae.example/hook")
                    if status == 307:
                        self.send_header("Location", f"https://127.0.0.1:{port}/elsewhere")
                    self.send_header("Content-Length", "0")
                    self.end_headers()
            def log_message(self, *rest):
                pass
        class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
            daemon_threads = True
            request_queue_size = 64
            def get_request(self):
                plain, peer = super().get_request()
                return plain, peer
            def finish_request(self, request, peer):
                try:
                    request.settimeout(30)
                    super().finish_request(context.wrap_socket(request, server_side=True), peer)
                except OSError:
                    pass
            def handle_error(self, *rest):
                pass
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        Server(("127.0.0.1", port), Handler).serve_forever()
        """#
}
