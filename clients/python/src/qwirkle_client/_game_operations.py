"""The operations of a game: what each takes, what it sends, what it is answered with."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Literal, Unpack
from urllib.parse import quote

from qwirkle_client import types
from qwirkle_client._answer import Answer
from qwirkle_client._connection import Connection
from qwirkle_client._entropy import Entropy, entropy_text
from qwirkle_client._follow_game import GameFollower
from qwirkle_client._operation import Client, operation
from qwirkle_client._request import Request, WriteOptions, checked_token, get, is_token, post, write
from qwirkle_client.errors import UnexpectedAnswer

Theme = Literal["light", "dark"]


class GameOperations(Client):
    """What can be done with one game by the holder of one token, or of none."""

    def __init__(self, connection: Connection, game_id: str, token: str | None) -> None:
        self._connection = connection
        self._path = f"/v1/games/{quote(game_id, safe='')}"
        self._token = checked_token(token)
        self.id = game_id
        self.etag: str | None = None
        """The ETag of the last answer about the game, for `if_match`."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.url!r})"  # without the token

    @property
    def url(self) -> str:
        """Where the game is."""
        return self._connection.base_url + self._path

    @property
    def token(self) -> str | None:
        """The token, as last renewed by `renew_token`."""
        return self._token

    def _note(self, answer: Answer) -> None:
        etag = answer.headers.get("ETag", "")
        # Anything else could not be sent back.
        self.etag = etag if etag and etag.isascii() else self.etag

    def _follower(self, after: int, patience: float | None, *, rematch: bool) -> GameFollower:
        return GameFollower(
            self._connection, self._path, lambda: self._token, after, patience, rematch=rematch
        )

    def _get(self, what: str, **query: str | float | None) -> Request[Any]:
        return get(self._path + what, self._token, **query)

    def _post(self, what: str, body: object, options: WriteOptions) -> Request[Any]:
        return post(self._path + what, self._token, body, options)

    # At the table

    @operation("takeSeat")
    def join(
        self,
        name: str,
        *,
        age: int | None = None,
        ref: str | None = None,
        entropy: str | Entropy | None = Entropy.RANDOM,
        join_code: str | None = None,
        **options: Unpack[WriteOptions],
    ) -> Request[types.SeatTaken]:
        """Take an open seat. The answer has its token. `entropy` enters every draw."""
        added = entropy_text(entropy, options)
        body = {"name": name, "age": age, "ref": ref, "entropy": added, "join_code": join_code}
        return post(f"{self._path}/players", None, body, options)

    @operation("deal")
    def deal(
        self, *, entropy: str | Entropy | None = Entropy.RANDOM, **options: Unpack[WriteOptions]
    ) -> Request[types.Game]:
        """Mix and deal. For the host. `entropy` enters every draw."""
        return self._post("/deal", {"entropy": entropy_text(entropy, options)}, options)

    @operation("updateGame")
    def update(
        self,
        *,
        if_match: str | None = None,
        idempotency_key: str | None = None,
        **options: Unpack[types.UpdateGameRequest],
    ) -> Request[types.Game]:
        """Change the table while it is waiting, or the `metadata` at any time. For the host."""
        how: WriteOptions = {"if_match": if_match, "idempotency_key": idempotency_key}
        return write("PATCH", self._path, self._token, options, how)

    @operation("addBot")
    def add_bot(
        self, bot: types.BotKind, *, name: str | None = None, **options: Unpack[WriteOptions]
    ) -> Request[types.BotSeated]:
        """Seat a bot. For the host."""
        return self._post("/bots", {"bot": bot, "name": name}, options)

    @operation("removePlayer")
    def remove_player(self, seat: int, **options: Unpack[WriteOptions]) -> Request[None]:
        """Remove a player while the game is waiting. For the host."""
        request = write("DELETE", f"{self._path}/players/{seat}", self._token, None, options)
        return replace(request, read=lambda _: None)

    @operation("deleteGame")
    def delete(self, *, if_match: str | None = None) -> Request[None]:
        """Delete the game for good. For the host."""
        return Request(
            method="DELETE",
            path=self._path,
            read=lambda _: None,
            token=self._token,
            headers={"If-Match": if_match},
        )

    @operation("forkGame")
    def fork(self, after: int, **options: Unpack[WriteOptions]) -> Request[types.CreatedGame]:
        """Create another game in the state after this event. For the host."""
        return self._post("/forks", {"after": after}, options)

    @operation("rematch")
    def rematch(
        self, *, entropy: str | Entropy | None = Entropy.RANDOM, **options: Unpack[WriteOptions]
    ) -> Request[types.Rematch]:
        """Play again with the same players. All who ask get the same new game.

        `entropy` enters every draw, if you take your seat with it.
        """
        return self._post("/rematch", {"entropy": entropy_text(entropy, options)}, options)

    @operation("renewToken")
    def renew_token(
        self, *, seat: int | None = None, **options: Unpack[WriteOptions]
    ) -> Request[types.RenewedToken]:
        """Replace the token, here too; the old one stops working. A host may name a `seat`."""
        request: Request[types.RenewedToken] = self._post("/tokens", {"seat": seat}, options)

        def read(answer: Answer) -> types.RenewedToken:
            renewed = request.read(answer)
            token: object = renewed.get("token")
            if not is_token(token):
                raise UnexpectedAnswer("the answer has no token that could be used")
            if seat is None:
                self._token = token
            return renewed

        return replace(request, read=read)

    # Playing

    @operation("bid")
    def bid(
        self,
        length: int | None = None,
        *,
        tiles: Iterable[types.Tile] | None = None,
        **options: Unpack[WriteOptions],
    ) -> Request[types.BidMade]:
        """Declare the longest line of the hand, by its length or its tiles."""
        body = {"length": length} if tiles is None else {"tiles": list(tiles)}
        return self._post("/bids", body, options)

    @operation("play")
    def play(
        self, placements: Iterable[types.Placement], **options: Unpack[WriteOptions]
    ) -> Request[types.PlayMade]:
        """Lay tiles."""
        return self._post("/plays", {"placements": list(placements)}, options)

    @operation("previewPlay")
    def preview(
        self, placements: Iterable[types.Placement], **options: Unpack[WriteOptions]
    ) -> Request[types.PlayPreview]:
        """What a play would score; `Refused` with every broken rule if it is not allowed."""
        return self._post("/plays/preview", {"placements": list(placements)}, options)

    @operation("exchange")
    def exchange(
        self, tiles: Iterable[types.Tile], **options: Unpack[WriteOptions]
    ) -> Request[types.ExchangeMade]:
        """Exchange tiles for others from the bag."""
        return self._post("/exchanges", {"tiles": list(tiles)}, options)

    @operation("passTurn")
    def pass_(self, **options: Unpack[WriteOptions]) -> Request[types.GameAfter]:
        """Pass, when nothing else is possible."""
        return self._post("/passes", None, options)

    @operation("resign")
    def resign(self, **options: Unpack[WriteOptions]) -> Request[types.GameAfter]:
        """Leave the game for good."""
        return self._post("/resignations", None, options)

    # Looking

    @operation("getGame")
    def view(self) -> Request[types.Game]:
        """The game as the holder of the token may see it."""
        return self._get("")

    @operation("getHand")
    def hand(self) -> Request[types.Hand]:
        """The player's hand."""
        return self._get("/hand")

    @operation("listLegalPlays")
    def legal_plays(
        self, *, limit: int | None = None, sort: Literal["points"] | None = None
    ) -> Request[types.LegalPlays]:
        """What the player could do; the best plays first with `sort="points"`."""
        return self._get("/legal-plays", limit=limit, sort=sort)

    @operation("countUnseen")
    def unseen(self) -> Request[types.Unseen]:
        """How many tiles of each kind the holder of the token does not see."""
        return self._get("/unseen")

    @operation("getScore")
    def score(
        self, *, after: int | None = None, limit: int | None = None
    ) -> Request[types.ScoreSheet]:
        """The score sheet: the turns after number `after`."""
        return self._get("/score", after=after, limit=limit)

    @operation("getEvents")
    def events(
        self, *, after: int | None = None, limit: int | None = None, wait: int | None = None
    ) -> Request[types.EventsPage]:
        """The events after number `after`; if there are none, those of the next `wait` seconds."""
        request = self._get("/events", after=after, limit=limit, wait=wait)
        return replace(request, wait=wait or 0)

    @operation("getRecord")
    def record(self) -> Request[types.GameRecord]:
        """The game as a document that can be replayed; with hands and draws once it is finished."""
        return self._get("/record")

    @operation("getBoardSvg")
    def board_svg(self, *, size: int | None = None, theme: Theme | None = None) -> Request[str]:
        """A picture of the table as SVG."""
        request = self._get("/board.svg", size=size, theme=theme)
        return replace(request, read=lambda answer: answer.text)

    @operation("getBoardPng")
    def board_png(self, *, size: int | None = None, theme: Theme | None = None) -> Request[bytes]:
        """A picture of the table as PNG."""
        request = self._get("/board.png", size=size, theme=theme)
        return replace(request, read=lambda answer: answer.content)
