import { sha256 } from "@noble/hashes/sha2.js";
import { notValidatedSentence } from "@paraphe/contracts/proof/not-validated";
import type { ProofContent } from "@paraphe/contracts/proof/proof-file";
import { fromBase64, toHex } from "@paraphe/kernel/bytes";
import { formatLongDay } from "@paraphe/kernel/french-dates";
import {
  readAttachment,
  type SignatureReport,
  type ValidationReport,
  validate,
} from "@paraphe/pades";
import { type SignedStatement, readStatement, verifyStatement } from "../statement/statement.ts";
import { readCertificates } from "./check-facts.ts";
import { namedRoots } from "./check-seal.ts";
import type {
  CheckState,
  GivenFile,
  ProofCheck,
  ProofReport,
  ProofRequest,
  RootFacts,
  StatedSignature,
} from "./types.ts";
import { LIMITS, conclude, downgradeUntrusted, verifyProof } from "./verify-proof.ts";

type Given = { readonly roots: readonly Uint8Array[]; readonly now: Date };
type CheckedFile = {
  readonly name: string;
  readonly hash: string;
  readonly report: ValidationReport;
};

/**
 * `signatures`: what the files state.
 * Shape: `roots` are DER; without the reader's root nothing passes.
 */
async function checkAlone(
  files: readonly GivenFile[],
  { roots, now }: Given,
): Promise<{
  readonly checks: readonly ProofCheck[];
  readonly roots: readonly RootFacts[];
  readonly signatures: readonly StatedSignature[];
}> {
  const evidence = { trustAnchors: { signers: roots, timestamps: roots } };
  const checked: CheckedFile[] = [];
  for (const { name, bytes } of files)
    checked.push({
      name,
      hash: toHex(sha256(bytes)),
      report: await validate(bytes, { evidence, now }),
    });
  const checks = checked.map(checkOne);
  const isRooted = checks.length > 0 && checks.every(({ state }) => state === "ok");
  const anchors = isRooted ? namedRoots(roots) : [];
  const rootNames = anchors
    .map(({ name, fingerprint }) => `«\u00a0${name}\u00a0», empreinte SHA-256 ${fingerprint}`)
    .join("\u202f; ");
  const root = {
    name: "root",
    state: "ok",
    subject: null,
    sentence: `Tout est vérifié d’après les autorités données\u00a0: ${rootNames}.`,
  } as const;
  return {
    checks: isRooted ? [root, ...checks] : checks,
    roots: anchors,
    signatures: checked.flatMap(stated),
  };
}

function checkOne({ name, hash, report }: CheckedFile): ProofCheck {
  const said = (state: CheckState, sentence: string): ProofCheck => ({
    name: "signatures",
    state,
    subject: name,
    sentence: `${sentence} Empreinte du fichier (SHA-256)\u00a0: ${hash}.`,
  });
  const own = signaturesOf(report);
  const notValidated = notValidatedSentence(report.problems);
  if (notValidated !== null && !own.some(isFailed)) return said("not_checked", notValidated);
  if (own.length === 0)
    return report.problems.length === 0
      ? said(
          "not_checked",
          "Ce PDF ne porte aucune signature électronique\u00a0: une copie à imprimer, par exemple, n’est jamais le fichier signé.",
        )
      : said("not_checked", "Aucune signature électronique n’a pu être lue dans ce PDF.");
  if (report.indication === "TOTAL_FAILED")
    return said(
      "failed",
      "Une signature n’est pas valide, ou le fichier a été modifié après elle.",
    );
  if (report.indication === "TOTAL_PASSED")
    return said(
      "ok",
      `Signatures valides et fichier intact\u00a0: ${own.map(({ signerName }) => signerName ?? "sans nom").join(", ")}.`,
    );
  return said(
    "not_checked",
    "Rien n’a été modifié après les signatures, mais rien ici ne dit si leurs certificats sont dignes de confiance.",
  );
}

const isFailed = ({ indication }: SignatureReport): boolean => indication === "TOTAL_FAILED";

function stated({ name, report }: CheckedFile): readonly StatedSignature[] {
  return signaturesOf(report).map(({ signerName, timestamp, claimedTime }) => ({
    file: name,
    name: signerName,
    at: timestamp?.time ?? claimedTime,
  }));
}

function signaturesOf({ signatures }: ValidationReport): readonly SignatureReport[] {
  return signatures.filter(({ kind }) => kind === "signature");
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;
/** A public page's address without statement, as its screen shows it. */
const PUBLIC_PAGE =
  /^\s*(?:https?:\/\/)?[^\s/?#]+\/verify\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:\?[^\s#]*)?\s*$/i;

const statement = (state: CheckState, sentence: string): ProofCheck => ({
  name: "statement",
  state,
  subject: null,
  sentence,
});
const paper = (state: CheckState, sentence: string): ProofCheck => ({
  name: "paper",
  state,
  subject: null,
  sentence,
});

type StatementContext = {
  readonly content: ProofContent | null;
  readonly files: readonly GivenFile[];
};

/**
 * Checks key, print and file of a printed page's statement.
 * Shape: `{service}/verify/{id}?sig=…#{statement}`; at another origin a true statement was copied.
 */
async function checkStatement(
  address: string,
  { content, files }: StatementContext,
): Promise<readonly ProofCheck[]> {
  // WHATWG URL §4.4: the first `#` begins the fragment.
  const at = address.indexOf("#");
  const printId = UUID.exec(at < 0 ? address : address.slice(0, at))?.[0];
  const signed =
    at < 0 || printId === undefined ? null : readStatement(printId, address.slice(at + 1).trim());
  const otherPlace = (id: string) =>
    content === null ? null : placeElsewhere(address, { service: content.service, printId: id });
  if (signed === null && printId !== undefined && PUBLIC_PAGE.test(address)) {
    const elsewhere = otherPlace(printId.toLowerCase());
    return [
      elsewhere === null ? statement("not_checked", UNSIGNED_ADDRESS) : leadsElsewhere(elsewhere),
      paper("not_checked", NO_FILE_NAMED),
    ];
  }
  // A code read in part proves nothing either way.
  if (signed === null)
    return [
      statement(
        "not_checked",
        "Cette adresse est incomplète, ou n’est pas celle d’un QR code de ce service\u00a0: rien n’en est vérifié.",
      ),
    ];
  const elsewhere = otherPlace(signed.statement.printId);
  if (elsewhere !== null)
    return [leadsElsewhere(elsewhere), checkPaper(signed, { files, isSigned: false })];
  const signer = await checkSigner(signed, content);
  return [signer, checkPaper(signed, { files, isSigned: signer.state === "ok" })];
}

const UNSIGNED_ADDRESS =
  "Cette adresse est celle de la page publique d’un document\u00a0: ouvrez-la pour voir l’original. Seul le QR code d’une page imprimée se vérifie ici.";
const NO_FILE_NAMED = "L’adresse d’une page publique ne dit pas de quel fichier elle parle.";

function leadsElsewhere(place: string): ProofCheck {
  return statement(
    "failed",
    `L’adresse du QR code mène à «\u00a0${place}\u00a0», et non à cette copie chez le service que la preuve nomme\u00a0: ne l’ouvrez pas.`,
  );
}

/** Null at this print's page of this service. Source: WHATWG URL §4.5 (origin). */
function placeElsewhere(
  address: string,
  { service, printId }: { readonly service: string; readonly printId: string },
): string | null {
  try {
    const home = new URL(service);
    // Some QR readers omit the scheme.
    const { origin, host, pathname } = new URL(
      address.includes("://") ? address.trim() : `${home.protocol}//${address.trim()}`,
    );
    return origin === home.origin && pathname.toLowerCase() === `/verify/${printId}`
      ? null
      : `${host}${pathname}`;
  } catch {
    return address.split("#")[0] ?? address;
  }
}

async function checkSigner(
  signed: SignedStatement,
  content: ProofContent | null,
): Promise<ProofCheck> {
  const { pageNumber, pageCount, madeOn } = signed.statement;
  const whole = pageCount > 1 ? `de ${pageCount}\u00a0pages` : "d’une page";
  const what =
    pageNumber === 0
      ? `d’une page ajoutée à un document ${whole}`
      : `de la page ${pageNumber} sur ${pageCount}`;
  const said = `Le QR code parle ${what}, copie faite le ${formatLongDay(madeOn)}`;
  if (content === null)
    return statement(
      "not_checked",
      `${said}\u202f; sans la preuve, rien ne dit ici qui l’a signé.`,
    );
  if (content.print?.id !== signed.statement.printId)
    return statement(
      "not_checked",
      `${said}\u202f; la preuve donnée n’est pas celle de cette copie\u00a0: elle en nomme une autre, ou aucune.`,
    );
  const isSignedBy = async (keys: readonly string[]) =>
    (await verifyStatement(signed, keys.map(fromBase64))) !== null;
  if (await isSignedBy(content.revoked_statement_keys ?? []))
    return statement(
      "not_checked",
      `${said}\u202f; mais la clé du cachet qui l’a signé a été révoquée\u00a0: rien ne prouve qu’il ait été fait avant, ni par le service.`,
    );
  return (await isSignedBy(content.statement_keys))
    ? statement("ok", `${said}, et le cachet du service l’a signé.`)
    : statement("failed", "Le QR code n’est pas signé par le service que la preuve nomme.");
}

type PaperWork = { readonly files: readonly GivenFile[]; readonly isSigned: boolean };

function checkPaper(
  { statement: { hashPrefix } }: SignedStatement,
  { files, isSigned }: PaperWork,
): ProofCheck {
  if (files.length === 0)
    return paper("not_checked", "Donnez le PDF pour savoir si le papier parle de lui.");
  const prefix = toHex(hashPrefix);
  const own = files.find(({ bytes }) => toHex(sha256(bytes)).startsWith(prefix));
  if (own === undefined)
    return paper(
      "failed",
      "Le papier parle d’un autre fichier que ceux qui sont donnés ici, ou d’un état antérieur du même document.",
    );
  const said = isSigned
    ? paper("ok", "C’est de ce fichier, dans cet état, que le papier parle.")
    : paper(
        "not_checked",
        "Le code dit parler de ce fichier, dans cet état\u202f; rien ne dit ici que le service l’ait signé.",
      );
  return { ...said, subject: own.name };
}

/** `address`: of a page's QR code. */
export type OfflineInput = Omit<ProofRequest, "proof"> & {
  readonly proof: Uint8Array | null;
  readonly address: string | null;
};

/** `stated`: signatures of files without a proof, as these state them. */
export type OfflineReport = ProofReport & { readonly stated: readonly StatedSignature[] };

/** Shape: without a proof nothing is valid; files are validated and compared with the page. */
export async function verifyOffline({
  proof,
  address,
  ...request
}: OfflineInput): Promise<OfflineReport> {
  const report =
    proof === null
      ? await withoutProof(request)
      : { ...(await verifyProof({ ...request, proof })), stated: [] };
  if (address === null) return report;
  const content = report.verdict === "invalid" ? null : report.proof;
  const paper = await checkStatement(address, { content, files: request.files });
  // The proof names the statement's key, so its check depends on the roots too.
  const checks = downgradeUntrusted([...report.checks, ...paper]);
  return { ...report, ...conclude(checks), checks };
}

async function withoutProof({
  files,
  roots,
  now,
}: Omit<ProofRequest, "proof">): Promise<OfflineReport> {
  const sentence =
    "Le fichier preuve.json n’a pas été donné\u00a0: rien ne dit ici qui a signé, ni comment.";
  const alone = await checkAlone(files, { roots, now });
  const checks = [
    { name: "form", state: "not_checked", subject: null, sentence } as const,
    ...alone.checks,
  ];
  return {
    ...conclude(checks),
    checks,
    roots: alone.roots,
    limits: LIMITS,
    proof: null,
    stated: alone.signatures,
  };
}

/** Who vouches for a result; `unknown`: none of the authorities at hand. */
export type Trust = "reader" | "service" | "nobody" | "unknown";

/** `authorities`: PEM published by a service; null where there is none. `evidence`: a PDF. */
export type ReceivedInput = Omit<OfflineInput, "isAttached"> & {
  readonly authorities: Uint8Array | null;
  readonly evidence: GivenFile | null;
};

/** Trusts the reader's roots and keys, else published authorities, which can only add trust. */
export async function verifyReceived({
  authorities,
  evidence,
  ...given
}: ReceivedInput): Promise<{ readonly report: OfflineReport; readonly trust: Trust }> {
  const things = evidence === null ? given : await withEvidence(given, evidence);
  const own = await verifyOffline(things);
  if (things.roots.length + (things.sealKeys?.length ?? 0) > 0)
    return { report: own, trust: "reader" };
  if (authorities === null || own.verdict === "valid") return { report: own, trust: "nobody" };
  const report = await verifyOffline({ ...things, roots: readCertificates(authorities) });
  const failed = new Set(failures(own));
  const isRecognised =
    failures(report).every((failure) => failed.has(failure)) &&
    report.checks.some(({ name, state }) => name === "root" && state === "ok");
  return isRecognised ? { report, trust: "service" } : { report: own, trust: "unknown" };
}

const failures = ({ checks }: OfflineReport): readonly string[] =>
  checks
    .filter(({ state }) => state === "failed")
    .map(({ name, subject }) => `${name} ${subject ?? ""}`);

/** A proof that names the evidence PDF has it as a signed file. */
async function withEvidence(given: OfflineInput, evidence: GivenFile): Promise<OfflineInput> {
  const proof = given.proof ?? (await attachedProof(evidence.bytes));
  const isFile =
    proof === null || new TextDecoder().decode(proof).includes(toHex(sha256(evidence.bytes)));
  return {
    ...given,
    proof,
    isAttached: given.proof === null,
    files: isFile ? [...given.files, evidence] : given.files,
  };
}

/** Null for any PDF but an evidence PDF. */
export const attachedProof = (bytes: Uint8Array): Promise<Uint8Array | null> =>
  readAttachment(bytes, "preuve.json").catch(() => null);
