"""The files of deploy/ and the workflows fit their schemas and the code: ports, settings, options, metrics, times."""

import configparser
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from check_jsonschema import main as check_jsonschema
from click.testing import CliRunner

from clerestory import __version__
from clerestory.cli.options import variable_name
from clerestory.cli.serve import DEFAULTS, LOG
from clerestory.declared import declarations
from clerestory.server.config import Settings
from clerestory.server.gateway.config import GatewaySettings
from clerestory.server.rpc.metrics import FIGURES
from tests.commands import Command, fault

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "deploy"
CONTAINERFILE = (DEPLOY / "Containerfile").read_text("utf-8")
OBJECTS = sorted(path for path in (DEPLOY / "kubernetes").glob("*.yaml") if path.name != "kustomization.yaml")
UNIT = DEPLOY / "clerestory.service"
FILES = [path for path in sorted(DEPLOY.rglob("*")) if path.is_file() and path.parent.name != "observability"]
DECLARED = {
    variable_name(field, one)
    for kind in (type(DEFAULTS), type(LOG), GatewaySettings)
    for field, one in declarations(kind).items()
} | {"CLERESTORY_CATALOGUE"}
OURS = {"CLERESTORY_NAME"}  # of compose.yaml, which derives CLERESTORY_WEB_NAME from it


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text("utf-8"))


def setting(name: str) -> str:
    found = re.search(rf"^ +{name}=(\S+)", CONTAINERFILE, re.MULTILINE)
    assert found
    return found[1]


def port(name: str) -> int:
    return int(setting(name).rpartition(":")[2])


def container() -> Any:
    [only] = read(DEPLOY / "kubernetes" / "deployment.yaml")["spec"]["template"]["spec"]["containers"]
    return only


def in_kubernetes(name: str) -> float:
    [value] = [one["value"] for one in container()["env"] if one["name"] == f"CLERESTORY_{name}"]
    return float(value)


@pytest.mark.parametrize(
    ("schema", "path"),
    [("compose-spec", DEPLOY / "compose.yaml"), ("github-workflows", ROOT / ".github" / "workflows" / "release.yml")],
    ids=lambda value: getattr(value, "name", value),
)
def test_a_file_fits_its_schema(schema: str, path: Path) -> None:
    done = CliRunner().invoke(check_jsonschema, ["--builtin-schema", f"vendor.{schema}", str(path)])
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize("path", OBJECTS, ids=lambda path: path.name)
def test_an_object_of_kubernetes_fits_its_schema(path: Path) -> None:
    kubernetes_validate.validate(read(path), kubernetes_validate.latest_version(), strict=True)


def test_the_base_lists_every_object() -> None:
    assert sorted(read(DEPLOY / "kubernetes" / "kustomization.yaml")["resources"]) == [path.name for path in OBJECTS]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_setting_and_metric_exists(path: Path) -> None:
    known = {figure.full_name for figure in FIGURES}
    known |= {f"{name}_{part}" for name in known for part in ("bucket", "count", "sum")}
    assert set(re.findall(r"\bCLERESTORY_[A-Z_]+\b", path.read_text("utf-8"))) <= DECLARED | OURS
    assert set(re.findall(r"\bclerestory_[a-z_]+\b", path.read_text("utf-8"))) <= known


def commands() -> Iterator[str]:
    for line in re.findall(r"CMD (\[.*\])", CONTAINERFILE):
        words = yaml.safe_load(line)
        yield shlex.join(words if words[0] == "clerestory" else ["clerestory", *words])
    unit = configparser.RawConfigParser(strict=False)
    unit.read(UNIT)
    yield unit["Service"]["ExecStart"].removeprefix("/opt/clerestory/bin/")


@pytest.mark.parametrize("text", list(commands()))
def test_every_command_can_be_parsed(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert fault(Command("deploy", text, whole=True), monkeypatch) == ""


def test_the_settings_of_the_image_make_a_server() -> None:
    names = {variable_name(field, one): field for field, one in declarations(Settings).items()}
    given = dict(re.findall(r"^ +(CLERESTORY_\w+)=(\S+)", CONTAINERFILE, re.MULTILINE))
    values = {
        names[name]: value == "true" if value == "true" else value for name, value in given.items() if name in names
    }
    assert Settings(**values).insecure
    GatewaySettings(given["CLERESTORY_WEB"], insecure=True)


def test_ports_agree() -> None:
    grpc, web, metrics = port("CLERESTORY_LISTEN"), port("CLERESTORY_WEB"), port("CLERESTORY_METRICS")
    usual = int(DEFAULTS.listen.rpartition(":")[2])
    assert grpc == usual
    assert f"EXPOSE {grpc} {web} {metrics}\n" in CONTAINERFILE
    assert f'"127.0.0.1:{port("CLERESTORY_ADMIN")}"]' in CONTAINERFILE  # address checked by HEALTHCHECK
    named = {one["name"]: one["containerPort"] for one in container()["ports"]}
    assert named == {"grpc": grpc, "web": web, "metrics": metrics}
    assert {one["name"]: one["port"] for one in read(DEPLOY / "kubernetes" / "service.yaml")["spec"]["ports"]} == named
    assert {container()[f"{kind}Probe"]["grpc"]["port"] for kind in ("startup", "readiness", "liveness")} == {
        port("CLERESTORY_ADMIN")
    }
    assert {"name": "CLERESTORY_ADMIN", "value": f"0.0.0.0:{port('CLERESTORY_ADMIN')}"} in container()["env"]


def test_envoy_and_the_page_of_the_composition_find_each_other() -> None:
    services = read(DEPLOY / "compose.yaml")["services"]
    envoy = read(DEPLOY / "envoy-web.yaml")["static_resources"]
    [listener] = envoy["listeners"]
    outside = listener["address"]["socket_address"]["port_value"]
    assert f"{outside}:{outside}" in services["network"]["ports"]
    assert {services[name]["network_mode"] for name in ("clerestory", "envoy")} == {"service:network"}
    scraped = read(DEPLOY / "observability" / "prometheus.yaml")["scrape_configs"][0]["static_configs"][0]["targets"]
    [alias] = services["network"]["networks"]["default"]["aliases"]
    assert scraped == [f"{alias}:{port('CLERESTORY_METRICS')}"]
    [endpoint] = envoy["clusters"][0]["load_assignment"]["endpoints"][0]["lb_endpoints"]
    where = endpoint["endpoint"]["address"]["socket_address"]
    assert services["clerestory"]["environment"]["CLERESTORY_WEB"] == f"{where['address']}:{where['port_value']}"
    for service in services.values():
        for volume in service.get("volumes", ()):
            source = volume.split(":")[0]
            assert not source.startswith("./") or source == "./tls" or (DEPLOY / source).is_file()


def test_traces_of_the_composition_reach_its_collector() -> None:
    services = read(DEPLOY / "compose.yaml")["services"]
    assert services["clerestory"]["environment"]["CLERESTORY_TRACING"] == "${CLERESTORY_TRACING:-}"  # off by default
    [told] = re.findall(r"CLERESTORY_TRACING=(\S+),", (DEPLOY / "compose.yaml").read_text("utf-8"))
    receiver = read(DEPLOY / "observability" / "collector.yaml")["receivers"]["otlp"]["protocols"]["grpc"]["endpoint"]
    assert Settings(tracing=told).tracing == f"http://collector:{receiver.rpartition(':')[2]}"
    assert services["clerestory"]["build"]["args"] == {"EXTRAS": "${EXTRAS:-postgres}"}
    assert "ARG EXTRAS=postgres\n" in CONTAINERFILE
    assert '"clerestory[${EXTRAS}]"' in CONTAINERFILE


def test_a_server_has_time_to_drain_before_it_is_killed() -> None:
    pod = read(DEPLOY / "kubernetes" / "deployment.yaml")["spec"]["template"]["spec"]
    ready, alive = container()["readinessProbe"], container()["livenessProbe"]
    drain, grace = in_kubernetes("DRAIN_DELAY"), in_kubernetes("GRACE")
    assert drain > in_kubernetes("MAX_TIME")
    assert drain > ready["periodSeconds"] * ready["failureThreshold"]
    assert pod["terminationGracePeriodSeconds"] > drain + grace
    assert alive["periodSeconds"] * alive["failureThreshold"] > pod["terminationGracePeriodSeconds"]
    by_hand = DEFAULTS.drain_delay + DEFAULTS.grace
    assert int(re.search(r"TimeoutStopSec=(\d+)", UNIT.read_text())[1]) > by_hand  # type: ignore[index]
    assert int(read(DEPLOY / "compose.yaml")["services"]["clerestory"]["stop_grace_period"].rstrip("s")) > by_hand


def test_kubernetes_starts_the_image_of_this_version() -> None:
    [image] = read(DEPLOY / "kubernetes" / "kustomization.yaml")["images"]
    assert image == {"name": "clerestory", "newTag": __version__}


def test_the_autoscaler_adds_servers_before_answers_are_weak() -> None:
    scaler = read(DEPLOY / "kubernetes" / "autoscaler.yaml")["spec"]
    [metric] = scaler["metrics"]
    cores = int(container()["resources"]["requests"]["cpu"])
    assert in_kubernetes("WORKERS") == cores
    assert int(metric["pods"]["target"]["averageValue"]) <= 6 * cores  # docs/operations.md, "Time"
    assert scaler["minReplicas"] > read(DEPLOY / "kubernetes" / "disruption.yaml")["spec"]["maxUnavailable"]


@pytest.mark.parametrize("name", ["envoy.yaml", "envoy-web.yaml"])
def test_no_route_is_hidden_by_one_before_it(name: str) -> None:
    """Envoy uses the first match."""
    [listener] = read(DEPLOY / name)["static_resources"]["listeners"]
    [host] = listener["filter_chains"][0]["filters"][0]["typed_config"]["route_config"]["virtual_hosts"]
    prefixes = [route["match"]["prefix"] for route in host["routes"]]
    assert len(prefixes) > 1
    for number, later in enumerate(prefixes):
        assert not later.startswith(tuple(prefixes[:number]))
