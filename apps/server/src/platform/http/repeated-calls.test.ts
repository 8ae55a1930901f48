import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type HttpStage, openHttpStage } from "../../../testing/http-stage.ts";

let stage: HttpStage;
let platform: HttpStage["platform"];
let runs: HttpStage["runs"];
let post: HttpStage["post"];

beforeAll(async () => {
  stage = await openHttpStage();
  ({ platform, runs, post } = stage);
});
afterAll(() => stage.close());

describe("Idempotency-Key", () => {
  const send = (key: string, payload: object, headers = {}) =>
    post("/api/things/", { payload, headers: { "idempotency-key": key, ...headers } });

  test("gives the first answer again to the same request, and 409 to another", async () => {
    const first = await send("cle-1", { name: "un" });
    const again = await send("cle-1", { name: "un" });
    expect([again.statusCode, again.body]).toEqual([first.statusCode, first.body]);
    expect(again.headers["idempotency-replayed"]).toBe("true");
    expect((await send("cle-1", { name: "deux" })).json()).toMatchObject({ status: 409, code: "idempotency_conflict" });
  });

  test("runs once what comes several times at once", async () => {
    const before = runs();
    const answers = await Promise.all(Array.from({ length: 5 }, () => send("cle-2", { name: "ensemble" })));
    expect(new Set(answers.map((answer) => answer.body)).size).toBe(1);
    expect(runs()).toBe(before + 1);
  });

  test("knows a form by its content", async () => {
    const upload = (bytes: string) =>
      post("/api/files/", {
        payload: `--limite\r\nContent-Disposition: form-data; name="files"; filename="a.pdf"\r\n\r\n${bytes}\r\n--limite--\r\n`,
        headers: { "content-type": "multipart/form-data; boundary=limite", "idempotency-key": "cle-3" },
      });
    const first = await upload("abc");
    expect(first.statusCode).toBe(200);
    expect((await upload("abc")).body).toBe(first.body);
    expect((await upload("abd")).json().code).toBe("idempotency_conflict");
  });

  test("belongs to one sender and one address", async () => {
    const first = await send("cle-4", { name: "moi" });
    const other = await send("cle-4", { name: "moi" }, { "x-signature-token": "quelqu’un" });
    expect(other.json().run).not.toBe(first.json().run);
  });

  test("is free again after an answer that says to come back later", async () => {
    const busy = () => post("/api/busy/", { headers: { "idempotency-key": "cle-9" } });
    expect((await busy()).statusCode).toBe(409);
    expect((await busy()).headers["idempotency-replayed"]).toBeUndefined();
  });

  test("leaves no hash in the database that a password could be guessed from", async () => {
    const payload = { name: "azerty123" };
    await send("cle-10", payload);
    const rows = await platform.db.selectFrom("idempotency_keys").select("request_sha256").where("key", "=", "cle-10").execute();
    const plain = createHash("sha256").update(JSON.stringify(payload)).digest();
    expect(rows.map((row) => Buffer.compare(row.request_sha256, plain) === 0)).toEqual([false]);
  });

  test("is the same for every spelling of the address", async () => {
    const first = await send("cle-7", { name: "moi" });
    const headers = { "idempotency-key": "cle-7" };
    expect((await post("/%61pi/things", { payload: { name: "moi" }, headers })).body).toBe(first.body);
  });

  test("is free again after an outage, and after 24 hours", async () => {
    const broken = () => post("/api/broken/", { headers: { "idempotency-key": "cle-5" } });
    expect((await broken()).statusCode).toBe(500);
    expect((await broken()).headers["idempotency-replayed"]).toBeUndefined();
    const first = await send("cle-6", { name: "hier" });
    platform.clock.advance({ hours: 23 });
    expect((await send("cle-6", { name: "hier" })).body).toBe(first.body);
    platform.clock.advance({ hours: 2 });
    expect((await send("cle-6", { name: "hier" })).body).not.toBe(first.body);
  });

  test("of a strange shape is refused", async () => {
    expect((await send("x".repeat(201), { name: "un" })).json().code).toBe("validation");
  });
});
