import { failure, plainText, problem, type Result, success } from "@paraphe/contracts";
import { HsmUnavailableError } from "../../../platform/hsm/hsm.ts";
import type {
  DocumentModel,
  Attachment,
  Block,
  Line,
} from "../../../platform/pdf-document/create-typesetter.ts";
import { limitRate } from "../../../platform/throttle/throttle.ts";
import type { SessionUser } from "../../accounts/public.ts";
import { slugify } from "../../documents/public.ts";
import { invalidState, loadEnvelope, requireOwner } from "../../envelopes/public.ts";
import { sealFile, type SealingDeps } from "../../signing/public.ts";
import { TimestampUnavailableError } from "../../trust/public.ts";
import {
  describeInclusion,
  describeJournal,
  describeMessages,
  restOf,
} from "./describe-journal.ts";
import {
  describeConsents,
  describeParties,
  describeScope,
  describeSummary,
  LAW,
  serviceOf,
  titleOf,
} from "./describe-people.ts";
import { type EvidenceFacts, gatherFacts, documentName } from "./gather-facts.ts";
import { formatFileSize } from "@paraphe/kernel/french-numbers";
import { formatDigitsInstant, formatExactInstant } from "@paraphe/kernel/french-dates";
import { createHash } from "node:crypto";
import { toHex } from "@paraphe/kernel/bytes";
import { parseCertificate } from "@paraphe/pades/parts";
import { type JournalFacts, signerInWords } from "@paraphe/proof/parts";
import { foundIn, type ValidatedDocument } from "../prints/read-record.ts";

/** Each file validates every document and takes two time-stamps. */
const LIMIT = { limit: 60, windowS: 3_600 } as const;
const AWAY_RETRY_S = 30;

export type EvidenceFile = { readonly name: string; readonly bytes: Uint8Array };

/**
 * Makes it for the owner, who alone sees addresses and browsers; not stored.
 * Shape: PDF/A-3a and PDF/UA-1 in French, machine-readable attachments, sealed at B-LTA.
 * Errors: `not_found`; `not_allowed` for a recipient; `invalid_state` before sending;
 * `too_many_requests`; `service_unavailable` without time-stamps or token.
 * Source: contract §4; security §3; signatures §2.
 */
export async function makeEvidence(
  deps: SealingDeps,
  request: { readonly envelopeId: string; readonly user: SessionUser; readonly gone: AbortSignal },
): Promise<Result<EvidenceFile>> {
  const { platform } = deps;
  const owned = requireOwner(await loadEnvelope(platform.db, request.envelopeId), request.user);
  if (!owned.ok) return owned;
  const { envelope } = owned.value;
  const { status, statusBeforeCancel } = envelope;
  if ((statusBeforeCancel ?? status) === "draft") return failure(invalidState(status));
  const limited = await limitEvidence(deps, request.user.id);
  if (!limited.ok) return limited;
  const facts = await gatherFacts(deps, { envelopeId: envelope.id, ownerId: envelope.ownerId });
  const sandbox = platform.sandbox.askedBy({
    key: `evidence:${request.user.id}`,
    haste: "patient",
    signal: request.gone,
  });
  const file = await sandbox.call("renderDocument", modelOf(facts));
  try {
    const bytes = await sealFile(deps, file, `Dossier de preuve de l’enveloppe ${envelope.id}`);
    return success({ name: `${slugify(titleOf(facts))}_dossier_de_preuve.pdf`, bytes });
  } catch (error) {
    // Without seal and time-stamps the file proves nothing.
    const isAway =
      error instanceof TimestampUnavailableError || error instanceof HsmUnavailableError;
    if (!isAway) throw error;
    return failure(problem("service_unavailable", { retryAfterS: AWAY_RETRY_S }));
  }
}

function limitEvidence({ platform }: SealingDeps, userId: string): Promise<Result<null>> {
  return limitRate(platform, { key: `evidence ${userId}`, ...LIMIT });
}

function modelOf(facts: EvidenceFacts): DocumentModel {
  const attachments = attachFiles(facts);
  return {
    title: `Dossier de preuve\u00a0: ${plainText(titleOf(facts))}`,
    subject: `Preuve des signatures électroniques de l’enveloppe ${facts.record.id}`,
    author: serviceOf(facts.organization),
    lang: "fr-FR",
    madeAt: facts.madeAt,
    footer: `Dossier de preuve · ${facts.record.id}`,
    blocks: [
      ...describeSummary(facts),
      ...describeScope(facts),
      ...describeParties(facts),
      ...describeDocuments(facts),
      ...describeConsents(facts),
      ...describeSignatures(facts),
      ...describeMessages(facts),
      ...describeJournal(facts),
      ...describeInclusion(facts),
      ...LAW,
      ...describeAttachments(facts, attachments),
    ],
    attachments,
  };
}

const MOST_SIGNATURES = 500;
const mono = (text: string): Line => ({ text, face: "mono" });

function describeDocuments({ validated, record: { facts } }: EvidenceFacts) {
  const isSeveral = validated.length > 1;
  return [
    { kind: "heading", level: 2, text: isSeveral ? "4. Les documents" : "4. Le document" },
    ...validated.flatMap((document, index): readonly Block[] => [
      {
        kind: "heading",
        level: 3,
        text: `${isSeveral ? `${index + 1}. ` : ""}${documentName(document)}`,
      },
      {
        kind: "facts",
        rows: [
          ...sizeRows(document),
          ...depositRows(facts, document.id),
          {
            label: "Fichier conservé (SHA-256)",
            values: [mono(document.sha256), fileVerdict(document.checked)],
          },
          ...(document.archivedAt === null
            ? []
            : [
                {
                  label: "Horodatage d’archivage",
                  values: [formatExactInstant(document.archivedAt)],
                },
              ]),
        ],
      },
    ]),
  ] satisfies readonly Block[];
}

function sizeRows({ pageCount, bytes }: ValidatedDocument) {
  const values = [
    ...(pageCount === null ? [] : [pagesOf(pageCount)]),
    ...(bytes === null ? [] : [formatFileSize(bytes.length)]),
  ];
  return values.length === 0 ? [] : [{ label: "Pages et taille", values: [values.join(", ")] }];
}

function depositRows({ uploaded, originals }: JournalFacts, document: string) {
  const [deposited = "", original = ""] = [uploaded.get(document), originals.get(document)];
  const row = (label: string, sha256: string) => ({ label, values: [mono(sha256)] });
  return deposited === original
    ? [row("Fichier d’origine (SHA-256)", deposited)]
    : [
        row("Fichier déposé (SHA-256)", deposited),
        row("Copie corrigée, acceptée par l’expéditeur (SHA-256)", original),
      ];
}

function pagesOf(count: number): string {
  return count === 1 ? "1\u00a0page" : `${count}\u00a0pages`;
}

function fileVerdict({ isStored, isNamed, problems }: ValidatedDocument["checked"]): string {
  if (!isStored) return "Le fichier conservé manque, ou ce n’est pas celui qui a été signé.";
  if (!isNamed)
    return "Le fichier conservé n’est pas celui que l’historique nomme pour ce document.";
  return problems.length === 0
    ? "Relu et validé à la date de ce dossier."
    : "Relu à la date de ce dossier\u00a0: sa structure n’est pas celle attendue.";
}

function describeSignatures(facts: EvidenceFacts): readonly Block[] {
  const found = facts.validated.flatMap((document) =>
    foundIn([document]).map((one) => ({ ...one, name: documentName(document) })),
  );
  if (found.length === 0) {
    return [
      { kind: "heading", level: 2, text: "6. Les signatures" },
      {
        kind: "paragraph",
        text: "Les fichiers conservés ne portent aucune signature recueillie par ce service.",
      },
    ];
  }
  return [
    {
      kind: "heading",
      level: 2,
      text: "6. Les signatures, leurs certificats et leurs horodatages",
    },
    {
      kind: "table",
      columns: [
        { title: "Signataire et document", share: 0.25 },
        { title: "Horodatage", share: 0.24 },
        { title: "Certificat", share: 0.34 },
        { title: "Validation", share: 0.17 },
      ],
      rows: found
        .slice(0, MOST_SIGNATURES)
        .map(({ made, report, certificate, name }) => [
          [
            made.delegator === null
              ? (facts.record.facts.names.get(made.recipient) ?? certificate.subject.commonName)
              : (signerInWords(made) ?? certificate.subject.commonName),
            name,
          ],
          report.timestamp === null
            ? ["Aucun"]
            : [formatExactInstant(report.timestamp.time), report.timestamp.authorityName],
          [
            certificate.subject.commonName,
            mono(certificate.serialNumber),
            `Valable du ${formatDigitsInstant(certificate.notBefore)} au ${formatDigitsInstant(certificate.notAfter)}`,
          ],
          [
            VERDICTS[report.indication],
            ...(report.level === null ? [] : [`Niveau PAdES ${report.level}`]),
          ],
        ]),
    },
    ...restOf(found.length, Math.min(found.length, MOST_SIGNATURES), "empreintes.json"),
    ...describeAuthorities(facts),
  ];
}

const VERDICTS = {
  TOTAL_PASSED: "Valide",
  INDETERMINATE: "Indéterminé",
  TOTAL_FAILED: "Non valide",
} as const;

function describeAuthorities({ authorities, publicUrl }: EvidenceFacts): readonly Block[] {
  const { issuers, timestamp } = authorities;
  const rows = [...issuers, ...(timestamp === null ? [] : [timestamp])].map((der) => {
    const { subject, subjectDer, issuerDer, notAfter } = parseCertificate(der);
    const isRoot = Buffer.compare(subjectDer, issuerDer) === 0;
    return {
      label: isRoot ? "Racine" : der === timestamp ? "Horodatage" : "Autorité de signature",
      values: [
        `${subject.commonName}, jusqu’au ${formatExactInstant(notAfter)}`,
        "Empreinte SHA-256 du certificat\u00a0:",
        mono(createHash("sha256").update(der).digest("hex")),
      ],
    };
  });
  return [
    { kind: "heading", level: 3, text: "Autorités" },
    { kind: "facts", rows },
    {
      kind: "paragraph",
      text: `Ces certificats sont publiés à l’adresse ${publicUrl}/pki/ca.pem, et joints à ce fichier.`,
      tone: "soft",
    },
  ];
}

function attachFiles(facts: EvidenceFacts): readonly Attachment[] {
  return [
    json("preuve.json", proofSaid(facts), facts.publicProof.proof),
    json(
      "evenements.json",
      "Les événements de l’historique, avec de quoi recalculer leur chaîne",
      eventsOf(facts),
    ),
    json(
      "empreintes.json",
      "Les empreintes des fichiers et leurs signatures",
      fingerprintsOf(facts),
    ),
    json("messages.json", "Le registre des messages", facts.messages),
    ...(facts.record.inclusion === null
      ? []
      : [
          json(
            "inclusion.json",
            "La preuve d’inclusion de l’historique dans le journal de transparence",
            facts.record.inclusion,
          ),
        ]),
    {
      name: "certificats.pem",
      mediaType: "application/x-pem-file",
      description: "Les certificats des signataires et des autorités",
      relationship: "Data",
      bytes: new TextEncoder().encode(certificatesOf(facts)),
    },
    ...facts.signedFiles.map(
      ({ name, bytes }): Attachment => ({
        name,
        mediaType: "application/pdf",
        description: "Fichier signé, octet pour octet",
        relationship: "Source",
        bytes,
      }),
    ),
  ];
}

function proofSaid({ publicProof }: EvidenceFacts): string {
  const what =
    publicProof.verifyUrl === null
      ? "La preuve de l’enveloppe"
      : "La preuve du QR code le plus récent";
  return `${what}, signée (JWS) par le cachet du service${publicProof.proof.timestamp === null ? "" : ", et son horodatage"}`;
}

function json(name: string, description: string, value: unknown): Attachment {
  const bytes = new TextEncoder().encode(`${JSON.stringify(value, null, 2)}\n`);
  return { name, mediaType: "application/json", description, relationship: "Data", bytes };
}

/** `personal` has salts, unless erased. Source: RFC 8785. */
function eventsOf({ record: { id, events } }: EvidenceFacts) {
  return {
    format: "paraphe-evenements-1",
    hash: "SHA-256(previous_hash ‖ RFC 8785({envelope_id, at, actor, action, detail}))",
    commitment: "detail.commitments[name] = SHA-256(salt ‖ RFC 8785(value))",
    envelope_id: id,
    events: events.map(({ sequence, at, actor, action, detail, personal, hash, previousHash }) => ({
      sequence,
      at: at.toISOString(),
      actor,
      action,
      detail,
      personal,
      previous_hash: previousHash === null ? null : toHex(previousHash),
      hash: toHex(hash),
    })),
  };
}

function fingerprintsOf({ record: { id, facts }, validated }: EvidenceFacts) {
  return {
    format: "paraphe-empreintes-1",
    envelope_id: id,
    documents: validated.map((document) => ({
      id: document.id,
      name: documentName(document),
      page_count: document.pageCount,
      size: document.bytes?.length ?? null,
      sha256: document.sha256,
      original_sha256: facts.originals.get(document.id) ?? null,
      uploaded_sha256: facts.uploaded.get(document.id) ?? null,
      signatures: foundIn([document]).map(({ made, report, certificate }) => ({
        recipient: made.recipient,
        certificate_serial: certificate.serialNumber,
        time: report.timestamp?.time.toISOString() ?? null,
        level: report.level,
        indication: report.indication,
      })),
    })),
  };
}

/** Gives each certificate once. Source: RFC 7468 §5. */
function certificatesOf({ validated, authorities }: EvidenceFacts): string {
  const all = [
    ...foundIn(validated).map(({ certificate }) => certificate.der),
    ...authorities.issuers,
    ...(authorities.timestamp === null ? [] : [authorities.timestamp]),
  ];
  return [...new Map(all.map((der) => [toHex(der), der])).values()].map(pemOf).join("");
}

function pemOf(der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `# ${parseCertificate(der).subject.commonName}\n-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

function describeAttachments(
  facts: EvidenceFacts,
  attachments: readonly Attachment[],
): readonly Block[] {
  return [
    { kind: "heading", level: 2, text: "11. Vérifier ce dossier, et les fichiers joints" },
    {
      kind: "list",
      items: [
        "Ce fichier porte le cachet électronique du service et un horodatage d’archivage (PAdES B-LTA)\u00a0: un lecteur de PDF dit s’il a été modifié. Le cachet se rattache à la racine dont l’empreinte est à la section\u00a06.",
        "L’empreinte d’un document signé se recalcule avec tout logiciel (sha256sum, par exemple) et se compare à celle de la section\u00a04.",
        "La chaîne de l’historique se recalcule à partir de evenements.json\u00a0: chaque empreinte est celle de la précédente suivie de l’événement en forme canonique (RFC\u00a08785).",
        ...(facts.record.inclusion === null
          ? []
          : [
              "La preuve d’inclusion se vérifie à partir de inclusion.json, contre un point de contrôle conservé ailleurs ou publié par le service.",
            ]),
        "preuve.json et les documents signés se vérifient ensemble sans le service\u00a0: par la page «\u00a0Vérifier une preuve sur votre appareil\u00a0», qui se garde en un fichier, ou par la commande «\u00a0verify\u00a0» de Paraphe.",
        "Une lettre que les polices de ce fichier n’ont pas y est écrite par son numéro Unicode entre crochets, comme [U+4E2D]\u202f; preuve.json a le texte d’origine.",
        ...(facts.publicProof.verifyUrl === null
          ? []
          : [`La page publique de vérification est ${facts.publicProof.verifyUrl}`]),
      ],
    },
    {
      kind: "table",
      columns: [
        { title: "Fichier joint", share: 0.28 },
        { title: "Contenu", share: 0.37 },
        { title: "Taille et empreinte SHA-256", share: 0.35 },
      ],
      rows: attachments.map(({ name, description, bytes }): readonly (readonly Line[])[] => [
        [name],
        [description],
        [formatFileSize(bytes.length), ...halves(createHash("sha256").update(bytes).digest("hex"))],
      ]),
    },
    ...(facts.signedFiles.length === 0
      ? [
          {
            kind: "paragraph",
            text: "Les documents eux-mêmes ne sont pas joints\u00a0: conservez-les à côté de ce dossier, qui les désigne par leur empreinte.",
            tone: "soft",
          } as const,
        ]
      : []),
  ];
}

/** Halves are easier to compare by eye. */
function halves(hash: string): readonly Line[] {
  return [hash.slice(0, 32), hash.slice(32)].map((text) => ({ text, face: "mono" }));
}
