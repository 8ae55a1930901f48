import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { missingObjectStore, openObjectStore, type TestObjectStore } from "../../../testing/object-store/open-object-store.ts";
import { createS3LockedStore } from "./s3-locked-store.ts";

const OBJECT = {
  name: "journal/checkpoint-1.json",
  bytes: new TextEncoder().encode('{"size":1}'),
  contentType: "application/json",
  until: new Date("2036-11-23T03:04:05.678Z"),
};

describe.skipIf(missingObjectStore())("on somebody else's store, which judges signatures, grants and locks,", () => {
  let store: TestObjectStore;
  beforeAll(async () => {
    store = await openObjectStore();
  }, 60_000);
  afterAll(() => store.close());
  const put = (changed: Partial<TestObjectStore["settings"]["locked"]> = {}) =>
    createS3LockedStore({ ...store.settings.locked, ...changed }).put(OBJECT);

  test("an object is stored, byte for byte, and nobody removes it before its day, whatever they may do else", async () => {
    await put();
    const [kept = { name: "", version: "" }] = await store.versions();
    expect(kept.name).toBe(OBJECT.name);
    const path = `/temoin/${kept.name}?versionId=${kept.version}`;
    for (const headers of [{}, { "x-amz-bypass-governance-retention": "true" }])
      expect((await store.asOwner("DELETE", path, headers)).status).toBe(403);
    // Without a version a mark alone is put before it.
    expect((await store.asOwner("DELETE", `/temoin/${kept.name}`)).status).toBe(204);
    const read = await store.asOwner("GET", path);
    expect([read.status, await read.text(), read.headers.get("content-type")]).toEqual([200, '{"size":1}', "application/json"]);
    expect(read.headers.get("x-amz-object-lock-mode")).toBe("COMPLIANCE");
    expect(read.headers.get("x-amz-object-lock-retain-until-date")).toBe("2036-11-23T03:04:05Z");
  });

  test("what is put again stands beside the first", async () => {
    const before = await store.versions();
    await put();
    expect(await store.versions()).toHaveLength(before.length + 1);
  });

  test.each([
    ["a wrong secret", { secret: "autre" }, "PUT 403 SignatureDoesNotMatch"],
    ["a key that there is not", { keyId: "personne" }, "PUT 403 InvalidAccessKeyId"],
    ["a bucket that there is not", { bucket: "absent" }, "PUT 404 NoSuchBucket"],
  ])("%s is told by the store's own word, and never by the secret", async (_what, changed, said) => {
    await expect(put(changed)).rejects.toThrow(said);
  });

  test("a bucket without locks is no place", async () => {
    await expect(createS3LockedStore(store.settings.plain).put(OBJECT)).rejects.toThrow(/^PUT 4|not locked/);
  });
});

describe("a store that", () => {
  let server: Server;
  const SILENCE = () => ({ status: 0 });
  let answer: (method: string) => { readonly status: number; readonly headers?: Record<string, string> };
  let asked: { readonly method: string; readonly headers: Readonly<Record<string, unknown>> }[] = [];
  beforeAll(async () => {
    server = createServer((request, response) => {
      asked.push({ method: request.method ?? "", headers: request.headers });
      request.resume().on("end", () => {
        if (answer === SILENCE) return;
        const { status, headers = {} } = answer(request.method ?? "");
        response.writeHead(status, headers).end();
      });
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  });
  afterAll(() => new Promise((closed) => server.close(closed)));
  const put = () => {
    asked = [];
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return createS3LockedStore({ endpoint, region: "r", bucket: "seau", keyId: "k", secret: "s", timeoutMs: 300 }).put(OBJECT);
  };
  const lock = (changed: Record<string, string> = {}) => ({
    "content-length": "10",
    "x-amz-object-lock-mode": "COMPLIANCE",
    "x-amz-object-lock-retain-until-date": "2036-11-23T03:04:05.000Z",
    ...changed,
  });

  test("is told what the bytes are, so that it takes no others", async () => {
    answer = (method) => ({ status: 200, headers: method === "HEAD" ? lock() : {} });
    await put();
    expect(asked.map(({ method }) => method)).toEqual(["PUT", "HEAD"]);
    // As `openssl dgst -md5` and `-sha256` have it.
    expect(asked[0]?.headers).toMatchObject({
      "content-length": "10",
      "content-md5": "GG7V0qd+mRecctVczcwysQ==",
      "x-amz-checksum-sha256": "/jaSPhX+3UmiQfdiGWIKRue9i/tvF93v/hiwKZuLECg=",
      "x-amz-content-sha256": "fe36923e15fedd49a241f76219620a46e7bd8bfb6f17ddeffe18b0299b8b1028",
    });
  });

  test.each([
    ["says nothing of a lock", { "x-amz-object-lock-mode": "" }],
    ["locks so that an administrator may unlock", { "x-amz-object-lock-mode": "GOVERNANCE" }],
    ["locks for a shorter time", { "x-amz-object-lock-retain-until-date": "2036-11-23T03:04:04Z" }],
    ["does not say until when", { "x-amz-object-lock-retain-until-date": "" }],
    ["has other bytes", { "content-length": "9" }],
  ])("%s has not got it", async (_what, changed) => {
    answer = (method) => ({ status: 200, headers: method === "HEAD" ? lock(changed) : {} });
    await expect(put()).rejects.toThrow("the object was stored, and is not locked");
  });

  test.each([
    ["is overloaded", () => ({ status: 503 }), "PUT 503"],
    ["lets nobody look", (method: string) => ({ status: method === "HEAD" ? 403 : 200 }), "HEAD 403: the lock cannot be looked at"],
    ["sends elsewhere", () => ({ status: 307, headers: { location: "http://192.0.2.1/" } }), "fetch failed"],
    ["says nothing at all", SILENCE, "timeout"],
  ])("%s is a failure that is told", async (_what, how, said) => {
    answer = how;
    await expect(put()).rejects.toThrow(said);
  });
});
