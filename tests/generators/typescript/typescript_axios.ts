import * as api from "./generated/index";
import { base, playGame } from "./game";

const settings = (accessToken?: string) => new api.Configuration({ basePath: base, accessToken });
const playing = (token: string) => new api.PlayingApi(settings(token));
const watching = new api.WatchingApi(settings());

await playGame({
  async create() {
    const request = { players: [{ name: "Ada" }, { name: "Ben" }], auto_bid: true };
    const made = (await new api.TableApi(settings()).createGame(request)).data;
    return { id: made.game.id, hostToken: made.host_token, tokens: made.players.map((one) => one.token!) };
  },
  deal: (id, token) => new api.TableApi(settings(token)).deal(id),
  game: async (id) => (await watching.getGame(id)).data,
  async legalPlays(id, token) {
    const { plays, may_exchange } = (await playing(token).listLegalPlays(id, 1, "points")).data;
    return { plays, mayExchange: may_exchange };
  },
  hand: async (id, token) => (await playing(token).getHand(id)).data.tiles,
  play: (id, token, placements) => playing(token).play(id, { placements: placements as api.Placement[] }),
  exchange: (id, token, tiles) => playing(token).exchange(id, { tiles: tiles as api.Tile[] }),
  pass: (id, token) => playing(token).passTurn(id),
  scores: async (id) => (await watching.getScore(id)).data.players.map((one) => one.score),
});
