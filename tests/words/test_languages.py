"""Refusals are told in the language that the caller asks for; their codes stay."""

import pytest

from tests.api.client import Answer, Client, Table, client_of
from tests.api.positions import in_play
from tests.servers import QwirkleServer


@pytest.fixture(scope="module")
def client(qwirkle_server: QwirkleServer) -> Client:
    return client_of(qwirkle_server)


@pytest.fixture(scope="module")
def table(client: Client) -> Table:
    return in_play(client)


def in_language(table: Table, wanted: str | None) -> Answer:
    """A play that mixes a line, refused in the language asked for."""
    headers = {} if wanted is None else {"Accept-Language": wanted}
    return table.play(0, "bo@2,0", headers=headers).refused(422, "line_mixed")


@pytest.mark.parametrize(
    ("wanted", "language"),
    [
        (None, "en"),
        ("de", "de"),
        ("de-AT", "de"),
        ("fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5", "fr"),
        ("xx, hu;q=0.3, it;q=0.4", "it"),
        ("ja, zh;q=0.9", "en"),
        ("pl;q=0, cs;q=0.1", "cs"),
        ("*", "en"),
        ("", "en"),
        (";;;=,q", "en"),
        ("RU", "ru"),
    ],
)
def test_the_language_is_the_best_of_those_asked_for(
    table: Table, wanted: str | None, language: str
) -> None:
    answer = in_language(table, wanted)
    assert answer.headers["content-language"] == language
    assert "Accept-Language" in answer.headers["vary"]


def test_title_detail_and_every_broken_rule_are_told_in_it(table: Table) -> None:
    problem = in_language(table, "de").json
    assert problem["title"] == "Die Reihe wäre gemischt"
    assert problem["detail"] == (
        "Die Steine einer Reihe haben eine Farbe oder eine Form gemeinsam; diese weder noch: "
        "red-circle, red-square, blue-circle auf (0, 0), (1, 0), (2, 0)."
    )
    assert problem["violations"][0]["detail"] == problem["detail"]
    assert problem["violations"][0]["tiles"] == ["red-circle", "red-square", "blue-circle"]


def test_english_is_told_as_ever(table: Table) -> None:
    problem = in_language(table, None).json
    assert problem["title"] == "The line would be mixed"
    assert problem["detail"] == in_language(table, "en").json["detail"]
    assert problem["detail"].endswith(
        "red-circle, red-square, blue-circle on (0, 0), (1, 0), (2, 0)."
    )


def test_faults_of_a_body_are_told_in_it_with_the_right_plural(client: Client) -> None:
    def told(players: int, language: str) -> str:
        body = {"players": [{"name": "Ada"}] * players}
        answer = client.post("/v1/games", body, headers={"Accept-Language": language})
        problem = answer.refused(400, "malformed_request").json
        assert (
            problem["detail"]
            == f"{problem['errors'][0]['pointer']} {problem['errors'][0]['detail']}."
        )
        return problem["errors"][0]["detail"]

    assert told(5, "pl") == "ma 5 elementów; dozwolone od 0 do 4"
    assert told(22, "pl") == "ma 22 elementy; dozwolone od 0 do 4"
    assert told(21, "ru") == "содержит 21 элемент; допускается от 0 до 4"
    assert told(1, "sk") == "je potrebné, keď sú zadaní menej ako dvaja hráči"


def test_a_wrong_moment_is_told_as_a_sentence(table: Table) -> None:
    answer = table.play(1, "rc@2,0", headers={"Accept-Language": "cs"})
    assert answer.refused(409, "not_your_turn").json["detail"] == "Na tahu je místo 0, ne místo 1."
    answer = table.bid(0, 3, headers={"Accept-Language": "fr"}).refused(409, "wrong_phase")
    assert answer.json["detail"] == "Phase de la partie : en cours ; il faudrait : annonces."


def test_refusals_of_every_layer_are_told_in_it(client: Client) -> None:
    hungarian = {"Accept-Language": "hu"}
    nothing = client.get("/v1/nothing", headers=hungarian).refused(404, "not_found")
    assert nothing.json["detail"] == "Itt nincs semmi: /v1/nothing."
    method = client.send("PUT", "/v1/games", headers=hungarian).refused(405, "method_not_allowed")
    assert method.json["title"] == "A metódus nem illik az útvonalhoz"
    lost = client.get(f"/v1/games/{'a' * 26}", headers=hungarian).refused(404, "game_not_found")
    assert lost.json["detail"].startswith("Nincs ilyen azonosítójú játék")


def test_what_succeeds_depends_on_no_language(table: Table) -> None:
    answer = table.look(headers={"Accept-Language": "de"}).ok(200)
    assert "content-language" not in answer.headers
    assert "Accept-Language" not in answer.headers["vary"]
    assert answer.body == table.look().body
