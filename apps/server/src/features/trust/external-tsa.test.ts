import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createTimestampRequest, parseOcspResponse } from "@paraphe/pades";
import {
  grantTimestamp,
  refuseTimestamp,
} from "../../../../../packages/pades/src/tsp/timestamp.ts";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../testing/database.ts";
import { testTrustPlatform } from "../../../testing/platform.ts";
import { answerBare } from "../../../testing/tsa-server.ts";
import { createTrust, type Trust, type TrustPlatform } from "./create-trust.ts";
import {
  createExternalTsa,
  openTsaAnchors,
  retireAnchor,
  TimestampUnavailableError,
} from "./timestamp-authorities.ts";

let database: TestDatabase;
let otherDatabase: TestDatabase;
let reachableDatabase: TestDatabase;
let platform: TrustPlatform;
/** An external authority with its own root, over HTTP. */
let outside: Trust;
/** The same authority, with only its own certificate in its tokens. */
let bare: (request: Uint8Array) => Promise<Uint8Array>;
let server: Server;
let url: string;
let answer: (request: Uint8Array) => Promise<{ status?: number; body: Uint8Array }>;

const imprint = new Uint8Array(createHash("sha256").update("contrat").digest());
const other = new Uint8Array(createHash("sha256").update("autre").digest());
const openTsa = ({ policyOid = null }: { policyOid?: string | null } = {}) => {
  const anchors = openTsaAnchors(platform);
  return { tsa: createExternalTsa(platform, { url, policyOid, anchors }), anchors };
};
const honest = async (request: Uint8Array) => ({ body: await outside.answerTimestamp(request) });

beforeAll(async () => {
  [database, otherDatabase, reachableDatabase] = await Promise.all([
    createTestDatabase(),
    createTestDatabase(),
    createTestDatabase(),
  ]);
  platform = testTrustPlatform(database);
  const otherPlatform = testTrustPlatform(otherDatabase);
  outside = await createTrust(otherPlatform);
  bare = await answerBare(otherPlatform);
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      void answer(new Uint8Array(Buffer.concat(parts))).then(({ status = 200, body }) => {
        response.writeHead(status, { "content-type": "application/timestamp-reply" }).end(body);
      });
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/tsa`;
});
afterAll(async () => {
  server.close();
  await Promise.all([database.drop(), otherDatabase.drop(), reachableDatabase.drop()]);
});
afterEach(async () => {
  await database.db.deleteFrom("service_secrets").execute();
});

it("accepts a valid token, and stores the top of its chain as the anchor", async () => {
  answer = honest;
  const { tsa, anchors } = openTsa();
  expect(await anchors.all()).toEqual([]);
  await tsa.timestamp(imprint);
  expect(await anchors.all()).toEqual([outside.certificates.ca]);
  expect(await openTsaAnchors(platform).of(url)).toEqual(outside.certificates.ca);
});

it("trusts an authority that sends only its own certificate as itself, and no other of the same issuer", async () => {
  answer = async (request) => ({ body: await bare(request) });
  const { tsa, anchors } = openTsa();
  await tsa.timestamp(imprint);
  expect(await anchors.all()).toEqual([outside.certificates.tsa]);
  expect(await tsa.chain()).toEqual([outside.certificates.tsa]);
  // With its issuers in the token, it is still recognised by its own certificate.
  answer = honest;
  await tsa.timestamp(imprint);
  expect([await anchors.all(), await tsa.chain()]).toEqual([
    [outside.certificates.tsa],
    [outside.certificates.tsa],
  ]);
});

it("recognises by its stored issuer an authority that no longer sends it", async () => {
  answer = honest;
  const { tsa, anchors } = openTsa();
  await tsa.timestamp(imprint);
  answer = async (request) => ({ body: await bare(request) });
  await tsa.timestamp(imprint);
  expect(await anchors.all()).toEqual([outside.certificates.ca]);
  expect(await tsa.chain()).toEqual([outside.certificates.tsa, outside.certificates.ca]);
});

it("TSA_URL selects the authority of signatures", async () => {
  answer = honest;
  const trust = await createTrust({ ...platform, settings: { ...platform.settings, tsaUrl: url } });
  await trust.timestamp.timestamp(imprint);
  const { signers, timestamps } = (await trust.evidence()).trustAnchors;
  expect(timestamps).toContainEqual(outside.certificates.ca);
  // Trusted for time-stamps only, not for signers.
  expect(signers).toEqual([trust.certificates.root]);
  // Old signatures still rely on a retired one.
  expect((await (await createTrust(platform)).evidence()).trustAnchors.timestamps).toContainEqual(
    outside.certificates.ca,
  );
});

it("accepts tokens of the configured policy only", async () => {
  answer = honest;
  await openTsa({ policyOid: "2.25.1348563553.2.1" }).tsa.timestamp(imprint);
  await expect(openTsa({ policyOid: "1.2.3" }).tsa.timestamp(imprint)).rejects.toThrow(
    "follows the policy 2.25.1348563553.2.1",
  );
});

it("asks the authority's own issuers once an hour for its revocation; nothing for a certificate without an address", async () => {
  let asked = 0;
  answer = async (request) => {
    asked += 1;
    return { body: await reachable.answerOcsp(request) };
  };
  const origin = url.replace(/\/tsa$/, "");
  const reachable = await createTrust({
    ...testTrustPlatform(reachableDatabase),
    settings: { ...platform.settings, publicUrl: origin },
  });
  const { tsa } = openTsa();
  const { tsa: certificate, ca, root } = reachable.certificates;
  const first = await tsa.ocsp(certificate, ca);
  expect(parseOcspResponse(first as Uint8Array)?.answers).toMatchObject([{ status: "good" }]);
  expect([await tsa.ocsp(certificate, ca), asked]).toEqual([first, 1]);
  expect([await tsa.ocsp(root, root), await tsa.crl(root, root)]).toEqual([null, null]);
  answer = async () => ({ body: new TextEncoder().encode("noise") });
  await expect(openTsa().tsa.ocsp(certificate, ca)).rejects.toBeInstanceOf(
    TimestampUnavailableError,
  );
  answer = async () => ({ body: (await reachable.crl("ca"))?.der ?? new Uint8Array() });
  expect(await tsa.crl(certificate, ca)).toEqual((await reachable.crl("ca"))?.der);
});

/** Gives the request with another imprint. */
function withImprint(request: Uint8Array, wanted: Uint8Array): Uint8Array {
  const changed = request.slice();
  changed.set(wanted, Buffer.from(request).indexOf(imprint));
  return changed;
}

it.each<[string, typeof answer]>([
  [
    "is over another imprint, its nonce the right one",
    async (request) => honest(withImprint(request, other)),
  ],
  [
    "bears another nonce",
    async () => honest(createTimestampRequest(imprint, new Uint8Array([9, 9, 9, 9, 9, 9, 9, 9]))),
  ],
  ["is a refusal", async () => ({ body: refuseTimestamp("systemFailure", "no") })],
  ["is noise", async () => ({ body: new TextEncoder().encode("noise") })],
  ["holds no token", async () => ({ body: grantTimestamp(new Uint8Array([0x30, 0x00])) })],
  ["comes with an error", async (request) => ({ ...(await honest(request)), status: 503 })],
  ["is endless", async () => ({ body: new Uint8Array(200_000) })],
  [
    "was altered",
    async (request) => {
      const { body } = await honest(request);
      body[body.length - 1] = (body.at(-1) ?? 0) ^ 1;
      return { body };
    },
  ],
])("refuses a time-stamp answer that %s", async (_, bad) => {
  answer = bad;
  const { tsa, anchors } = openTsa();
  await expect(tsa.timestamp(imprint)).rejects.toBeInstanceOf(TimestampUnavailableError);
  expect(await anchors.all()).toEqual([]);
});

it("refuses a token of another authority than the first one", async () => {
  answer = honest;
  const { tsa } = openTsa();
  await tsa.timestamp(imprint);
  const usurperDatabase = await createTestDatabase();
  try {
    const usurper = await createTrust(testTrustPlatform(usurperDatabase));
    answer = async (request) => ({ body: await usurper.answerTimestamp(request) });
    await expect(tsa.timestamp(imprint)).rejects.toThrow("known anchor");
    // After the operator's consent the next one is stored; the old one still proves.
    expect(await database.db.transaction().execute((trx) => retireAnchor(trx, platform, url))).toBe(
      true,
    );
    const after = openTsa();
    await after.tsa.timestamp(imprint);
    expect(await after.anchors.all()).toEqual([usurper.certificates.ca, outside.certificates.ca]);
    expect(
      await database.db
        .transaction()
        .execute((trx) => retireAnchor(trx, platform, "https://ailleurs.exemple/")),
    ).toBe(false);
  } finally {
    await usurperDatabase.drop();
  }
});

it("refuses an authority whose certificate has expired", async () => {
  answer = honest;
  const late = testTrustPlatform(database);
  late.clock.set(new Date("2040-01-01T00:00:00Z"));
  await expect(
    createExternalTsa(late, { url, policyOid: null, anchors: openTsaAnchors(late) }).timestamp(
      imprint,
    ),
  ).rejects.toThrow("out of its life");
});

it("reports an authority that is away as unavailable", async () => {
  const closed = createServer().listen(0, "127.0.0.1");
  await new Promise((listening) => closed.once("listening", listening));
  const { port } = closed.address() as AddressInfo;
  await new Promise((done) => closed.close(done));
  const away = `http://127.0.0.1:${port}/`;
  const tsa = createExternalTsa(platform, {
    url: away,
    policyOid: null,
    anchors: openTsaAnchors(platform),
  });
  await expect(tsa.timestamp(imprint)).rejects.toBeInstanceOf(TimestampUnavailableError);
});
