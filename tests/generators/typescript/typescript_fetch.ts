import * as api from "./generated/index";
import { base, playGame } from "./game";

const settings = (accessToken?: string) => new api.Configuration({ basePath: base, accessToken });
const playing = (token: string) => new api.PlayingApi(settings(token));
const watching = new api.WatchingApi(settings());

await playGame({
  async create() {
    const createGameRequest = { players: [{ name: "Ada" }, { name: "Ben" }], autoBid: true };
    const made = await new api.TableApi(settings()).createGame({ createGameRequest });
    return { id: made.game.id, hostToken: made.hostToken, tokens: made.players.map((one) => one.token!) };
  },
  deal: (gameId, token) => new api.TableApi(settings(token)).deal({ gameId }),
  game: (gameId) => watching.getGame({ gameId }),
  legalPlays: (gameId, token) => playing(token).listLegalPlays({ gameId, limit: 1, sort: "points" }),
  hand: async (gameId, token) => (await playing(token).getHand({ gameId })).tiles,
  play: (gameId, token, placements) =>
    playing(token).play({ gameId, playRequest: { placements: placements as api.Placement[] } }),
  exchange: (gameId, token, tiles) =>
    playing(token).exchange({ gameId, exchangeRequest: { tiles: tiles as api.Tile[] } }),
  pass: (gameId, token) => playing(token).passTurn({ gameId }),
  scores: async (gameId) => (await watching.getScore({ gameId })).players.map((one) => one.score),
});
