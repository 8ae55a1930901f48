import { X509Certificate, createHash } from "node:crypto";
import type { LongTermNeeds } from "@paraphe/pades";
import {
  PadesError,
  type RevocationSource,
  type TimestampAuthority,
  type TimestampFacts,
  type TimestampTokenOptions,
  answerTimestampRequest,
  createOcspRequest,
  createTimestampRequest,
  createTimestampToken,
  parseCertificate,
  parseCrl,
  parseOcspResponse,
  parseTimestampResponse,
  verifyTimestampToken,
} from "@paraphe/pades/parts";
import type { Transaction } from "../../platform/database/database.ts";
import { timestampSeconds } from "../../platform/metrics/metrics.ts";
import type { Platform } from "../../platform/platform.ts";
import type { LivingAuthorities } from "./authorities.ts";
import { type Authorities, TIMESTAMP_POLICY_OID } from "./make-authority.ts";
import { loadSecrets, removeSecret, storeSecret } from "./store.ts";

/** No authority is valid now: the signature waits. */
export class TimestampUnavailableError extends Error {
  override readonly name = "TimestampUnavailableError";
}

/** Without a revocation address, a retry is useless. */
export class RevocationUnaskableError extends TimestampUnavailableError {}

const TIMEOUT_MS = 8_000;

type BoundedRequest = {
  readonly url: string;
  readonly maxBytes: number;
  readonly body?: Uint8Array;
  readonly contentType?: string;
  readonly accept?: string;
};

/**
 * Follows no redirection, in bounded time and bytes. Errors: `TimestampUnavailableError`.
 */
async function boundedFetch(request: BoundedRequest): Promise<Uint8Array> {
  try {
    const response = await fetch(request.url, {
      method: request.body === undefined ? "GET" : "POST",
      headers: {
        ...(request.contentType === undefined ? {} : { "content-type": request.contentType }),
        ...(request.accept === undefined ? {} : { accept: request.accept }),
      },
      ...(request.body === undefined ? {} : { body: Buffer.from(request.body) }),
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok)
      throw new TimestampUnavailableError(
        `The time-stamping authority answered ${response.status}`,
      );
    return await readBounded(response, request.maxBytes);
  } catch (error) {
    if (error instanceof TimestampUnavailableError) throw error;
    throw new TimestampUnavailableError("The time-stamping authority cannot be reached", {
      cause: error,
    });
  }
}

async function readBounded(response: Response, maxBytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > maxBytes)
      throw new TimestampUnavailableError("The time-stamping authority's answer is too long");
    parts.push(part);
  }
  return new Uint8Array(Buffer.concat(parts));
}

/**
 * The top of the chain comes from the first token and is stored under its address; once retired,
 * under its digest.
 */
const LIVING = "tsa-anchor:";
const RETIRED = "tsa-anchor-retired:";
const RELOAD_AFTER_MS = 30_000;

type AnchorPlatform = Pick<Platform, "db" | "secrets" | "clock">;

/** Certificates in DER, retired ones too, as old signatures need them. */
type TsaAnchors = {
  all(): Promise<readonly Uint8Array[]>;
  of(url: string): Promise<Uint8Array | null>;
  /** Stores the anchor unless another process was first; gives the stored one. */
  keep(url: string, der: Uint8Array): Promise<Uint8Array>;
};

export function openTsaAnchors(platform: AnchorPlatform): TsaAnchors {
  let known: { readonly anchors: ReadonlyMap<string, Uint8Array>; readonly at: number } | null =
    null;
  const load = async (): Promise<ReadonlyMap<string, Uint8Array>> => {
    const now = platform.clock().getTime();
    if (known === null || Math.abs(now - known.at) >= RELOAD_AFTER_MS)
      known = { anchors: await loadAnchors(platform), at: now };
    return known.anchors;
  };
  return {
    all: async () => [...(await load()).values()],
    of: async (url) => (await load()).get(LIVING + url) ?? null,
    async keep(url, der) {
      const name = LIVING + url;
      await storeSecret(platform.db, {
        name,
        wrapped: platform.secrets.wrap(der, name),
        createdAt: platform.clock(),
      });
      known = null;
      return (await load()).get(name) ?? der;
    },
  };
}

/** The next token's is then taken; false when there is none. */
export async function retireAnchor(
  trx: Transaction,
  platform: AnchorPlatform,
  url: string,
): Promise<boolean> {
  const anchor = (await loadAnchors({ ...platform, db: trx })).get(LIVING + url);
  if (anchor === undefined) return false;
  const name = RETIRED + createHash("sha256").update(anchor).digest("hex");
  await storeSecret(trx, {
    name,
    wrapped: platform.secrets.wrap(anchor, name),
    createdAt: platform.clock(),
  });
  return removeSecret(trx, LIVING + url);
}

async function loadAnchors({
  db,
  secrets,
}: Pick<AnchorPlatform, "secrets"> & { readonly db: Platform["db"] | Transaction }): Promise<
  ReadonlyMap<string, Uint8Array>
> {
  const rows = [...(await loadSecrets(db, LIVING)), ...(await loadSecrets(db, RETIRED))];
  return new Map(rows.map(({ name, wrapped }) => [name, secrets.unwrap(wrapped, name)]));
}

const MAX_OCSP_BYTES = 65_536;
/** Each completed file has the list: beyond this size, OCSP is needed. */
const MAX_CRL_BYTES = 1_048_576;

/**
 * Asks at the certificates' addresses, for the operator's authority alone, never a PDF's
 * certificates.
 * Shape: null without an address.
 */
const fetchRevocation: RevocationSource = {
  async ocsp(certificate, issuer) {
    const url = webAddress(parseCertificate(certificate).ocspUrls);
    if (url === null) return null;
    const der = await boundedFetch({
      url,
      maxBytes: MAX_OCSP_BYTES,
      body: await createOcspRequest(certificate, issuer),
      contentType: "application/ocsp-request",
      accept: "application/ocsp-response",
    });
    return readable(der, parseOcspResponse);
  },
  async crl(certificate) {
    const url = webAddress(parseCertificate(certificate).crlUrls);
    return url === null
      ? null
      : readable(await boundedFetch({ url, maxBytes: MAX_CRL_BYTES }), parseCrl);
  },
};

function webAddress(urls: readonly string[]): string | null {
  return urls.find((url) => /^https?:/i.test(url)) ?? null;
}

/** It is validated with the completed file. */
function readable(der: Uint8Array, parse: (der: Uint8Array) => unknown): Uint8Array {
  try {
    if (parse(der) !== null) return der;
  } catch (error) {
    if (!(error instanceof PadesError)) throw error;
  }
  throw new TimestampUnavailableError(
    "The word on the time-stamping authority's certificate cannot be read",
  );
}

type ExternalTsa = TimestampAuthority &
  RevocationSource & {
    intermediates(): readonly Uint8Array[];
    /** Gives the last token's, anchor last; asks for a first token. */
    chain(): Promise<TimestampChain>;
  };

type ExternalTsaChoice = {
  readonly url: string;
  readonly policyOid: string | null;
  readonly anchors: TsaAnchors;
};

const MAX_ANSWER_BYTES = 65_536;
const MAX_CHAIN = 6;
const HOUR_MS = 3_600_000;

/**
 * Verifies each token's imprint, nonce, purpose and chain. The first token's top certificate is the
 * anchor of later ones. An authority that sends only its own certificate is trusted as itself, like
 * one of a trusted list, without revocation.
 * Source: RFC 3161 §2.4, §3.4; ETSI TS 119 612 §5.5.3 (the service's own certificate as its
 * identity).
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
        throw new TimestampUnavailableError(
          `The token follows the policy ${facts.policyOid}, not the one that is asked for`,
        );
      const known = await anchors.of(url);
      const chain = chainOf(facts, { now: platform.clock(), known });
      const top = chain.at(-1) as X509Certificate;
      const anchor = known ?? (await anchors.keep(url, new Uint8Array(top.raw)));
      if (!chain.some((certificate) => isSame(certificate, anchor)))
        throw new TimestampUnavailableError(
          "The token does not chain to the authority's known anchor",
        );
      for (const certificate of chain.slice(0, -1))
        intermediates.set(certificate.fingerprint256, new Uint8Array(certificate.raw));
      last = chain
        .slice(0, chain.findIndex((certificate) => isSame(certificate, anchor)) + 1)
        .map(({ raw }) => new Uint8Array(raw));
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

function askedOnceAnHour(
  source: RevocationSource,
  { clock }: Pick<Platform, "clock">,
): RevocationSource {
  const kept = new Map<string, { readonly der: Uint8Array | null; readonly at: number }>();
  const ask = async (
    kind: keyof RevocationSource,
    certificate: Uint8Array,
    issuer: Uint8Array,
  ): Promise<Uint8Array | null> => {
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
    throw new TimestampUnavailableError("The time-stamping authority refused the request", {
      cause: error,
    });
  }
}

async function checked(verify: () => Promise<TimestampFacts>): Promise<TimestampFacts> {
  try {
    return await verify();
  } catch (error) {
    if (error instanceof PadesError)
      throw new TimestampUnavailableError("The time-stamp token is not sound", { cause: error });
    throw error;
  }
}

/**
 * Joins the token's and the `known` anchor, each valid now; the authority's own alone without an
 * issuer.
 */
function chainOf(
  facts: TimestampFacts,
  { now, known }: { readonly now: Date; readonly known: Uint8Array | null },
): X509Certificate[] {
  const carried = [...facts.certificates, ...(known ? [known] : [])].map(
    (der) => new X509Certificate(der),
  );
  const chain = [new X509Certificate(facts.certificateDer)];
  while (chain.length < MAX_CHAIN) {
    const last = chain.at(-1) as X509Certificate;
    if (now < last.validFromDate || now > last.validToDate)
      throw new TimestampUnavailableError(
        "A certificate of the time-stamping authority is out of its life",
      );
    const issuer = last.checkIssued(last)
      ? undefined
      : carried.find(
          (candidate) =>
            candidate.ca && last.checkIssued(candidate) && last.verify(candidate.publicKey),
        );
    if (issuer === undefined) return chain;
    chain.push(issuer);
  }
  throw new TimestampUnavailableError("The time-stamping authority's chain is too long");
}

function isSame(certificate: X509Certificate, der: Uint8Array): boolean {
  return Buffer.compare(certificate.raw, der) === 0;
}

/** DER, authority first, root or anchor last. */
type TimestampChain = readonly Uint8Array[];

export function builtInChain({ tsa, all }: Authorities): TimestampChain {
  const chain = [tsa.certificateDer];
  for (
    let issuer = all.find(({ id }) => id === tsa.issuerId);
    issuer !== undefined;
    issuer = parentOf(issuer.issuerId)
  )
    chain.push(issuer.certificateDer);
  return chain;

  function parentOf(id: string | null) {
    return all.find((authority) => authority.id === id);
  }
}

export function withTimestampChain(needs: LongTermNeeds, chain: TimestampChain): LongTermNeeds {
  const pairs = chain
    .slice(0, -1)
    .map((certificate, index) => ({ certificate, issuer: chain[index + 1] as Uint8Array }));
  return {
    certificates: distinct([...needs.certificates, ...chain], (certificate) => certificate),
    revocations: distinct([...needs.revocations, ...pairs], ({ certificate }) => certificate),
  };
}

/** Compares bytes: a handful costs less than naming each. */
export function distinct<T>(list: readonly T[], derOf: (item: T) => Uint8Array): readonly T[] {
  return list.filter((item, index) => {
    const der = derOf(item);
    return list.findIndex((other) => Buffer.compare(derOf(other), der) === 0) === index;
  });
}

/** Serves us in process, anybody else over HTTP. */
type BuiltInTsa = TimestampAuthority & {
  /** Answers any bytes: DER TimeStampReq to DER TimeStampResp. */
  answer(requestDer: Uint8Array): Promise<Uint8Array>;
};

export function createBuiltInTsa(
  authorities: LivingAuthorities,
  platform: Pick<Platform, "clock" | "random">,
): BuiltInTsa {
  const options = async (): Promise<TimestampTokenOptions> => ({
    signer: (await authorities.fresh()).tsa.signer,
    policyOid: TIMESTAMP_POLICY_OID,
    serialNumber: platform.random(16),
    now: platform.clock(),
  });
  return {
    timestamp: async (imprint) =>
      createTimestampToken(
        { hashAlgorithm: "SHA-256", imprint, nonce: null, certificateRequested: true },
        await options(),
      ),
    answer: async (requestDer) =>
      answerTimestampRequest(requestDer, { ...(await options()), includeChain: "chain" }),
  };
}
