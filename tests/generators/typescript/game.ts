// Plays a whole game through a generated client, and prints the game's id.

export type Placement = { tile: string; x: number; y: number };
export type Game = { status: string; turn: { seat: number | null } | null; winners: number[] | null };
export type LegalPlays = { plays: { placements: Placement[] }[]; mayExchange: number };

/** What the game needs of a client; each generator's adapter is written with its own types. */
export interface Client {
  create(): Promise<{ id: string; hostToken: string; tokens: string[] }>;
  deal(id: string, token: string): Promise<unknown>;
  game(id: string): Promise<Game>;
  legalPlays(id: string, token: string): Promise<LegalPlays>;
  hand(id: string, token: string): Promise<string[]>;
  play(id: string, token: string, placements: Placement[]): Promise<unknown>;
  exchange(id: string, token: string, tiles: string[]): Promise<unknown>;
  pass(id: string, token: string): Promise<unknown>;
  scores(id: string): Promise<number[]>;
}

export const base = process.argv[2]!;
export const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });

export async function playGame(client: Client): Promise<void> {
  const { id, hostToken, tokens } = await client.create();
  await client.deal(id, hostToken);
  for (;;) {
    const game = await client.game(id);
    if (game.status === "finished") {
      const scores = await client.scores(id);
      const best = scores.flatMap((score, seat) => (score === Math.max(...scores) ? [seat] : []));
      if (String(best) !== String(game.winners)) throw new Error(`winners are not ${best}`);
      return console.log(id);
    }
    const token = tokens[game.turn!.seat!]!;
    const legal = await client.legalPlays(id, token);
    if (legal.plays[0]) await client.play(id, token, legal.plays[0].placements);
    else if (legal.mayExchange) {
      await client.exchange(id, token, (await client.hand(id, token)).slice(0, 1));
    } else await client.pass(id, token);
  }
}
