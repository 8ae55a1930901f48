import type { Envelope } from "@paraphe/contracts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { up } from "../../../migrations/0053-title-ends.ts";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import type { TestBrowser } from "../../../testing/browser.ts";
import { createDraft, ENVELOPES } from "../../../testing/envelope.ts";
import { createMember, signIn } from "../../../testing/member.ts";

let service: TestApp;
let anne: TestBrowser;
beforeAll(async () => {
  service = await createTestApp();
  anne = await signIn(service, await createMember(service.platform, { firstName: "Élise", lastName: "d’Œuvre" }));
});
afterAll(() => service.close());

const texts = async (table: "envelopes" | "envelope_search") =>
  (await service.platform.db.selectFrom(table).select("search_text").execute()).map((row) => row.search_text).toSorted();

test("envelopes kept before titles had an end are given one: found as they were, and put in order", async () => {
  const { db } = service.platform;
  for (const title of ["Bail 2", "Bail", "Avenant d’Élise"]) await createDraft(anne, { title });
  const made = await texts("envelopes");
  expect(made).toEqual(["avenant d'elise\nelise d'oeuvre", "bail\nelise d'oeuvre", "bail 2\nelise d'oeuvre"]);
  for (const text of made)
    await db
      .updateTable("envelopes")
      .set({ search_text: text.replace("\n", " ") })
      .where("search_text", "=", text)
      .execute();
  // One that was too long to hold its sender's name.
  const { id: long } = await createDraft(anne, { title: "x" });
  await db
    .updateTable("envelopes")
    .set({ search_text: "x".repeat(800) })
    .where("id", "=", long)
    .execute();
  await service.platform.owner.transaction().execute((trx) => up(trx as never));
  expect(await texts("envelopes")).toEqual([...made, "x".repeat(800)]);
  expect(await texts("envelope_search")).toEqual(await texts("envelopes"));
  const titles = async (query: string) => (await anne.get(`${ENVELOPES}${query}`)).body.results.map(({ title }: Envelope) => title);
  expect(await titles("?ordering=title")).toEqual(["Avenant d’Élise", "Bail", "Bail 2", "x"]);
  expect(await titles("?ordering=title&search=BAIL")).toEqual(["Bail", "Bail 2"]);
  expect(await titles("?ordering=title&search=oeuvre")).toEqual(["Avenant d’Élise", "Bail", "Bail 2"]);
});
