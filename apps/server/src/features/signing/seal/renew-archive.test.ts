import type { Envelope } from "@paraphe/contracts";
import { parseCertificate } from "@paraphe/pades";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { expectStatus } from "../../../../testing/answers.ts";
import { createTestApp, type TestApp } from "../../../../testing/app.ts";
import { openBrowser, type TestBrowser } from "../../../../testing/browser.ts";
import { createSent, PAUL } from "../../../../testing/envelope.ts";
import { TYPED, openConfirmedGuest } from "../../../../testing/guest.ts";
import { createMember, type Member, signIn } from "../../../../testing/member.ts";
import { makePdf } from "../../../../testing/pdf.ts";
import { verifyChain } from "../../journal/journal.ts";
import {
  createTrust,
  revokeIssued,
  rotateAuthority,
  timestampAuthoritiesUnder,
} from "../../trust/public.ts";
import { replaceEndingAuthorities } from "../../trust/rotate-authority.ts";
import { createSealing, type SealingDeps } from "./create-sealing.ts";
import { enqueueRenewals, hastenRenewalsOf, renewArchive } from "./archive-revision.ts";

/**
 * Each test begins an hour after the one before, as the service reads its authorities again after
 * half a minute.
 */
const beginning = new Date("2026-11-21T10:00:00.000Z");
let test: TestApp;
let member: Member;
let owner: TestBrowser;
let deps: SealingDeps;

beforeAll(async () => {
  test = await createTestApp({ settings: { rateLimits: "off" }, now: beginning });
  member = await createMember(test.platform);
});
afterAll(() => test.close());
// Years pass and authorities end, so each test begins on the same day, with its own authorities and
// nothing signed.
beforeEach(async () => {
  const { platform } = test;
  beginning.setUTCHours(beginning.getUTCHours() + 1);
  platform.clock.set(beginning);
  await platform.owner.transaction().execute(async (trx) => {
    await sql`set local session_replication_role = replica`.execute(trx);
    await sql`truncate envelopes, authority_keys, certificates, crls cascade`.execute(trx);
  });
  deps = createSealing(platform, await createTrust(platform));
  owner = await signIn(test, member);
});

const YEAR_DAYS = 365.25;
const complete = async (files = [{ name: "Bail.pdf", bytes: makePdf() }]): Promise<Envelope> => {
  const envelope = await createSent(owner, { recipients: [PAUL], files });
  const guest = await openConfirmedGuest(test, envelope.id, PAUL.email);
  await expectStatus(guest.post("sign/", TYPED), 200);
  return envelope;
};
const revisionsOf = (envelope: Envelope, position = 0) =>
  test.platform.db
    .selectFrom("document_revisions")
    .selectAll()
    .where("document_id", "=", envelope.documents[position]?.id as string)
    .orderBy("number")
    .execute();
const dueOf = (envelope: Envelope, position = 0) => ({
  envelopeId: envelope.id,
  documentId: envelope.documents[position]?.id as string,
});
/** Gives the verdict of a validator that knows the roots and the revocations until now. */
const judge = async (envelope: Envelope, position = 0) => {
  const { trustAnchors, crls = [] } = await deps.trust.currentEvidence();
  const last = (await revisionsOf(envelope, position)).at(-1);
  const report = await test.platform.sandbox.call(
    "validate",
    await test.platform.files.get(last?.blob_sha256 as Uint8Array),
    {
      evidence: { trustAnchors, crls },
      now: test.platform.clock(),
    },
  );
  expect(report.problems).toEqual([]);
  return report.signatures.map(
    ({ kind, indication, level }) => `${kind} ${indication} ${level ?? "-"}`,
  );
};
const verdictOf = async (print: { verify_url: string }) => {
  const { pathname, search } = new URL(print.verify_url);
  const proof = (
    await openBrowser(test.app).get(
      `/api/signature/prints/${pathname.split("/").at(-1)}/verify/${search}`,
    )
  ).body;
  return [proof.verdict, proof.level, proof.integrity];
};
const printOf = async (envelope: Envelope) =>
  (await owner.post("/api/signature/prints/generate/", { envelope: envelope.id, qr_type: "page" }))
    .body;
const serialOf = (der: Uint8Array) =>
  Buffer.from(parseCertificate(der).serialNumber).toString("hex");

const SIGNED = "signature TOTAL_PASSED B-LTA";
const STAMPED = "document_timestamp TOTAL_PASSED -";

it("a document is renewed once when due, and stays valid past its first authority", async () => {
  const envelope = await complete([
    { name: "Bail.pdf", bytes: makePdf() },
    { name: "Annexe.pdf", bytes: makePdf({ pages: 2 }) },
  ]);
  const print = await printOf(envelope);
  expect(await enqueueRenewals(deps)).toBe(0);
  expect(await renewArchive(deps, dueOf(envelope))).toBe("current");

  test.platform.clock.advance({ days: 9.6 * YEAR_DAYS });
  await replaceEndingAuthorities(test.platform);
  expect(await enqueueRenewals(deps)).toBe(2);
  expect(await enqueueRenewals(deps)).toBe(2);
  await test.settle();
  expect(await enqueueRenewals(deps)).toBe(0);
  for (const position of [0, 1]) {
    const revisions = await revisionsOf(envelope, position);
    expect(revisions.map(({ kind }) => kind)).toEqual([
      "original",
      "prepared",
      "signed",
      "completed",
      "completed",
    ]);
    const [before, after] = await Promise.all(
      revisions.slice(-2).map(({ blob_sha256 }) => test.platform.files.get(blob_sha256)),
    );
    expect(
      Buffer.compare(before as Uint8Array, (after as Uint8Array).subarray(0, before?.length)),
    ).toBe(0);
    expect(await judge(envelope, position)).toEqual([SIGNED, STAMPED, STAMPED]);
  }
  expect(await verifyChain(test.platform.db, envelope.id)).toMatchObject({ ok: true });

  // The first authority's certificate has ended: the second time-stamp proves that it was good in
  // its time.
  test.platform.clock.advance({ days: 3 * YEAR_DAYS });
  expect(await judge(envelope)).toEqual([SIGNED, STAMPED, STAMPED]);
  expect(await verdictOf(print)).toEqual(["valid", "B-LTA", true]);
});

it("concurrent renewals make one", async () => {
  const envelope = await complete();
  await rotateAuthority(test.platform, "tsa");
  test.platform.clock.advance({ days: 9.6 * YEAR_DAYS });
  await rotateAuthority(test.platform, "tsa");
  const other = createSealing(test.platform, await createTrust(test.platform));
  const outcomes = await Promise.all(
    [deps, other, deps, other].map((each) => renewArchive(each, dueOf(envelope))),
  );
  expect(outcomes.toSorted()).toEqual(["current", "current", "current", "renewed"]);
  expect(await judge(envelope)).toEqual([SIGNED, STAMPED, STAMPED]);
});

it("a renewal that dies is resumed", async () => {
  const envelope = await complete();
  test.platform.clock.advance({ days: 9.6 * YEAR_DAYS });
  await replaceEndingAuthorities(test.platform);
  const { put } = test.platform.files;
  Object.assign(test.platform.files, {
    put: () => Promise.reject(new Error("the process died here")),
  });
  await expect(renewArchive(deps, dueOf(envelope))).rejects.toThrow("died here");
  Object.assign(test.platform.files, { put });
  expect(await judge(envelope)).toEqual([SIGNED, STAMPED]);
  expect(await renewArchive(deps, dueOf(envelope))).toBe("renewed");
});

it("a renewal waits for a later certificate, without growing the file", async () => {
  const envelope = await complete();
  test.platform.clock.advance({ days: 9.6 * YEAR_DAYS });
  expect(await renewArchive(deps, dueOf(envelope))).toBe("postponed");
  expect(await renewArchive(deps, dueOf(envelope))).toBe("current");
  expect(await revisionsOf(envelope)).toHaveLength(4);
  expect(test.platform.logged.some(({ message }) => message.includes("no later certificate"))).toBe(
    true,
  );
  test.platform.clock.advance({ days: 120 });
  await replaceEndingAuthorities(test.platform);
  expect(await renewArchive(deps, dueOf(envelope))).toBe("renewed");
});

it("a purged envelope is not renewed", async () => {
  const envelope = await complete();
  await owner.post(`/api/signature/envelopes/${envelope.id}/cancel/`);
  await expectStatus(owner.send("DELETE", `/api/signature/envelopes/${envelope.id}/purge/`), 204);
  test.platform.clock.advance({ days: 9.6 * YEAR_DAYS });
  expect(await enqueueRenewals(deps)).toBe(0);
  expect(await renewArchive(deps, dueOf(envelope))).toBe("gone");
});

it.each(["seal", "ocsp", "tsa", "ca", "root"] as const)(
  "%s: signatures before and after the replacement verify",
  async (purpose) => {
    const before = await complete();
    const print = await printOf(before);
    test.platform.clock.advance({ minutes: 5 });
    const rotated = await rotateAuthority(test.platform, purpose);
    expect(rotated.ok).toBe(true);
    test.platform.clock.advance({ minutes: 5 });
    const after = await complete();
    for (const envelope of [before, after]) {
      expect(await judge(envelope)).toEqual([SIGNED, STAMPED]);
      expect(await verdictOf(await printOf(envelope))).toEqual(["valid", "B-LTA", true]);
    }
    expect(await verdictOf(print)).toEqual(["valid", "B-LTA", true]);
  },
);

it("an open envelope is completed under the new authorities", async () => {
  const people = [PAUL, { email: "zoe@exemple.fr", full_name: "Zoë Œuvrard" }];
  const envelope = await createSent(owner, { recipients: people });
  for (const { email } of people) {
    const guest = await openConfirmedGuest(test, envelope.id, email);
    await expectStatus(guest.post("sign/", TYPED), 200);
    test.platform.clock.advance({ days: 3 });
    await rotateAuthority(test.platform, "ca");
  }
  expect(await judge(envelope)).toEqual([SIGNED, SIGNED, STAMPED]);
});

it("a retired authority is revoked once its stamps are renewed, and old proofs stay valid", async () => {
  const envelope = await complete();
  const print = await printOf(envelope);
  const old = deps.trust.certificates;
  expect(
    await revokeIssued(test.platform, {
      serialNumber: serialOf(old.ca),
      reason: "compromission",
    }),
  ).toEqual({
    ok: false,
    error: "living_authority",
  });
  test.platform.clock.advance({ minutes: 2 });
  await rotateAuthority(test.platform, "ca");
  test.platform.clock.advance({ minutes: 2 });
  const under = await timestampAuthoritiesUnder(test.platform, serialOf(old.ca));
  expect(under).toEqual([serialOf(old.tsa)]);
  expect(await hastenRenewalsOf(deps, under)).toBe(1);
  expect(await renewArchive(deps, dueOf(envelope))).toBe("renewed");
  expect(await hastenRenewalsOf(deps, under)).toBe(0);
  test.platform.clock.advance({ minutes: 2 });
  expect(
    await revokeIssued(test.platform, {
      serialNumber: serialOf(old.ca),
      reason: "compromission",
    }),
  ).toMatchObject({ ok: true });
  test.platform.clock.advance({ minutes: 2 });
  expect(await judge(envelope)).toEqual([SIGNED, STAMPED, STAMPED]);
  expect(await verdictOf(print)).toEqual(["valid", "B-LTA", true]);
  expect(await judge(await complete())).toEqual([SIGNED, STAMPED]);
});

it("a signer's certificate revoked later does not affect stamped signatures", async () => {
  const envelope = await complete();
  const print = await printOf(envelope);
  const row = await test.platform.db
    .selectFrom("signatures")
    .select("serial_number")
    .executeTakeFirstOrThrow();
  test.platform.clock.advance({ minutes: 5 });
  const colons = row.serial_number.toUpperCase().replace(/..(?=.)/g, "$&:");
  expect(
    await revokeIssued(test.platform, { serialNumber: colons, reason: "changement" }),
  ).toMatchObject({
    ok: true,
    value: { subject: "Paul Morel" },
  });
  expect(await revokeIssued(test.platform, { serialNumber: colons, reason: "changement" })).toEqual(
    {
      ok: false,
      error: "already_revoked",
    },
  );
  expect(await revokeIssued(test.platform, { serialNumber: "00ff", reason: "changement" })).toEqual(
    {
      ok: false,
      error: "unknown_serial",
    },
  );
  expect(await judge(envelope)).toEqual([SIGNED, STAMPED]);
  expect(await verdictOf(print)).toEqual(["valid", "B-LTA", true]);
});
