import * as api from "./generated/index";
import { client } from "./generated/client.gen";
import { base, bearer, playGame } from "./game";

client.setConfig({ baseUrl: base, throwOnError: true });
const on = (game_id: string) => ({ path: { game_id }, throwOnError: true }) as const;

await playGame({
  async create() {
    const body = { players: [{ name: "Ada" }, { name: "Ben" }], auto_bid: true };
    const made = (await api.createGame({ body, throwOnError: true })).data;
    return { id: made.game.id, hostToken: made.host_token, tokens: made.players.map((one) => one.token!) };
  },
  deal: (id, token) => api.deal({ ...on(id), ...bearer(token) }),
  game: async (id) => (await api.getGame(on(id))).data,
  async legalPlays(id, token) {
    const query = { limit: 1, sort: "points" } as const;
    const { plays, may_exchange } = (await api.listLegalPlays({ ...on(id), query, ...bearer(token) })).data;
    return { plays, mayExchange: may_exchange };
  },
  hand: async (id, token) => (await api.getHand({ ...on(id), ...bearer(token) })).data.tiles,
  play: (id, token, placements) =>
    api.play({ ...on(id), ...bearer(token), body: { placements: placements as api.Placement[] } }),
  exchange: (id, token, tiles) =>
    api.exchange({ ...on(id), ...bearer(token), body: { tiles: tiles as api.Tile[] } }),
  pass: (id, token) => api.passTurn({ ...on(id), ...bearer(token) }),
  scores: async (id) => (await api.getScore(on(id))).data.players.map((one) => one.score),
});
