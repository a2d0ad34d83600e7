// A bot of one's own: `node bot.mjs http://127.0.0.1:8000/v1/games/<id> <player token>`.

const [url, token] = process.argv.slice(2);

async function call(path = "", body) {
  const answer = await fetch(url + path, {
    method: body ? "POST" : "GET",
    body: body && JSON.stringify(body),
    headers: {
      Authorization: `Bearer ${token}`,
      "Content-Type": "application/json",
      "Idempotency-Key": crypto.randomUUID(),
    },
  });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  return answer.json();
}

let game;
while ((game = await call()).status !== "finished") {
  const { actions, hand } = game.you;
  if (actions.includes("bid")) {
    // The longest line: one colour or one shape, no tile twice.
    const counts = {};
    for (const tile of new Set(hand))
      for (const part of tile.split("-")) counts[part] = (counts[part] ?? 0) + 1;
    await call("/bids", { length: Math.max(...Object.values(counts)) });
  } else if (actions.includes("play")) {
    // The best by points; the place for ideas of your own.
    const [best] = (await call("/legal-plays?sort=points&limit=1")).plays;
    await call("/plays", { placements: best.placements });
  } else if (actions.includes("exchange")) {
    await call("/exchanges", { tiles: hand.slice(0, game.bag_count) });
  } else if (actions.includes("pass")) {
    await call("/passes", {});
  } else {
    await call(`/events?after=${game.version}&wait=25`);
  }
}
console.log("over:", game.players.map(({ name, score }) => `${name} ${score}`).join(", "));
