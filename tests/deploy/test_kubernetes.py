"""The manifests: each overlay builds, keeps to the schemas, and agrees with the service."""

import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from service.app import create_app
from service.cli import main
from service.config import Settings, unknown_settings
from service.server.managed_process import GRACE
from service.server.supervisor import WORKER_GRACE
from tests.deploy.dockerfile import ROOT, steps

OVERLAYS = ("dev", "production")
RELEASES = ("1.29", "1.37")
INSIDE_ONLY = {"/livez", "/readyz", "/metrics"}
# Prometheus' own kinds; no schema of theirs is at hand.
NOT_KUBERNETES = "monitoring.coreos.com/v1"

Manifest = dict[str, Any]


@cache
def built(overlay: str) -> tuple[Manifest, ...]:
    if shutil.which("kubectl") is None:
        pytest.skip("kubectl is not installed: the overlays are not built")
    said = subprocess.run(
        ["kubectl", "kustomize", str(ROOT / "k8s/overlays" / overlay)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert said.returncode == 0, said.stderr
    assert said.stderr == ""
    return tuple(yaml.safe_load_all(said.stdout))


@pytest.fixture(params=OVERLAYS)
def manifests(request: pytest.FixtureRequest) -> tuple[Manifest, ...]:
    return built(request.param)


def of_kind(manifests: tuple[Manifest, ...], kind: str, name: str = "") -> list[Manifest]:
    """Those of a kind whose name begins so; generated ones end with a mark of their content."""
    return [
        each
        for each in manifests
        if each["kind"] == kind and each["metadata"]["name"].startswith(name)
    ]


def pods(manifests: tuple[Manifest, ...]) -> list[Manifest]:
    """The templates of all pods."""
    return [each["spec"]["template"] for each in manifests if "template" in each.get("spec", {})]


def container(manifests: tuple[Manifest, ...], name: str) -> Manifest:
    (deployment,) = of_kind(manifests, "Deployment", name)
    (only,) = deployment["spec"]["template"]["spec"]["containers"]
    return only


def selects(selector: Manifest, labels: Manifest) -> bool:
    return selector.items() <= labels.items()


@pytest.mark.parametrize("release", RELEASES)
def test_every_manifest_keeps_strictly_to_its_schema(
    manifests: tuple[Manifest, ...], release: str
) -> None:
    for manifest in manifests:
        if manifest["apiVersion"] != NOT_KUBERNETES:
            kubernetes_validate.validate(manifest, release, strict=True)


def test_each_overlay_has_all_that_a_cluster_needs(manifests: tuple[Manifest, ...]) -> None:
    names = {f"{each['kind']} {each['metadata']['name']}" for each in manifests}
    for kind in ("Deployment", "HorizontalPodAutoscaler", "PodDisruptionBudget", "NetworkPolicy"):
        assert {f"{kind} qwirkle-web", f"{kind} qwirkle-worker"} <= names
    assert {"Service qwirkle", "Ingress qwirkle", "ServiceAccount qwirkle"} <= names
    namespaces = {each["metadata"].get("namespace") for each in manifests}
    (namespace,) = of_kind(manifests, "Namespace")
    assert namespaces == {None, namespace["metadata"]["name"]}
    assert namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"


def test_every_setting_is_known_and_right(manifests: tuple[Manifest, ...]) -> None:
    (config,) = of_kind(manifests, "ConfigMap", "qwirkle")
    assert config["data"]
    assert unknown_settings(config["data"]) == []
    settings = Settings.from_env(config["data"] | {"HOME": "/nowhere"})
    assert not settings.serve_worker
    for name in ("qwirkle-web", "qwirkle-worker"):
        refs = [next(iter(source.values())) for source in container(manifests, name)["envFrom"]]
        assert refs[0]["name"] == config["metadata"]["name"]
        assert refs[1]["name"].startswith("qwirkle")


def test_production_limits_rates_and_keeps_no_secret() -> None:
    manifests = built("production")
    (config,) = of_kind(manifests, "ConfigMap", "qwirkle")
    settings = Settings.from_env(config["data"] | {"HOME": "/nowhere"})
    assert settings.rate_create
    assert settings.rate_write
    assert settings.rate_read
    assert settings.min_replicas == 1
    assert of_kind(manifests, "Secret") == []
    assert container(manifests, "qwirkle-web")["envFrom"][1] == {"secretRef": {"name": "qwirkle"}}
    (ingress,) = of_kind(manifests, "Ingress")
    assert ingress["spec"]["tls"]


def test_dev_has_a_store_that_forgets_nothing() -> None:
    manifests = built("dev")
    (store,) = of_kind(manifests, "StatefulSet", "valkey")
    args = store["spec"]["template"]["spec"]["containers"][0]["args"]
    options = dict(zip(args[::2], args[1::2], strict=True))
    assert options["--appendonly"] == "yes"
    assert options["--maxmemory-policy"] == "noeviction"
    (secret,) = of_kind(manifests, "Secret", "qwirkle")
    assert unknown_settings(secret.get("stringData", {}) | secret["data"]) == []
    (service,) = of_kind(manifests, "Service", "valkey")
    assert service["spec"]["ports"][0]["port"] == 6379


def test_pods_have_no_rights(manifests: tuple[Manifest, ...]) -> None:
    assert len(pods(manifests)) >= 2
    for pod in pods(manifests):
        spec = pod["spec"]
        assert spec["automountServiceAccountToken"] is False
        assert spec["securityContext"]["runAsNonRoot"] is True
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        for each in spec["containers"]:
            assert each["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }
            assert each["resources"]["limits"]["memory"]
    for account in of_kind(manifests, "ServiceAccount"):
        assert account["automountServiceAccountToken"] is False


def test_the_pods_run_the_image_as_it_is_built(manifests: tuple[Manifest, ...]) -> None:
    stated = {step.name: step.text for step in steps((ROOT / "Dockerfile").read_text())}
    images = set()
    for name in ("qwirkle-web", "qwirkle-worker"):
        only = container(manifests, name)
        images.add(only["image"].rpartition("/")[2])
        (command,) = only["args"]
        with pytest.raises(SystemExit) as asked:
            main([command, "--help"])
        assert asked.value.code == 0
        (deployment,) = of_kind(manifests, "Deployment", name)
        user = deployment["spec"]["template"]["spec"]["securityContext"]
        assert f"{user['runAsUser']}:{user['runAsGroup']}" == stated["USER"]
        assert stated["VOLUME"] in {mount["mountPath"] for mount in only["volumeMounts"]}
    compose = yaml.safe_load((ROOT / "compose.yaml").read_text())
    assert images == {compose["services"]["qwirkle"]["image"]}
    (port,) = container(manifests, "qwirkle-web")["ports"]
    (config,) = of_kind(manifests, "ConfigMap", "qwirkle")
    assert str(port["containerPort"]) == stated["EXPOSE"] == config["data"]["QWIRKLE_PORT"]


def test_stopping_takes_no_longer_than_a_pod_is_given(manifests: tuple[Manifest, ...]) -> None:
    web, worker = (
        of_kind(manifests, "Deployment", name)[0]["spec"]["template"]["spec"]
        for name in ("qwirkle-web", "qwirkle-worker")
    )
    waited = int(web["containers"][0]["lifecycle"]["preStop"]["exec"]["command"][1])
    probe = web["containers"][0]["readinessProbe"]
    assert waited >= probe["periodSeconds"]
    assert web["terminationGracePeriodSeconds"] >= waited + GRACE + 10
    assert worker["terminationGracePeriodSeconds"] >= WORKER_GRACE + 10


def test_selectors_and_scalers_find_what_they_are_for(manifests: tuple[Manifest, ...]) -> None:
    labels = [pod["metadata"]["labels"] for pod in pods(manifests)]
    for service in of_kind(manifests, "Service"):
        found = [each for each in labels if selects(service["spec"]["selector"], each)]
        assert len(found) == 1
    for kind, where in (("PodDisruptionBudget", "selector"), ("NetworkPolicy", "podSelector")):
        for each in of_kind(manifests, kind):
            selector = each["spec"][where]["matchLabels"]
            assert len([one for one in labels if selects(selector, one)]) == 1
    for pod in pods(manifests):
        for spread in pod["spec"].get("topologySpreadConstraints", []):
            selector = spread["labelSelector"]["matchLabels"]
            assert selects(selector, pod["metadata"]["labels"])
    deployments = {each["metadata"]["name"] for each in of_kind(manifests, "Deployment")}
    scaled = {
        each["spec"]["scaleTargetRef"]["name"]
        for each in of_kind(manifests, "HorizontalPodAutoscaler")
    }
    assert scaled == deployments
    for monitor in of_kind(manifests, "ServiceMonitor"):
        (service,) = of_kind(manifests, "Service", "qwirkle")
        assert selects(monitor["spec"]["selector"]["matchLabels"], service["metadata"]["labels"])
        ports = {port["name"] for port in service["spec"]["ports"]}
        assert {each["port"] for each in monitor["spec"]["endpoints"]} <= ports
        assert {each["path"] for each in monitor["spec"]["endpoints"]} == {"/metrics"}


def routes() -> set[str]:
    settings = Settings(
        redis_url="redis://127.0.0.1:1/0", secrets=("s" * 32,), data_dir=Path("/nowhere")
    )
    return {rule.rule for rule in create_app(settings).url_map.iter_rules()}


def test_probes_ask_for_what_there_is(manifests: tuple[Manifest, ...]) -> None:
    only = container(manifests, "qwirkle-web")
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        asked = only[probe]["httpGet"]
        assert asked["path"] in routes()
        assert asked["port"] in {port["name"] for port in only["ports"]}
    assert only["startupProbe"]["httpGet"]["path"] == "/readyz"


def test_the_outside_reaches_every_operation_but_the_clusters_own(
    manifests: tuple[Manifest, ...],
) -> None:
    (ingress,) = of_kind(manifests, "Ingress")
    (rule,) = ingress["spec"]["rules"]
    paths = [(each["path"], each["pathType"]) for each in rule["http"]["paths"]]
    (service,) = of_kind(manifests, "Service", "qwirkle")
    for each in rule["http"]["paths"]:
        assert each["backend"]["service"]["name"] == service["metadata"]["name"]
        assert each["backend"]["service"]["port"]["name"] == service["spec"]["ports"][0]["name"]

    def reached(route: str) -> bool:
        return any(
            route == path or (kind == "Prefix" and route.startswith(f"{path}/"))
            for path, kind in paths
        )

    assert {route for route in routes() if not reached(route)} == INSIDE_ONLY
