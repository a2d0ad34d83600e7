import { ok } from "@oazapfts/runtime";
import * as api from "./generated/api";
import { base, bearer, playGame } from "./game";

api.defaults.baseUrl = base;

await playGame({
  async create() {
    const made = await ok(api.createGame({ players: [{ name: "Ada" }, { name: "Ben" }], auto_bid: true }));
    return { id: made.game.id, hostToken: made.host_token, tokens: made.players.map((one) => one.token!) };
  },
  deal: (id, token) => ok(api.deal(id, {}, {}, bearer(token))),
  game: (id) => ok(api.getGame(id)),
  async legalPlays(id, token) {
    const legal = await ok(api.listLegalPlays(id, { limit: 1, sort: "points" }, bearer(token)));
    return { plays: legal.plays, mayExchange: legal.may_exchange };
  },
  hand: async (id, token) => (await ok(api.getHand(id, {}, bearer(token)))).tiles,
  play: (id, token, placements) =>
    ok(api.play(id, { placements: placements as api.Placement[] }, {}, bearer(token))),
  exchange: (id, token, tiles) => ok(api.exchange(id, { tiles: tiles as api.Tile[] }, {}, bearer(token))),
  pass: (id, token) => ok(api.passTurn(id, {}, bearer(token))),
  scores: async (id) => (await ok(api.getScore(id))).players.map((one) => one.score),
});
