import { X509Certificate } from "node:crypto";
import {
  createTimestampRequest,
  PadesError,
  parseTimestampResponse,
  type RevocationSource,
  type TimestampAuthority,
  type TimestampFacts,
  verifyTimestampToken,
} from "@paraphe/pades/parts";
import { timestampSeconds } from "../../platform/metrics/counts.ts";
import type { Platform } from "../../platform/platform.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import { fetchRevocation } from "./fetch-revocation.ts";
import type { TimestampChain } from "./timestamp-chain.ts";
import { TimestampUnavailableError } from "./timestamp-unavailable-error.ts";
import type { TsaAnchors } from "./tsa-anchors.ts";

/** `ocsp` and `crl`: what the issuers of this authority say of its certificates, asked once an hour. */
export type ExternalTsa = TimestampAuthority &
  RevocationSource & {
    /** The authority's issuers that its tokens have carried so far (DER). */
    intermediates(): readonly Uint8Array[];
    /** The path of its last token's authority, the anchor last; one token is asked for when this process has had none yet. */
    chain(): Promise<TimestampChain>;
  };

export type ExternalTsaChoice = {
  readonly url: string;
  /** The only policy whose tokens are taken; any when null. */
  readonly policyOid: string | null;
  readonly anchors: TsaAnchors;
};

const MAX_ANSWER_BYTES = 65_536;
const MAX_CHAIN = 6;
const HOUR_MS = 3_600_000;

/**
 * Gives the client of the operator's time-stamping authority (`TSA_URL`).
 * Each token is checked for its imprint, its nonce, its authority's purpose and its chain. The first token's topmost certificate is kept as
 * the anchor: the operator chose this authority, and a later token that does not chain to the same one is refused. An authority that sends its
 * own certificate alone is trusted as itself, as those of a trusted list are: nobody is asked whether it was revoked.
 * Source: RFC 3161 §2.4, §3.4; ETSI TS 119 612 §5.5.3 (the service's own certificate as its identity).
 */
export function createExternalTsa(
  platform: Pick<Platform, "clock" | "random">,
  { url, policyOid, anchors }: ExternalTsaChoice,
): ExternalTsa {
  const intermediates = new Map<string, Uint8Array>();
  let last: TimestampChain | null = null;
  const tsa: ExternalTsa = {
    async timestamp(imprint) {
      const nonce = platform.random(16);
      nonce[0] = ((nonce[0] ?? 0) & 0x7f) | 0x40;
      const token = readAnswer(await ask(url, createTimestampRequest(imprint, nonce)));
      const facts = await checked(() => verifyTimestampToken(token, { imprint, nonce }));
      if (policyOid !== null && facts.policyOid !== policyOid)
        throw new TimestampUnavailableError(`The token follows the policy ${facts.policyOid}, not the one that is asked for`);
      const known = await anchors.of(url);
      const chain = chainOf(facts, { now: platform.clock(), known });
      const top = chain.at(-1) as X509Certificate;
      const anchor = known ?? (await anchors.keep(url, new Uint8Array(top.raw)));
      if (!chain.some((certificate) => isSame(certificate, anchor)))
        throw new TimestampUnavailableError("The token does not chain to the authority's known anchor");
      for (const certificate of chain.slice(0, -1)) intermediates.set(certificate.fingerprint256, new Uint8Array(certificate.raw));
      last = chain.slice(0, chain.findIndex((certificate) => isSame(certificate, anchor)) + 1).map(({ raw }) => new Uint8Array(raw));
      return token;
    },
    async chain() {
      if (last === null) await tsa.timestamp(platform.random(32));
      return last ?? [];
    },
    ...askedOnceAnHour(fetchRevocation, platform),
    intermediates: () => [...intermediates.values()],
  };
  return tsa;
}

/** Many envelopes complete in an hour, and the word on the authority's certificate is the same for all. */
function askedOnceAnHour(source: RevocationSource, { clock }: Pick<Platform, "clock">): RevocationSource {
  const kept = new Map<string, { readonly der: Uint8Array | null; readonly at: number }>();
  const ask = async (kind: keyof RevocationSource, certificate: Uint8Array, issuer: Uint8Array): Promise<Uint8Array | null> => {
    const key = `${kind}:${new X509Certificate(certificate).fingerprint256}`;
    const known = kept.get(key);
    const now = clock().getTime();
    if (known !== undefined && Math.abs(now - known.at) < HOUR_MS) return known.der;
    const der = await source[kind](certificate, issuer);
    kept.set(key, { der, at: now });
    return der;
  };
  return {
    ocsp: (certificate, issuer) => ask("ocsp", certificate, issuer),
    crl: (certificate, issuer) => ask("crl", certificate, issuer),
  };
}

async function ask(url: string, body: Uint8Array): Promise<Uint8Array> {
  const stopWatch = timestampSeconds.startTimer();
  const answer = await boundedFetch({
    url,
    maxBytes: MAX_ANSWER_BYTES,
    body,
    contentType: "application/timestamp-query",
    accept: "application/timestamp-reply",
  });
  stopWatch();
  return answer;
}

function readAnswer(der: Uint8Array): Uint8Array {
  try {
    return parseTimestampResponse(der);
  } catch (error) {
    throw new TimestampUnavailableError("The time-stamping authority refused the request", { cause: error });
  }
}

async function checked(verify: () => Promise<TimestampFacts>): Promise<TimestampFacts> {
  try {
    return await verify();
  } catch (error) {
    if (error instanceof PadesError) throw new TimestampUnavailableError("The time-stamp token is not sound", { cause: error });
    throw error;
  }
}

/**
 * Gives the authority's certificate and those that issued it, as far as the token carries them or they are `known`, the anchor that was kept;
 * each link verified, each in its life now. Of a token that carries no issuer it is the authority's certificate alone.
 */
function chainOf(facts: TimestampFacts, { now, known }: { readonly now: Date; readonly known: Uint8Array | null }): X509Certificate[] {
  const carried = [...facts.certificates, ...(known ? [known] : [])].map((der) => new X509Certificate(der));
  const chain = [new X509Certificate(facts.certificateDer)];
  while (chain.length < MAX_CHAIN) {
    const last = chain.at(-1) as X509Certificate;
    if (now < last.validFromDate || now > last.validToDate)
      throw new TimestampUnavailableError("A certificate of the time-stamping authority is out of its life");
    const issuer = last.checkIssued(last)
      ? undefined
      : carried.find((candidate) => candidate.ca && last.checkIssued(candidate) && last.verify(candidate.publicKey));
    if (issuer === undefined) return chain;
    chain.push(issuer);
  }
  throw new TimestampUnavailableError("The time-stamping authority's chain is too long");
}

function isSame(certificate: X509Certificate, der: Uint8Array): boolean {
  return Buffer.compare(certificate.raw, der) === 0;
}
