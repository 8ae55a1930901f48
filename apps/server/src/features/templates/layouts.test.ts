import { MAX_LAYOUTS } from "@paraphe/contracts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { openBrowser, type TestBrowser } from "../../../testing/browser.ts";
import { createMember, type Member, MEMBER_PASSWORD, signIn } from "../../../testing/member.ts";
import { readZip } from "../../../testing/zip.ts";

const LAYOUTS = "/api/signature/layouts/";
let service: TestApp;
let anne: Member;
let browser: TestBrowser;

beforeAll(async () => {
  service = await createTestApp({ settings: { rateLimits: "off" } });
  anne = await createMember(service.platform);
  browser = await signIn(service, anne, { remember: true });
});
afterAll(() => service.close());

const place = (more: object = {}) => ({
  document_rank: 0,
  person_rank: 0,
  type: "signature",
  page: 2,
  x: 0.1,
  y: 0.7,
  width: 0.3,
  height: 0.06,
  required: true,
  label: null,
  value: null,
  ...more,
});
const save = (name: string, fields: readonly object[] = [place()], who = browser) => who.post(LAYOUTS, { name, fields });
const names = async (who = browser) => (await who.get(LAYOUTS)).body.results.map((layout: { name: string }) => layout.name);

test("a layout keeps where fields stand, and is given back to its owner alone, by name", async () => {
  const fields = [place(), place({ person_rank: 1, type: "text", page: 1, required: false, label: "Qualité" })];
  const saved = await save("Bail, deux signatures", fields);
  expect([saved.status, saved.body.name, saved.body.fields]).toEqual([201, "Bail, deux signatures", fields]);
  await save("Avenant");
  expect(await names()).toEqual(["Avenant", "Bail, deux signatures"]);
  const other = await signIn(service, await createMember(service.platform));
  expect(await names(other)).toEqual([]);
  expect((await other.send("DELETE", `${LAYOUTS}${saved.body.id}/`)).status).toBe(404);
  expect((await openBrowser(service.app).get(LAYOUTS)).status).toBe(401);
  expect((await browser.send("DELETE", `${LAYOUTS}${saved.body.id}/`)).status).toBe(204);
  expect((await browser.send("DELETE", `${LAYOUTS}${saved.body.id}/`)).status).toBe(404);
  expect(await names()).toEqual(["Avenant"]);
});

test("a name serves once an account, whatever its case and accents; another account may have it", async () => {
  await save("Été");
  const again = await save("ETE");
  expect([again.status, again.body.errors]).toEqual([400, { name: ["Une de vos dispositions porte déjà ce nom"] }]);
  await save("Main d’œuvre");
  expect((await save("MAIN D'OEUVRE")).status).toBe(400);
  expect((await save("Été", [place()], await signIn(service, await createMember(service.platform)))).status).toBe(201);
});

test("a layout keeps the sentence of a mention; one kept before there were any has none", async () => {
  const mention = place({ type: "mention", value: "Lu et approuvé,\nbon pour accord" });
  const saved = await save("Caution", [place(), mention]);
  expect([saved.status, saved.body.fields]).toEqual([201, [place(), mention]]);
  const before = place();
  delete (before as { value?: unknown }).value;
  await service.platform.db
    .updateTable("layouts")
    .set({ fields: JSON.stringify([before]) })
    .where("id", "=", saved.body.id)
    .execute();
  const read = (await browser.get(LAYOUTS)).body.results.find((layout: { id: string }) => layout.id === saved.body.id);
  expect(read.fields).toEqual([place()]);
  await browser.send("DELETE", `${LAYOUTS}${saved.body.id}/`);
});

test("nothing is kept without a name, without a field, or with one that leaves its page", async () => {
  expect((await save(" ")).body.errors).toEqual({ name: ["Nom requis"] });
  for (const fields of [[], [place({ x: 0.9 })], [place({ page: 0 })], [place({ person_rank: 100 })], [place({ value: "secret" })]])
    expect((await save("Refusée", fields)).status).toBe(400);
  expect(await names()).not.toContain("Refusée");
});

test("an account keeps a hundred at most", async () => {
  const member = await createMember(service.platform);
  const many = await signIn(service, member);
  const rows = Array.from({ length: MAX_LAYOUTS }, (_, index) => ({
    id: service.platform.newId(),
    owner_id: member.id,
    name: `Disposition ${index}`,
    name_key: `disposition ${index}`,
    fields: JSON.stringify([place()]),
    created_at: service.platform.clock(),
  }));
  await service.platform.db.insertInto("layouts").values(rows).execute();
  const refused = await save("Une de trop", [place()], many);
  expect([refused.status, refused.body.code]).toEqual([409, "too_many_layouts"]);
});

test("one's layouts are in the copy of one's data, and go with the account", async () => {
  await save("À emporter");
  const zip = readZip((await browser.get("/api/signature/me/export/")).bytes);
  expect(JSON.parse(new TextDecoder().decode(zip.get("dispositions.json")))).toContainEqual(
    expect.objectContaining({ name: "À emporter" }),
  );
  expect((await browser.send("DELETE", "/api/signature/me/", { body: { password: MEMBER_PASSWORD } })).status).toBe(204);
  await service.settle();
  expect(await service.platform.db.selectFrom("layouts").selectAll().where("owner_id", "=", anne.id).execute()).toEqual([]);
});
