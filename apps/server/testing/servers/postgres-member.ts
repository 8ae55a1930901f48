import pg from "pg";
import { joinEmbeddedPostgres } from "../../src/platform/database/embedded/embedded-postgres.ts";

/**
 * A process that joins the embedded server, for tests that kill and count such processes. Says
 * `joined <address>`; on the end of stdin leaves and says `left`. A second word is inserted in a
 * table.
 */
const [dataDir = "", word] = process.argv.slice(2);
const server = await joinEmbeddedPostgres({ dataDir });
if (word) {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query("create table if not exists words (word text)");
  await client.query("insert into words values ($1)", [word]);
  await client.end();
}
process.stdout.write(`joined ${server.url}\n`);
process.stdin.resume().on("end", async () => {
  await server.leave();
  process.stdout.write("left\n");
  process.exit(0);
});
