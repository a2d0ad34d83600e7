// Reads records, one per line, and writes the report of verify.js for each.
// Usage: node verify_records.mjs <folder of the page> [--positions]; --positions writes positions instead of reports.

import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [folder, what] = process.argv.slice(2);
const { verify, positions } = await import(`${pathToFileURL(folder)}/verify.js`);
for await (const line of createInterface({ input: process.stdin })) {
  const record = JSON.parse(line);
  const result = what === "--positions" ? positions(record) : await verify(record);
  console.log(JSON.stringify(result));
}
