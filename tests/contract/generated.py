"""A table played through the generated Python client, every answer held against the contract."""

import importlib
from types import ModuleType
from typing import Any

from tests.contract.checker import check_answer


class GeneratedTable:
    """One game, its tokens, and the generated functions to act on it."""

    def __init__(self, base_url: str) -> None:
        self._base_url = base_url
        self._client = importlib.import_module("generated_client.client")
        self._models = importlib.import_module("generated_client.models")
        self._tokens: list[str] = []
        self._connections: dict[str | None, Any] = {}

    def play_a_game(self) -> Any:
        """Play from the first request to the end, and return the finished game."""
        self.open_for("Ada", "Ben")
        self.deal()
        self.bid()
        for _ in range(400):
            game = self.look()
            if game.status == "finished":
                break
            self.take_turn(game.turn.seat)
        assert game.status == "finished"
        assert game.winners == self.leaders()
        return game

    def open_for(self, host_name: str, guest_name: str) -> None:
        """Create a game with one player and let the other take the open seat."""
        models = self._models
        body = models.CreateGameRequest(
            seats=2, players=[models.PlayerRequest(name=host_name, age=9)]
        )
        created = self._call("table.create_game", "POST", "/v1/games", body=body)
        self._id, self._host = created.game.id, created.host_token
        seat = self._on_game(
            "table.take_seat", "POST", "/players", body=models.JoinRequest(guest_name)
        )
        assert seat.seat == 1
        self._tokens = [created.players[0].token, seat.token]

    def deal(self) -> None:
        assert self._on_game("table.deal", "POST", "/deal", self._host).status == "bidding"

    def bid(self) -> None:
        """Each player bids downwards from six until the service finds the bid exact."""
        for seat, token in enumerate(self._tokens):
            for length in range(6, 0, -1):
                body = self._models.BidRequest(length=length)
                made = self._on_game("playing.bid", "POST", "/bids", token, body=body)
                if isinstance(made, self._models.BidMade):
                    assert (made.bid.seat, made.bid.length) == (seat, length)
                    break
                assert made.code == "bid_too_high"

    def look(self, token: str | None = None) -> Any:
        return self._on_game("watching.get_game", "GET", "", token)

    def take_turn(self, seat: int) -> None:
        """Make the best play there is; without one exchange a tile, or pass."""
        token, models = self._tokens[seat], self._models
        sort = models.ListLegalPlaysSort.POINTS
        legal = self._on_game(
            "playing.list_legal_plays", "GET", "/legal-plays", token, limit=1, sort=sort
        )
        if legal.count:
            (best,) = legal.plays
            body = models.PlayRequest(best.placements)
            tried = self._on_game(
                "playing.preview_play", "POST", "/plays/preview", token, body=body
            )
            made = self._on_game("playing.play", "POST", "/plays", token, body=body)
            assert made.play.points == tried.play.points == best.points
        elif legal.may_exchange:
            hand = self._on_game("playing.get_hand", "GET", "/hand", token)
            body = models.ExchangeRequest(hand.tiles[:1])
            assert self._on_game(
                "playing.exchange", "POST", "/exchanges", token, body=body
            ).exchange
        else:
            assert self._on_game("playing.pass_turn", "POST", "/passes", token).game

    def leaders(self) -> list[int]:
        """The seats with the most points, by the score sheet."""
        sheet = self._on_game("watching.get_score", "GET", "/score")
        most = max(player.score for player in sheet.players)
        return [player.seat for player in sheet.players if player.score == most]

    def _on_game(
        self, function: str, method: str, path: str, token: str | None = None, **inputs: Any
    ) -> Any:
        path = f"/v1/games/{self._id}{path}"
        return self._call(function, method, path, token, game_id=self._id, **inputs)

    def _call(
        self, function: str, method: str, path: str, token: str | None = None, **inputs: Any
    ) -> Any:
        module: ModuleType = importlib.import_module(f"generated_client.api.{function}")
        answer = module.sync_detailed(client=self._connection(token), **inputs)
        check_answer(method, path, int(answer.status_code), answer.headers, answer.content)
        return answer.parsed

    def _connection(self, token: str | None) -> Any:
        if token not in self._connections:
            self._connections[token] = (
                self._client.AuthenticatedClient(self._base_url, token)
                if token
                else self._client.Client(self._base_url)
            )
        return self._connections[token]

    def leave(self) -> None:
        """Close every connection."""
        for connection in self._connections.values():
            connection.get_httpx_client().close()
