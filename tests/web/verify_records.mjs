// Reads records, one a line, and writes what verify.js says of each.
// Usage: node verify_records.mjs <folder of the table page>; `--positions` writes positions instead.

import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [folder, what] = process.argv.slice(2);
const { verify, positions } = await import(`${pathToFileURL(folder)}/verify.js`);
for await (const line of createInterface({ input: process.stdin })) {
  const record = JSON.parse(line);
  const told = what === "--positions" ? positions(record) : await verify(record);
  console.log(JSON.stringify(told));
}
