import { createHash } from "node:crypto";
import {
  type JournalEvent,
  PROOF_FORMAT,
  PROOF_SCHEMA_PATH,
  type ProofContent,
  type ProofFile,
  type Result,
  success,
} from "@paraphe/contracts";
import { toBase64, toHex } from "@paraphe/kernel/bytes";
import { canonicalJson } from "@paraphe/kernel/canonical-json";
import { isStrictToken, parseCertificate } from "@paraphe/pades/parts";
import type { JournalFacts, NamedSignature } from "@paraphe/proof/parts";
import type { StoredEvent } from "../../journal/public.ts";
import {
  PRINT_KEY_ID,
  TimestampUnavailableError,
  type Trust,
  loadIssuedCertificates,
  signJws,
} from "../../trust/public.ts";
import {
  type CertificateCard,
  type PrintToProve,
  type RecordToProve,
  filesOf,
  proveRecord,
  readToProve,
  verifyUrlOf,
} from "./build-proof.ts";
import { signatureVerdict } from "./domain/verdicts.ts";
import { createKept, keyOf, readSources, validateSources } from "./kept-proofs.ts";
import { presentPrint } from "./open-print.ts";
import {
  type EnvelopeRecord,
  type PrintDeps,
  type ValidatedDocument,
  foundIn,
  readPrinted,
} from "./read-record.ts";
import { type MadePrint, listPrintRows } from "./store.ts";

/** Personal values that name people without contact data. */
const NAMES: ReadonlySet<string> = new Set(["actor_name", "full_name", "delegate_name"]);
const SHOWN: ReadonlySet<string> = new Set(["title", "document_names", "signer_names"]);

/** `names`: the signers'; `reached`: people whose masked addresses are shown. */
type Disclosed = {
  readonly names: ReadonlySet<string>;
  readonly reached: ReadonlySet<string>;
  /** The number of the last return to the sender: what was sent before is not shown. */
  readonly since: number;
};

/** Gives the person that a link or a code went to. */
function personOf({ actor, detail }: StoredEvent): string {
  return typeof detail["recipient"] === "string"
    ? detail["recipient"]
    : actor.replace(/^recipient:/, "");
}

/**
 * Gives shown values with salts, of others the commitments. A paper's holder learns nothing of the
 * sender and those in copy (security line 57).
 */
function discloseEvent(event: StoredEvent, disclosed: "all" | Disclosed): JournalEvent {
  const { sequence, at, actor, action, detail, personal, hash, previousHash } = event;
  return {
    sequence,
    at: at.toISOString(),
    actor,
    action,
    detail,
    personal: Object.fromEntries(
      Object.entries(personal).filter(
        ([name, { value }]) =>
          disclosed === "all" ||
          (SHOWN.has(name) && sequence > disclosed.since) ||
          (NAMES.has(name) && typeof value === "string" && disclosed.names.has(value)) ||
          (name === "destination" && disclosed.reached.has(personOf(event))),
      ),
    ),
    previous_hash: previousHash === null ? null : toHex(previousHash),
    hash: toHex(hash),
  };
}

function presentProofFiles(documents: readonly ValidatedDocument[]): ProofContent["files"] {
  return documents.map(({ id, name, bytes, sha256 }) => ({
    document: id,
    name,
    size_bytes: bytes?.length ?? null,
    sha256,
  }));
}

async function signerCertificates(
  { platform }: PrintDeps,
  { record, documents }: RecordToProve,
): Promise<ReadonlyMap<string, Uint8Array>> {
  if (record.facts.purgedAt !== null) return new Map();
  const found = foundIn(documents).map(({ made, certificate }): [string, Uint8Array] => [
    made.serial,
    certificate.der,
  ]);
  const serials = record.facts.signatures.map(({ serial }) => serial);
  return new Map([...(await loadIssuedCertificates(platform.db, serials)), ...found]);
}

type SignatureContext = {
  readonly certificates: ReadonlyMap<string, Uint8Array>;
  /** The file is given by its hash alone. */
  readonly withheld: boolean;
};

function presentProofSignature(
  document: string,
  { made, report }: NamedSignature,
  { certificates, withheld }: SignatureContext,
): readonly ProofContent["signatures"][number][] {
  const der = certificates.get(made.serial);
  // A signature without its certificate proves nothing.
  if (der === undefined) return [];
  const timestamp = report?.timestamp ?? null;
  const { verdict, reason } = report === undefined ? ABSENT : signatureVerdict(report);
  return [
    {
      document,
      signer_name: made.name ?? parseCertificate(der).subject.commonName,
      field: report?.fieldName ?? null,
      level: report?.level ?? null,
      signed_at: made.since,
      timestamp:
        timestamp === null
          ? null
          : { time: timestamp.time.toISOString(), tsa: timestamp.authorityName },
      serial_number: made.serial,
      certificate: withheld ? null : toBase64(der),
      certificate_sha256: createHash("sha256").update(der).digest("hex"),
      verdict,
      reason,
    },
  ];
}

const ABSENT = {
  verdict: "invalid",
  reason: "La signature ne se trouve pas dans le fichier conservé.",
} as const;

/**
 * Gathers what an offline check needs, with the `card`'s sources. `withheld` leaves out signers'
 * certificates, which have addresses (RFC 5280 §4.2.1.6).
 */
async function gatherProofTrust(
  trust: Trust,
  signers: readonly Uint8Array[],
  { withheld, card }: { readonly withheld: boolean; readonly card: CertificateCard },
): Promise<Pick<ProofContent, "certificates" | "revocation">> {
  const { trustAnchors, certificates = [], crls = [] } = await trust.currentEvidence();
  const others = [...signers, ...trust.seal.certificates.slice(0, 1)].filter(
    (der) => card.of === null || Buffer.compare(der, card.of) !== 0,
  );
  const answers = [card.ocsp, ...(await Promise.all(others.map((der) => trust.ocsp(der))))];
  const { ca, root, tsa } = trust.certificates;
  const roots = trustAnchors.signers.map(toBase64);
  return {
    certificates: {
      signers: withheld ? [] : signers.map(toBase64),
      issuer: toBase64(ca),
      root: toBase64(root),
      timestamp_authority: toBase64(tsa),
      roots,
      issuers: certificates.map(toBase64),
      timestamp_anchors: trustAnchors.timestamps
        .map(toBase64)
        .filter((der) => !roots.includes(der)),
    },
    revocation: {
      crls: [...new Set([...crls, ...(card.crl === null ? [] : [card.crl])].map(toBase64))],
      ocsps: answers.flatMap((answer) => (answer === null ? [] : [toBase64(answer)])),
    },
  };
}

/** The proof has no time-stamp while the authority is away. */
async function sealProof(deps: PrintDeps, request: PrintToProve): Promise<Result<ProofFile>> {
  const record = await readPrinted(deps.platform.db, request.print);
  if (!record.ok) return record;
  const read = await readToProve(deps, request, record.value);
  return success(await sealContent(deps, await presentProofFile(deps, read), "asked"));
}

/**
 * Shape: the owner, without `sig`, gets every personal value; a paper's holder, the signers' names.
 */
async function presentProofFile(deps: PrintDeps, request: RecordToProve): Promise<ProofContent> {
  const { print, sig, record, documents } = request;
  const { facts, events, inclusion } = record;
  const { proof, card } = await proveRecord(deps, request);
  // Its certificates have addresses, so they are withheld too.
  const withheld = sig !== null && (proof.proof_only || proof.cancelled);
  const disclosed = {
    names: new Set([
      ...proof.signers.map(({ full_name }) => full_name),
      ...[...facts.parties.values()].flatMap(({ name, visa }) =>
        visa === null ? [] : [name ?? [], visa.delegate?.name ?? []].flat(),
      ),
      ...facts.signatures.flatMap(({ name, delegator }) => [name ?? [], delegator ?? []].flat()),
    ]),
    reached: new Set(
      withheld || proof.purged ? [] : facts.signatures.map(({ recipient }) => recipient),
    ),
    since:
      events.findLast(({ action, detail }) => action === "step_sent_back" && detail["order"] === 0)
        ?.sequence ?? 0,
  };
  const certificates = await signerCertificates(deps, request);
  return {
    format: PROOF_FORMAT,
    service: deps.platform.settings.publicUrl,
    ...proof,
    envelope: record.id,
    print: print === null ? null : presentPrintOf(facts, print),
    files: proof.purged
      ? filesOf(facts).map((file) => ({ ...file, name: null, size_bytes: null }))
      : presentProofFiles(documents),
    signatures: documents.flatMap(({ id, named }) =>
      named.flatMap((one) => presentProofSignature(id, one, { certificates, withheld })),
    ),
    ...(await gatherProofTrust(deps.trust, [...certificates.values()], { withheld, card })),
    journal: {
      disclosed: sig === null ? "all" : "names",
      events: events.map((event) => discloseEvent(event, sig === null ? "all" : disclosed)),
    },
    inclusion,
  };
}

function presentPrintOf({ prints }: JournalFacts, print: MadePrint): ProofContent["print"] {
  const made = prints.get(print.id);
  return {
    id: print.id,
    qr_type: (made?.qrType as MadePrint["qrType"] | undefined) ?? print.qrType,
    created_at: made?.at ?? print.createdAt.toISOString(),
  };
}

/**
 * Shape: `jws` is a compact JWS of canonical `proof` (RFC 8785); `timestamp` covers it, null when
 * away or not `asked`.
 */
export async function sealContent(
  { platform, trust }: PrintDeps,
  proof: ProofContent,
  authority: "asked" | "spared",
): Promise<ProofFile> {
  const jws = await signJws(trust.seal, Buffer.from(canonicalJson(proof)));
  const $schema = `${proof.service}${PROOF_SCHEMA_PATH}`;
  const timestamp = authority === "asked" ? await stampOf({ platform, trust }, jws) : null;
  return {
    $schema,
    proof,
    jws,
    timestamp: timestamp === null ? null : toBase64(timestamp),
  };
}

async function stampOf({ platform, trust }: PrintDeps, jws: string): Promise<Uint8Array | null> {
  try {
    const token = await trust.timestamp.timestamp(
      new Uint8Array(createHash("sha256").update(jws).digest()),
    );
    if (isStrictToken(token)) return token;
    platform.log.warn(
      { bytes: token.length },
      "a time-stamp of a proof was left out: something in it is covered by no signature",
    );
    return null;
  } catch (error) {
    // The proof says that it has none, and is still useful.
    if (!(error instanceof TimestampUnavailableError)) throw error;
    platform.log.warn({ err: error }, "a proof was sealed without a time-stamp");
    return null;
  }
}

export type EnvelopeProof = { readonly verifyUrl: string | null; readonly proof: ProofFile };

export async function proveEnvelope(
  deps: PrintDeps,
  read: Pick<RecordToProve, "record" | "documents">,
): Promise<EnvelopeProof> {
  const print = newestPrint(read.record);
  const content = await presentProofFile(deps, { ...read, print, sig: null });
  return {
    verifyUrl: print === null ? null : verifyUrlOf(deps.platform, print),
    proof: await sealContent(deps, content, "asked"),
  };
}

function newestPrint({ id: envelopeId, facts }: EnvelopeRecord): MadePrint | null {
  const [id, made] = [...facts.prints].filter(([, { isVoid }]) => !isVoid).at(-1) ?? [];
  return id === undefined || made === undefined
    ? null
    : {
        id,
        envelopeId,
        qrType: made.qrType as MadePrint["qrType"],
        keyId: PRINT_KEY_ID,
        createdAt: new Date(made.at),
      };
}

const PRINTS_AT_A_TIME = 50;

type OwnProof = { readonly id: string; seal(): Promise<Result<ProofFile>> };

export async function* ownProofs(deps: PrintDeps, ownerId: string): AsyncGenerator<OwnProof, void> {
  for (let page = 1; ; page += 1) {
    const { rows } = await listPrintRows(deps.platform.db, {
      user: { id: ownerId, teams: [] },
      envelopeId: null,
      page,
      pageSize: PRINTS_AT_A_TIME,
    });
    for (const print of rows)
      yield {
        id: print.id,
        seal: () => sealProof(deps, { print, sig: presentPrint(deps.platform, print).sig }),
      };
    if (rows.length < PRINTS_AT_A_TIME) return;
  }
}

/** A proof with the same words is not stamped anew within this time. */
const KEPT_MS = 5 * 60_000;
/** Wait before an absent authority is asked again. */
const AWAY_MS = 60_000;

/**
 * Gives the text of `preuve.json`. Sources are read each time; as long as they say the same, its
 * time-stamp stays: no caller floods the authority.
 * Shape: `JSON.stringify` with two spaces.
 */
export function createProofCache(): (
  deps: PrintDeps,
  request: PrintToProve,
) => Promise<Result<string>> {
  const kept = createKept<{ readonly said: string; readonly text: Promise<string> }>({
    mostMs: KEPT_MS,
  });
  let awayUntil = 0;

  const seal = async (
    deps: PrintDeps,
    content: ProofContent,
    now: number,
  ): Promise<{ readonly text: string; readonly isStamped: boolean }> => {
    const sealed = await sealContent(deps, content, now < awayUntil ? "spared" : "asked");
    const isStamped = sealed.timestamp !== null;
    if (!isStamped && now >= awayUntil) awayUntil = now + AWAY_MS;
    return { text: JSON.stringify(sealed, null, 2), isStamped };
  };

  return async (deps, request) => {
    const key = keyOf(request);
    const read = await readSources(deps, request);
    if (!read.ok) return read;
    const sources = read.value;
    const now = deps.platform.clock().getTime();
    const known = kept.find(key, sources, now);
    if (known !== null) return success(await known.text);
    const content = await presentProofFile(deps, await validateSources(deps, request, sources));
    // Gives the sealed file again when other sources, or a concurrent call, led to the same
    // content.
    const said = unchangingDigest(content);
    const same = kept.findLast(key, now);
    if (same?.said === said) return success(await same.text);
    const sealing = seal(deps, content, now);
    const text = sealing.then((sealed) => sealed.text);
    const entry = kept.add(key, sources, { value: { said, text }, now });
    try {
      kept.measure(entry, (await text).length);
      if (!(await sealing).isStamped) kept.forget(key, entry);
      return success(await text);
    } catch (error) {
      kept.forget(key, entry);
      throw error;
    }
  };
}

/** Leaves out times, OCSP answers and the log's size. */
function unchangingDigest({
  checked_at: _at,
  certificate,
  revocation: _answers,
  inclusion,
  ...rest
}: ProofContent): string {
  const revocation =
    certificate === null ? null : { ...certificate.revocation, ocsp_at: null, crl_at: null };
  const said = {
    ...rest,
    certificate: certificate === null ? null : { ...certificate, revocation },
    inclusion: inclusion?.entry ?? null,
  };
  return createHash("sha256").update(canonicalJson(said)).digest("base64");
}
