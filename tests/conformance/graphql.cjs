// Validates GraphQL documents, one a line on standard input, against GitHub's schema: graphql.cjs NODE_MODULES
const fs = require("node:fs");
const { buildSchema, parse, validate } = require(`${process.argv[2]}/graphql`);

// The published schema says a field or two twice; GitHub answers all the same.
const text = fs.readFileSync(`${process.argv[2]}/@octokit/graphql-schema/schema.graphql`, "utf8");
const schema = buildSchema(text, { assumeValidSDL: true });
const documents = fs.readFileSync(0, "utf8").split("\n").filter(Boolean);
let failed = documents.length < 4;
if (failed) console.error(`FAILED only ${documents.length} documents`);
for (const text of documents) {
  for (const error of validate(schema, parse(text))) {
    console.error(`FAILED ${error.message} in ${text}`);
    failed = true;
  }
}
process.exit(failed ? 1 : 0);
