import { createHash, createPublicKey, type KeyObject, verify, X509Certificate } from "node:crypto";
import canonicalize from "canonicalize";
import { type Checkpoint, type CheckpointPayload, checkpointPayload } from "../../packages/contracts/src/transparency.ts";
import { type Evidence, keyIdentifier, verifyTimestampToken } from "../../packages/pades/src/index.ts";

/** Says what is wrong with a checkpoint's own word; null when nothing is. `previous`: the state before it, where that is known. */
export type StatedFault = (checkpoint: Checkpoint, previous?: CheckpointPayload["previous"]) => Promise<string | null>;

type Seal = { readonly key: KeyObject; readonly keyId: string; readonly notBefore: Date; readonly notAfter: Date };

/** A time-stamp is asked for at once; an authority's clock may be off, not by this much. */
const DAY_MS = 86_400_000;

/** Gives what checks checkpoints against the roots and anchors of this evidence: signature by a seal, what is signed, time-stamp. Each seal and authority is looked at once. */
export function createStatedFault({ trustAnchors, certificates = [] }: Evidence): StatedFault {
  const seals = new Map<string, Seal | null>();
  const authorities = new Map<string, boolean>();
  const isAuthority = (der: Uint8Array, carried: readonly Uint8Array[]) => {
    const name = hex(createHash("sha256").update(der).digest());
    const known = authorities.get(name) ?? goesBackTo(der, { pool: [...carried, ...certificates], roots: trustAnchors.timestamps });
    authorities.set(name, known);
    return known;
  };
  return async (checkpoint, previous) => {
    const [header = "", payload = "", value = ""] = checkpoint.signature.split(".");
    const seal = seals.has(header) ? seals.get(header) : await readSeal(header, trustAnchors.signers);
    seals.set(header, seal ?? null);
    const at = new Date(checkpoint.at);
    if (!seal || at < seal.notBefore || at > seal.notAfter) return "il n’est pas signé par un cachet de ce service";
    const key = { key: seal.key, dsaEncoding: "ieee-p1363" as const };
    if (!verify("sha256", Buffer.from(`${header}.${payload}`), key, Buffer.from(value, "base64url")))
      return "sa signature n’est pas valide";
    if (seal.keyId !== checkpoint.key_id) return "sa clé n’est pas celle qu’il nomme";
    if (!states(payload, checkpoint, previous)) return "ce qui est signé n’est pas ce qui est enregistré";
    return timeFault(checkpoint, isAuthority);
  };
}

/** Gives the key of the certificate that a header names first; null when its path does not lead to a root. Source: RFC 7515 §4.1.6. */
async function readSeal(header: string, roots: readonly Uint8Array[]): Promise<Seal | null> {
  try {
    const { alg, x5c } = JSON.parse(Buffer.from(header, "base64url").toString()) as { alg: unknown; x5c: unknown };
    if (alg !== "ES256" || !Array.isArray(x5c)) return null;
    const [der, ...pool] = x5c.map((text) => new Uint8Array(Buffer.from(String(text), "base64")));
    if (der === undefined || !goesBackTo(der, { pool, roots })) return null;
    const certificate = new X509Certificate(der);
    const spki = certificate.publicKey.export({ type: "spki", format: "der" });
    return {
      key: createPublicKey({ key: spki, type: "spki", format: "der" }),
      keyId: hex(await keyIdentifier(new Uint8Array(spki))),
      notBefore: certificate.validFromDate,
      notAfter: certificate.validToDate,
    };
  } catch {
    // Nothing that the service wrote.
    return null;
  }
}

type Path = { readonly pool: readonly Uint8Array[]; readonly roots: readonly Uint8Array[] };

/** Says whether certificates of the pool lead from this one to a root, or it is one. */
function goesBackTo(der: Uint8Array, { pool, roots }: Path): boolean {
  const certificate = new X509Certificate(der);
  const issued = (by: Uint8Array) => {
    const issuer = new X509Certificate(by);
    return issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  };
  if (roots.some((root) => Buffer.compare(root, der) === 0 || issued(root))) return true;
  const rest = pool.filter((other) => Buffer.compare(other, der) !== 0);
  return rest.some((other) => issued(other) && goesBackTo(other, { pool: rest, roots }));
}

function states(payload: string, { size, root, at }: Checkpoint, previous: CheckpointPayload["previous"] | undefined): boolean {
  const text = Buffer.from(payload, "base64url").toString();
  const stated = checkpointPayload.safeParse(JSON.parse(text)).data;
  if (stated === undefined) return false;
  // The public address may change in the life of a service: it is the one that was then.
  return canonicalize({ log: stated.log, size, root, at, previous: previous === undefined ? stated.previous : previous }) === text;
}

type IsAuthority = (der: Uint8Array, carried: readonly Uint8Array[]) => boolean;

async function timeFault({ signature, timestamp, at }: Checkpoint, isAuthority: IsAuthority): Promise<string | null> {
  const imprint = new Uint8Array(createHash("sha256").update(signature).digest());
  try {
    const facts = await verifyTimestampToken(new Uint8Array(Buffer.from(timestamp, "base64")), { imprint });
    if (!isAuthority(facts.certificateDer, facts.certificates)) return "son horodatage n’est pas d’une autorité de ce service";
    const apartMs = Math.abs(facts.time.getTime() - new Date(at).getTime());
    return apartMs > DAY_MS ? "son horodatage est d’un autre jour" : null;
  } catch {
    // Whatever is wrong with the token, it proves no time.
    return "son horodatage n’est pas valide";
  }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
