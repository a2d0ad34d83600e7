"""Whom a webhook may reach: nobody but whom the operator named, at the address that was checked."""

import base64
import shutil
import socket
import ssl
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from service.games.webhook_urls import Targets
from service.webhooks.client import NotDelivered, is_public, post, signed_headers
from tests.worker.webhook_receiver import Receiver, status

OUTSIDE = Targets(frozenset({"hooks.example.org", "hooks.example.net:8443", "[2001:db8::1]:8443"}))


def inside(port: int) -> Targets:
    """Targets on this machine, or what passes for it, at this port."""
    names = ("hooks.example.org", "localhost", "127.0.0.1")
    return Targets(frozenset(f"{name}:{port}" for name in names), private=True)


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://hooks.example.org/", "https://"),
        ("ftp://hooks.example.org/", "https://"),
        ("https://other.example.org/", "does not send to"),
        ("https://hooks.example.org:8443/", "does not send to"),
        ("https://hooks.example.org:80/", "does not send to"),
        ("https://hooks.example.net/", "does not send to"),
        ("https://hooks.example.net:443/", "does not send to"),
        ("https://[2001:db8::1]/", "does not send to"),
        ("https://hooks.example.org.evil.test/", "does not send to"),
        ("https://evil.test#@hooks.example.org/", "fragment"),
        ("https://hooks.example.org@evil.test/", "password"),
        ("https://ada:pw@hooks.example.org/", "password"),
        ("https://evil.test\\@hooks.example.org/", "a URL like"),
        ("https://hooks.example.org/\r\nX: 1", "a URL like"),
        ("https://hooks.example.org:0/", "a URL like"),
        ("https://hooks.example.org:99999/", "a URL like"),
        ("https:///hook", "a URL like"),
        ("https://[::1/", "a URL like"),
        ("hooks.example.org", "a URL like"),
    ],
)
def test_a_target_that_is_not_allowed_is_refused(url: str, why: str) -> None:
    assert why in (OUTSIDE.refusal(url) or "")


def test_a_target_that_is_allowed_is_taken() -> None:
    assert OUTSIDE.refusal("https://hooks.example.org") is None
    assert OUTSIDE.refusal("https://Hooks.Example.org.:443/a?b=c") is None
    assert OUTSIDE.refusal("https://Hooks.Example.net.:8443/a?b=c") is None
    assert OUTSIDE.refusal("https://[2001:db8::1]:8443/") is None
    assert inside(8000).refusal("http://localhost:8000/hook") is None
    assert Targets(OUTSIDE.hosts, private=True).refusal("http://hooks.example.org:80/") is None
    assert "no webhooks" in (Targets().refusal("https://hooks.example.org/") or "")


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "10.0.0.1", "172.16.3.4", "192.168.1.1", "169.254.169.254", "0.0.0.0"),
        *("100.64.0.1", "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fe80::1%eth0"),
        *("fd00:ec2::254", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "ff02::1", "x"),
    ],
)
def test_addresses_of_the_inside_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        *("192.0.0.8", "192.0.0.9", "192.0.2.1", "192.31.196.1", "192.52.193.1", "192.88.99.1"),
        *("192.175.48.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1"),
        *("239.255.255.255", "240.0.0.1", "::ffff:93.184.215.14", "::93.184.215.14"),
        *("::ffff:0:93.184.215.14", "64:ff9b::5db8:d70e", "64:ff9b:1::1", "100::1", "100:0:0:1::1"),
        *("2001::1", "2001:1::1", "2001:2::1", "2001:3::1", "2001:20::1", "2001:1ff:ffff::1"),
        *("2001:db8::1", "2002:5db8:d70e::1", "2620:4f:8000::1", "3fff::1", "3fff:fff::1"),
        *("4000::1", "5f00::1", "fc00::1", "fec0::1", "feff::1"),
    ],
)
def test_addresses_of_a_special_purpose_are_not_public_in_any_version_of_python(
    address: str,
) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "address",
    ["93.184.215.14", "192.0.1.1", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", "2001:200::1"],
)
def test_addresses_of_the_open_internet_are_public(address: str) -> None:
    assert is_public(address)


def test_a_name_that_leads_inside_is_not_contacted(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolve(monkeypatch, "127.0.0.1")
    outside = Targets(inside(receiver.port).hosts)
    with pytest.raises(NotDelivered, match="no public address"):
        post(f"https://hooks.example.org:{receiver.port}/", {}, b"{}", outside)
    with pytest.raises(NotDelivered, match="no public address"):
        post(f"https://127.0.0.1:{receiver.port}/", {}, b"{}", outside)
    assert receiver.messages.empty()


def test_a_name_is_looked_up_once_and_that_very_address_is_contacted(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = resolve(monkeypatch, "127.0.0.1", "10.255.255.1")
    url = f"http://hooks.example.org:{receiver.port}/hook"

    assert post(url, {}, b"{}", inside(receiver.port)) == 204

    assert asked == ["hooks.example.org"]
    assert receiver.next().headers["host"] == f"hooks.example.org:{receiver.port}"


def test_a_redirection_is_not_followed(receiver: Receiver) -> None:
    receiver.answers = [status(307, Location=receiver.url)]
    assert post(receiver.url, {}, b"{}", inside(receiver.port)) == 307
    receiver.next()
    assert receiver.messages.empty()


def test_a_proxy_of_the_environment_is_not_used(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert post(receiver.url, {}, b"{}", inside(receiver.port)) == 204


@pytest.mark.parametrize(
    "said",
    [b"", b"SSH-2.0-x\r\n", b"HTTP/1.1 1000 OK\r\n", b"x" * 20_000],
    ids=["nothing", "another protocol", "no status", "too much"],
)
def test_what_is_no_answer_is_no_delivery(said: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(NotDelivered), answering(server, said):
            post(f"http://127.0.0.1:{port}/", {}, b"{}", inside(port))


def test_an_answer_that_drips_takes_no_longer_than_allowed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("service.webhooks.client.TIMEOUT_SECONDS", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(NotDelivered, match="TimeoutError"), answering(server, b" " * 50, 0.05):
            post(f"http://127.0.0.1:{port}/", {}, b"{}", inside(port))


def test_an_early_hint_is_not_the_answer() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        said = b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 202 Accepted\r\n\r\n"
        with answering(server, said):
            assert post(f"http://127.0.0.1:{port}/", {}, b"{}", inside(port)) == 202


def test_the_signature_is_that_of_the_schemes_published_example() -> None:
    key = base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    body = b'{"test": 2432232314}'
    headers = signed_headers("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, body, [key])
    assert headers["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_every_secret_of_the_service_signs() -> None:
    headers = signed_headers("msg_1", 1_700_000_000, b"{}", [b"new", b"old"])
    assert headers["webhook-signature"].count("v1,") == 2


def test_the_certificate_must_be_the_hosts_own(
    receiver: Receiver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secure(receiver, tmp_path)
    url = f"https://localhost:{receiver.port}/hook"
    with pytest.raises(NotDelivered, match="SSLCertVerificationError"):
        post(url, {}, b"{}", inside(receiver.port))

    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert"))

    assert post(url, {}, b"{}", inside(receiver.port)) == 204
    with pytest.raises(NotDelivered, match="SSLCertVerificationError"):
        post(f"https://127.0.0.1:{receiver.port}/hook", {}, b"{}", inside(receiver.port))


def resolve(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> list[str]:
    """Has example.org's names stand for these addresses; returns the names asked for."""
    asked: list[str] = []
    real = socket.getaddrinfo

    def lookup(host: Any, port: Any, *args: Any, **kwargs: Any) -> Any:
        if not str(host).endswith("example.org"):
            return real(host, port, *args, **kwargs)
        asked.append(host)
        return [
            found for address in addresses for found in real(address, port, type=socket.SOCK_STREAM)
        ]

    monkeypatch.setattr(socket, "getaddrinfo", lookup)
    return asked


class answering:  # noqa: N801  # reads as a phrase
    """A server that says these bytes to whoever comes, perhaps one by one."""

    def __init__(self, server: socket.socket, said: bytes, pause: float | None = None) -> None:
        self.server, self.said, self.pause = server, said, pause
        self.left = threading.Event()
        self.thread = threading.Thread(target=self.serve)

    def serve(self) -> None:
        line, _ = self.server.accept()
        with line:
            line.recv(65_536)
            try:
                if self.pause is None:
                    line.sendall(self.said)
                else:
                    for each in self.said:
                        line.sendall(bytes([each]))
                        if self.left.wait(self.pause):
                            break
            except OSError:
                pass  # the other side has heard enough

    def __enter__(self) -> None:
        self.thread.start()

    def __exit__(self, *_: object) -> None:
        self.left.set()
        self.thread.join()


def secure(receiver: Receiver, folder: Path) -> None:
    """Gives the receiver a certificate for localhost, signed by itself."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is not installed: no certificate can be made")
    key, cert = folder / "key", folder / "cert"
    subprocess.run(
        [
            *(openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
            *("-nodes", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"),
            *("-days", "2", "-keyout", str(key), "-out", str(cert)),
        ],
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    plain = receiver.server.socket
    receiver.server.socket = context.wrap_socket(plain, server_side=True)
