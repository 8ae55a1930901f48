import type { Envelope, Print, ProofFile } from "@paraphe/contracts";
import type { Signer } from "@paraphe/pades";
import { type ProofReport, type ProofRequest, verifyProof } from "@paraphe/proof";
import { sealContent } from "../src/features/proof/prints/seal-proof.ts";
import { createTrust, type Trust } from "../src/features/trust/public.ts";
import { createTestApp, type TestApp } from "./app.ts";
import { openBrowser, type TestBrowser } from "./browser.ts";
import { createSent, type EnvelopeValues, PAUL } from "./envelope.ts";
import { signAsGuest } from "./guest.ts";
import { createMember, type Member, signIn } from "./member.ts";
import type { TestOverrides } from "./platform.ts";

export const PRINTS = "/api/signature/prints/";

/** A signed envelope, its print, and what a reader of the paper gets. */
export type Proven = {
  readonly test: TestApp;
  readonly member: Member;
  readonly owner: TestBrowser;
  readonly anybody: TestBrowser;
  readonly envelope: Envelope;
  readonly print: Print;
  readonly proof: Uint8Array;
  readonly pdf: Uint8Array;
  /** The published root alone. */
  readonly roots: readonly Uint8Array[];
};

/** Opens it without rate limits; Paul signs. */
export async function openProven(overrides: TestOverrides = {}): Promise<Proven> {
  const test = await createTestApp({
    ...overrides,
    settings: { rateLimits: "off", ...overrides.settings },
  });
  const member = await createMember(test.platform);
  const [owner, anybody] = [await signIn(test, member), openBrowser(test.app)];
  const envelope = await completeEnvelope({ test, owner });
  const print = await printOf(owner, envelope);
  const [proof, pdf, root] = [
    await bytesAt(anybody, print.proof_url),
    await bytesAt(anybody, print.document_url),
    await bytesAt(anybody, "/pki/root.crt"),
  ];
  return { test, member, owner, anybody, envelope, print, proof, pdf, roots: [root] };
}

/** Sends to Paul by default, who signs. */
export async function completeEnvelope(
  { test, owner }: Pick<Proven, "test" | "owner">,
  values: EnvelopeValues = {},
): Promise<Envelope> {
  const envelope = await createSent(owner, { recipients: [PAUL], ...values });
  await signAsGuest(test, envelope.id, PAUL.email);
  return envelope;
}

export async function printOf(
  owner: TestBrowser,
  { id }: Pick<Envelope, "id">,
  qr_type: Print["qr_type"] = "page",
): Promise<Print> {
  const answer = await owner.post(`${PRINTS}generate/`, { envelope: id, qr_type });
  if (answer.status !== 201) throw new Error(`the print was refused: ${answer.text}`);
  return answer.body;
}

export const bytesAt = async (browser: TestBrowser, address: string): Promise<Uint8Array> =>
  new Uint8Array((await browser.get(address)).bytes);
export const proofIn = (bytes: Uint8Array): ProofFile => JSON.parse(Buffer.from(bytes).toString());

/** Verifies offline, with the root, now, unless `request` says otherwise. */
export const verifyProven = (
  { test, proof, pdf, roots }: Proven,
  request: Partial<ProofRequest> = {},
): Promise<ProofReport> =>
  verifyProof({
    proof,
    files: [{ name: "contrat.pdf", bytes: pdf }],
    roots,
    now: test.platform.clock(),
    ...request,
  });

export const notOk = ({ checks }: ProofReport): readonly (readonly [string, string])[] =>
  checks.filter(({ state }) => state !== "ok").map(({ name, state }) => [name, state]);

/** A proof file as the service writes it, with this signer and the service's time-stamp. */
export async function sealedBy(
  test: TestApp,
  proof: ProofFile["proof"],
  seal?: Signer,
): Promise<Uint8Array> {
  const trust = await createTrust(test.platform);
  const sealing: Trust = { ...trust, seal: seal ?? trust.seal };
  return writtenOut(await sealContent({ platform: test.platform, trust: sealing }, proof, "asked"));
}

/** Gives the bytes as served. */
export const writtenOut = (file: Record<keyof ProofFile, unknown>): Uint8Array =>
  new Uint8Array(Buffer.from(JSON.stringify(file, null, 2)));
