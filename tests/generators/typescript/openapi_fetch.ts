import createClient from "openapi-fetch";
import type { components, paths } from "./generated/api";
import { base, bearer, playGame } from "./game";

type Tile = components["schemas"]["Tile"];
const client = createClient<paths>({ baseUrl: base });
const on = (game_id: string) => ({ params: { path: { game_id } } });

function data<T>(answer: { data?: T; error?: components["schemas"]["Problem"] }): T {
  if (answer.error) throw new Error(answer.error.code);
  return answer.data!;
}

await playGame({
  async create() {
    const body = { players: [{ name: "Ada" }, { name: "Ben" }], auto_bid: true };
    const made = data(await client.POST("/v1/games", { body }));
    return { id: made.game.id, hostToken: made.host_token, tokens: made.players.map((one) => one.token!) };
  },
  deal: async (id, token) => data(await client.POST("/v1/games/{game_id}/deal", { ...on(id), ...bearer(token) })),
  game: async (id) => data(await client.GET("/v1/games/{game_id}", on(id))),
  async legalPlays(id, token) {
    const params = { path: { game_id: id }, query: { limit: 1, sort: "points" as const } };
    const legal = data(await client.GET("/v1/games/{game_id}/legal-plays", { params, ...bearer(token) }));
    return { plays: legal.plays, mayExchange: legal.may_exchange };
  },
  hand: async (id, token) => data(await client.GET("/v1/games/{game_id}/hand", { ...on(id), ...bearer(token) })).tiles,
  play: async (id, token, placements) =>
    data(await client.POST("/v1/games/{game_id}/plays", {
      ...on(id), ...bearer(token),
      body: { placements: placements as components["schemas"]["Placement"][] },
    })),
  exchange: async (id, token, tiles) =>
    data(await client.POST("/v1/games/{game_id}/exchanges", {
      ...on(id), ...bearer(token), body: { tiles: tiles as Tile[] },
    })),
  pass: async (id, token) => data(await client.POST("/v1/games/{game_id}/passes", { ...on(id), ...bearer(token) })),
  scores: async (id) => data(await client.GET("/v1/games/{game_id}/score", on(id))).players.map((one) => one.score),
});
