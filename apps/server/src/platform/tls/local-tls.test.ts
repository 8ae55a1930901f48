import { X509Certificate } from "node:crypto";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { createServer, get } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readFile } from "node:fs/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadOrMakeLocalTls } from "./local-tls.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "paraphe-tls-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const now = new Date();
const load = (publicUrl = "https://localhost:8443", at = now) => loadOrMakeLocalTls({ folder, publicUrl, now: at });
const days = (count: number) => new Date(now.getTime() + count * 24 * 3_600_000);

test("makes a certificate once, for the local names and the public one, that a client trusting the authority accepts", async () => {
  const tls = await load("https://signature.exemple.fr");
  expect(await load("https://signature.exemple.fr")).toEqual(tls);
  const certificate = new X509Certificate(tls.cert);
  for (const name of ["localhost", "signature.exemple.fr"]) expect(certificate.checkHost(name)).toBe(name);
  for (const address of ["127.0.0.1", "::1"]) expect(certificate.checkIP(address)).toBe(address);
  const ca = await readFile(join(folder, "authority.pem"), "utf8");
  const server = createServer(tls, (_request, response) => response.end("oui")).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  const status = await new Promise((resolve, reject) =>
    get({ host: "127.0.0.1", port, ca }, (response) => resolve(response.statusCode)).on("error", reject),
  );
  server.close();
  expect(status).toBe(200);
});

test("keeps its keys to their owner", async () => {
  await load();
  for (const name of ["authority-key.pem", "server-key.pem"]) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
});

test("renews the server's certificate near its end, under the same authority", async () => {
  const first = await load();
  const authority = await readFile(join(folder, "authority.pem"), "utf8");
  expect((await load(undefined, days(300))).cert).toBe(first.cert);
  const renewed = await load(undefined, days(380));
  expect(renewed.cert).not.toBe(first.cert);
  expect(new X509Certificate(renewed.cert).checkIssued(new X509Certificate(authority))).toBe(true);
});

test("issues again when the public name changes, and when the authority itself nears its end", async () => {
  const first = await load();
  const moved = await load("https://autre.exemple.fr");
  expect(moved.cert).not.toBe(first.cert);
  const authority = await readFile(join(folder, "authority.pem"), "utf8");
  await load("https://autre.exemple.fr", days(3_640));
  expect(await readFile(join(folder, "authority.pem"), "utf8")).not.toBe(authority);
});
