import {
  readJwsHeader,
  isRevocationUnknown,
  isRevoked,
  validateSeal,
  validateAuthority,
} from "../checkpoint/verify-checkpoint.ts";
import { fromBase64, fromBase64Url, toBase64, toHex } from "@paraphe/kernel/bytes";
import { canonicalJson } from "@paraphe/kernel/canonical-json";
import { sha256 } from "@noble/hashes/sha2.js";
import {
  type Certificate,
  parseCertificate,
  type CertificateReport,
  type Evidence,
  PadesError,
  type TimestampFacts,
  isStrictToken,
  verifyTimestampToken,
} from "@paraphe/pades/parts";
import type { ReadProofFile, RootTrust, ReaderTrust } from "./reader-trust.ts";
import type { CheckContext, CheckState, ProofCheck, RootFacts } from "./types.ts";
import type { ProofFile } from "@paraphe/contracts/proof/proof-file";
import { formatExactInstant } from "@paraphe/kernel/french-dates";

/** A P-256 SubjectPublicKeyInfo: header, then the uncompressed point. Source: RFC 5480 §2. */
const SPKI_BYTES = 91;
const COORDINATE_BYTES = 32;

/** Gives the RFC 7638 thumbprint of a P-256 key (DER SubjectPublicKeyInfo); null for others. */
function keyThumbprint(subjectPublicKey: Uint8Array): string | null {
  const point = subjectPublicKey.subarray(SPKI_BYTES - 2 * COORDINATE_BYTES - 1);
  if (subjectPublicKey.length !== SPKI_BYTES || point[0] !== 0x04) return null;
  return thumbprintOf(
    toBase64Url(point.subarray(1, 1 + COORDINATE_BYTES)),
    toBase64Url(point.subarray(1 + COORDINATE_BYTES)),
  );
}

/**
 * Gives the thumbprints of a JWK set's P-256 keys, none for any other file; `kid` is not trusted.
 * Source: RFC 7517 §5, RFC 7518 §6.2.1, RFC 7638 §3.
 */
export function readSealKeys(bytes: Uint8Array): readonly string[] {
  const { keys } = parsed(bytes);
  return Array.isArray(keys) ? keys.flatMap((key: unknown) => thumbprintOfJwk(key)) : [];
}

function parsed(bytes: Uint8Array): { readonly keys?: unknown } {
  try {
    return Object(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))) as {
      readonly keys?: unknown;
    };
  } catch {
    return {};
  }
}

function thumbprintOfJwk(key: unknown): readonly string[] {
  const { kty, crv, x, y } = Object(key) as Readonly<Record<"kty" | "crv" | "x" | "y", unknown>>;
  return kty === "EC" && crv === "P-256" && isCoordinate(x) && isCoordinate(y)
    ? [thumbprintOf(x, y)]
    : [];
}

function isCoordinate(value: unknown): value is string {
  return typeof value === "string" && fromBase64Url(value)?.length === COORDINATE_BYTES;
}

/** RFC 7638 §3: these members in this order, without white space. */
function thumbprintOf(x: string, y: string): string {
  return toBase64Url(
    sha256(new TextEncoder().encode(JSON.stringify({ crv: "P-256", kty: "EC", x, y }))),
  );
}

function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** `keyId`: RFC 7638 thumbprint; `certificates` (DER): the signer's, then its issuers. */
type VerifiedJws = {
  readonly payload: string;
  readonly keyId: string;
  readonly seal: Certificate;
  readonly certificates: readonly Uint8Array[];
};

/**
 * Verifies a compact JWS by its first certificate, whose key it must name; null when invalid.
 * Source: RFC 7515 §3.1, §4.1.4, §4.1.6, §5.2; RFC 7518 §3.4.
 */
async function verifyJws(jws: string): Promise<VerifiedJws | null> {
  try {
    const [header = "", payload = "", value = "", ...more] = jws.split(".");
    const [read, said, signature] = [header, payload, value].map(fromBase64Url);
    if (!read || !said || !signature || more.length > 0) return null;
    const stated = readJwsHeader(textOf(read));
    if (stated === null) return null;
    const certificates = stated.x5c.map((text) => fromBase64(String(text)));
    const seal = parseCertificate(certificates[0] ?? new Uint8Array());
    const keyId = keyThumbprint(seal.subjectPublicKey);
    if (keyId === null || stated.kid !== keyId) return null;
    const key = await crypto.subtle.importKey(
      "spki",
      new Uint8Array(seal.subjectPublicKey),
      { name: "ECDSA", namedCurve: "P-256" },
      false,
      ["verify"],
    );
    const signed = new TextEncoder().encode(`${header}.${payload}`);
    const holds = await crypto.subtle.verify(
      { name: "ECDSA", hash: "SHA-256" },
      key,
      signature,
      signed,
    );
    return holds ? { payload: textOf(said), keyId, seal, certificates } : null;
  } catch {
    return null;
  }
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

const check = (name: ProofCheck["name"], state: CheckState, sentence: string): ProofCheck => ({
  name,
  state,
  subject: null,
  sentence,
});

/** Checks that the seal covers this proof; gives the JWS, null when it is not valid. */
export async function checkSealed({ file, content }: ReadProofFile): Promise<{
  readonly checks: readonly ProofCheck[];
  readonly jws: VerifiedJws | null;
}> {
  const jws = await verifyJws(file.jws);
  if (jws === null)
    return {
      checks: [
        check(
          "seal",
          "failed",
          "La signature du cachet (JWS) ne correspond pas à ce qu’elle couvre.",
        ),
      ],
      jws,
    };
  const checks = [
    check(
      "seal",
      "ok",
      `La preuve porte la signature de «\u00a0${jws.seal.subject.commonName}\u00a0» (JWS, ES256), et elle est juste.`,
    ),
    jws.payload === canonicalJson(content)
      ? check(
          "content",
          "ok",
          "Ce qui se lit dans la preuve est, à la lettre, ce que le cachet a signé.",
        )
      : check(
          "content",
          "failed",
          "Ce qui se lit dans la preuve n’est pas ce que le cachet a signé.",
        ),
  ];
  return { checks, jws };
}

/**
 * Checks that the seal's key is one the reader trusts; no result where they gave none. Source: RFC
 * 7638.
 */
export function checkSealKey(
  { keyId }: VerifiedJws,
  trusted: readonly string[],
): readonly ProofCheck[] {
  if (trusted.length === 0) return [];
  return [
    trusted.includes(keyId)
      ? check(
          "seal_key",
          "ok",
          `La clé du cachet est de celles que vous avez données (empreinte ${keyId}).`,
        )
      : check(
          "seal_key",
          "failed",
          "La clé qui a scellé la preuve n’est pas de celles que vous avez données.",
        ),
  ];
}

/** Validates the seal's path at the time of its time-stamp, or now without a proven one. */
export async function checkSealChain(
  { seal, certificates }: VerifiedJws,
  context: CheckContext,
): Promise<ProofCheck> {
  const { trusted, now, madeAt, provenAt } = context;
  const evidence = { ...trusted, certificates: [...(trusted.certificates ?? []), ...certificates] };
  const validateAt = (at: Date) => validateSeal(seal.der, { evidence, now: at, provenAt });
  const said = (state: CheckState, sentence: string) => check("seal_chain", state, sentence);
  const report = await validateAt(now);
  if (!isSealCertificate(seal))
    return said(
      "failed",
      "Ce n’est pas un certificat de cachet\u00a0: une personne ou une autre machine du service a signé à sa place.",
    );
  if (report.chain === null)
    return said("failed", "Le certificat du cachet ne mène pas à une racine reconnue ici.");
  if (isRevoked(report)) return said("failed", "Le certificat du cachet est révoqué.");
  if (report.indication === "TOTAL_PASSED")
    return said(
      "ok",
      `Le certificat du cachet mène à la racine\u202f; il ${provenAt === null ? "est en cours de validité et n’est pas révoqué" : "était en cours de validité, et n’était pas révoqué, quand la preuve a été horodatée"}.`,
    );
  if (provenAt === null && (await validateAt(madeAt)).indication === "TOTAL_PASSED")
    return said(
      "not_checked",
      "Le certificat du cachet était valable à la date que la preuve se donne, sans que rien d’autre ne la prouve\u202f; rien ici ne dit s’il l’est encore.",
    );
  return isRevocationUnknown(report)
    ? said(
        "not_checked",
        "Rien ici ne dit si le certificat du cachet était révoqué quand la preuve a été scellée.",
      )
    : said("not_checked", "Le certificat du cachet n’a pas pu être vérifié jusqu’au bout.");
}

/**
 * Excludes a signer's, time-stamp's or OCSP's of the same authority.
 * Source: RFC 5280 §4.2.1.3; EN 319 412-2 §4.3.2 (natural persons: contentCommitment alone).
 */
export function isSealCertificate({ keyUsage }: Certificate): boolean {
  return keyUsage !== null && keyUsage.has("digitalSignature") && keyUsage.has("nonRepudiation");
}

export function checkRoot(
  roots: readonly RootFacts[],
  { content }: CheckContext,
  trust: RootTrust,
): ProofCheck {
  const named = roots
    .map(({ name, fingerprint }) => `«\u00a0${name}\u00a0», empreinte SHA-256 ${fingerprint}`)
    .join("\u202f; ");
  if (trust === "given")
    return check("root", "ok", `Tout est vérifié d’après ce que vous avez donné\u00a0: ${named}.`);
  if (trust === "sealed")
    return check(
      "root",
      "ok",
      `Tout est vérifié d’après ce que nomme le cachet dont vous avez donné la clé\u00a0: ${named}.`,
    );
  return check(
    "root",
    "not_checked",
    `Aucune racine n’a été donnée. La preuve se réclame de ${named}. Comparez avec l’empreinte que publie ${content.service}/politique-de-certification, ou donnez ce certificat.`,
  );
}

/** Gives all anchors (DER) where none is self-signed. */
export function namedRoots(anchors: readonly Uint8Array[]): readonly RootFacts[] {
  const roots = anchors
    .map(parseCertificate)
    .filter(({ subjectDer, issuerDer }) => toHex(subjectDer) === toHex(issuerDer));
  const named = roots.length > 0 ? roots : anchors.map(parseCertificate);
  return named.map(({ subject, der }) => ({
    name: subject.commonName,
    fingerprint: fingerprintOf(der),
  }));
}

/** `provenAt`: proof of existence of the JWS; null without one. */
type StampVerdict = { readonly check: ProofCheck; readonly provenAt: Date | null };

/**
 * Checks imprint, signature, path and unique encoding; an authority that only the proof names
 * proves no time.
 * Source: RFC 3161 §2.2, §2.4.2.
 */
export async function checkStamp(
  file: Pick<ProofFile, "jws" | "timestamp">,
  { trust, now }: StampWork,
): Promise<StampVerdict> {
  if (file.timestamp === null)
    return said(
      "not_checked",
      "La preuve ne porte pas d’horodatage\u00a0: l’autorité ne répondait pas quand elle a été faite, et rien d’autre qu’elle ne dit de quand elle est.",
    );
  const timestamp = await readToken(file.jws, file.timestamp);
  if (timestamp === null)
    return said(
      "failed",
      "L’horodatage de la preuve n’est pas celui de ce cachet, ou il a été modifié.",
    );
  const authority = await validateStamp(timestamp, trust.trusted, now);
  if (authority === null) {
    const claimed = await validateStamp(timestamp, trust.evidence, now);
    return claimed?.chain
      ? said(
          "not_checked",
          `La preuve est horodatée par ${describeClaimed(timestamp, claimed.chain)}`,
        )
      : said(
          "failed",
          "L’autorité qui a horodaté la preuve ne mène pas à une racine reconnue ici.",
        );
  }
  if (isRevoked(authority))
    return said("failed", "L’autorité qui a horodaté la preuve était révoquée.");
  if (isRevocationUnknown(authority))
    return said(
      "not_checked",
      "Rien ici ne dit si l’autorité qui a horodaté la preuve était révoquée.",
    );
  if (authority.indication !== "TOTAL_PASSED")
    return said(
      "not_checked",
      "L’autorité qui a horodaté la preuve n’a pas pu être vérifiée jusqu’au bout.",
    );
  const at = `le ${formatExactInstant(timestamp.time)} (heure de Paris)`;
  return said(
    "ok",
    `La preuve est horodatée par «\u00a0${timestamp.authorityName}\u00a0», ${at}.`,
    timestamp.time,
  );
}

type StampWork = { readonly trust: Pick<ReaderTrust, "evidence" | "trusted">; readonly now: Date };

function said(state: CheckState, sentence: string, provenAt: Date | null = null): StampVerdict {
  return { check: { name: "stamp", state, subject: null, sentence }, provenAt };
}

/** An authority outside the reader's anchors, and the end of its path (DER). */
export function describeClaimed(
  { authorityName }: Pick<TimestampFacts, "authorityName">,
  chain: readonly Uint8Array[],
): string {
  const print = fingerprintOf(chain.at(-1) ?? new Uint8Array());
  return `«\u00a0${authorityName}\u00a0», que la preuve seule nomme (empreinte SHA-256 ${print})\u00a0: ses heures ne prouvent rien, à moins que vous ne donniez vous-même son certificat.`;
}

async function validateStamp(
  timestamp: TimestampFacts,
  evidence: Evidence,
  now: Date,
): Promise<CertificateReport | null> {
  const known = new Set(
    [...(evidence.certificates ?? []), ...evidence.trustAnchors.timestamps].map(toHex),
  );
  const unknown = timestamp.certificates.filter((der) => !known.has(toHex(der)));
  const report = await validateAuthority(timestamp.certificateDer, {
    evidence: { ...evidence, certificates: [...(evidence.certificates ?? []), ...unknown] },
    now,
    provenAt: timestamp.time,
  });
  const path = new Set(report.chain?.map(toHex));
  return report.chain === null || !unknown.every((der) => path.has(toHex(der))) ? null : report;
}

/** Null for another imprint or a non-canonical encoding. */
async function readToken(text: string, base64: string): Promise<TimestampFacts | null> {
  const token = fromBase64(base64);
  if (toBase64(token) !== base64 || !isStrictToken(token)) return null;
  try {
    return await verifyTimestampToken(token, { imprint: sha256(new TextEncoder().encode(text)) });
  } catch (error) {
    if (error instanceof PadesError) return null;
    throw error;
  }
}

/** SHA-256 of a certificate in upper-case pairs, as people compare it. */
function fingerprintOf(der: Uint8Array): string {
  return toHex(sha256(der))
    .toUpperCase()
    .replace(/..(?=.)/g, "$&:");
}
