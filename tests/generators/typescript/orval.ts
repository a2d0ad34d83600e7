import * as api from "./generated/api";
import { base, bearer, playGame } from "./game";

// The generated functions ask for paths; a page resolves them against its own address.
const fetchFrom = globalThis.fetch;
globalThis.fetch = (path, options) => fetchFrom(new URL(String(path), base), options);

type Answer = { status: number; data: unknown };
type Success<A extends Answer> = Extract<A, { status: 200 | 201 }>["data"];

async function data<A extends Answer>(answer: Promise<A>): Promise<Success<A>> {
  const { status, data } = await answer;
  if (status > 299) throw new Error((data as api.Problem).code);
  return data as Success<A>;
}

await playGame({
  async create() {
    const made = await data(api.createGame({ players: [{ name: "Ada" }, { name: "Ben" }], auto_bid: true }));
    return { id: made.game.id, hostToken: made.host_token, tokens: made.players.map((one) => one.token!) };
  },
  deal: (id, token) => data(api.deal(id, {}, bearer(token))),
  game: (id) => data(api.getGame(id)),
  async legalPlays(id, token) {
    const legal = await data(api.listLegalPlays(id, { limit: 1, sort: "points" }, bearer(token)));
    return { plays: legal.plays, mayExchange: legal.may_exchange };
  },
  hand: async (id, token) => (await data(api.getHand(id, bearer(token)))).tiles,
  play: (id, token, placements) =>
    data(api.play(id, { placements: placements as api.Placement[] }, bearer(token))),
  exchange: (id, token, tiles) => data(api.exchange(id, { tiles: tiles as api.Tile[] }, bearer(token))),
  pass: (id, token) => data(api.passTurn(id, bearer(token))),
  scores: async (id) => (await data(api.getScore(id))).players.map((one) => one.score),
});
