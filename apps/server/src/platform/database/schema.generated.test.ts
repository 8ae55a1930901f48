import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../testing/database.ts";
import { generateSchema } from "./generate-schema.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test("the types of the tables are those of the migrated database (npm run db:types)", async () => {
  const kept = await readFile(new URL("./schema.generated.ts", import.meta.url), "utf8");
  expect(kept).toBe(await generateSchema(database.db));
});
