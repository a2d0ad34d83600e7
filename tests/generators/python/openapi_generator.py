"""Plays a whole game through openapi-generator's client, and prints the game's id."""

import sys

import openapi_client as api


def on(token: str | None = None) -> api.ApiClient:
    return api.ApiClient(api.Configuration(host=sys.argv[1], access_token=token))


def open_game() -> tuple[str, list[str]]:
    request = api.CreateGameRequest(
        players=[api.PlayerRequest(name="Ada"), api.PlayerRequest(name="Ben")], auto_bid=True
    )
    made = api.TableApi(on()).create_game(request)
    api.TableApi(on(made.host_token)).deal(made.game.id)
    return made.game.id, [player.token or "" for player in made.players]


def take_turn(game_id: str, token: str) -> None:
    playing = api.PlayingApi(on(token))
    legal = playing.list_legal_plays(game_id, limit=1, sort="points")
    if legal.plays:
        playing.play(game_id, api.PlayRequest(placements=legal.plays[0].placements))
    elif legal.may_exchange:
        tiles = playing.get_hand(game_id).tiles[:1]
        playing.exchange(game_id, api.ExchangeRequest(tiles=tiles))
    else:
        playing.pass_turn(game_id)


def leaders(game_id: str) -> list[int]:
    players = api.WatchingApi(on()).get_score(game_id).players
    most = max(player.score for player in players)
    return [player.seat for player in players if player.score == most]


def main() -> None:
    game_id, tokens = open_game()
    while (game := api.WatchingApi(on()).get_game(game_id)).turn:
        assert game.turn is not None
        assert game.turn.seat is not None
        take_turn(game_id, tokens[game.turn.seat])
    assert game.status == "finished"
    assert game.winners == leaders(game_id)
    print(game_id)


if __name__ == "__main__":
    main()
