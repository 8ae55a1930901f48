import { writeFile } from "node:fs/promises";
import { generateSchema } from "../apps/server/testing/generate-schema.ts";
import { createTestDatabase } from "../apps/server/testing/database.ts";

/** Generates the tables' types from the migrations. */
const target = new URL("../apps/server/src/platform/database/schema.generated.ts", import.meta.url);
const database = await createTestDatabase();
await writeFile(target, await generateSchema(database.db));
await database.drop();
// The tests' PostgreSQL keeps the process alive.
process.exit(0);
