import { createHash } from "node:crypto";
import { parseCertificate } from "@paraphe/pades/parts";
import type { Block, Line } from "../../../platform/pdf-document/document-model.ts";
import type { ValidatedDocument } from "../prints/validate-envelope.ts";
import { restOf } from "./describe-journal.ts";
import { frenchSize } from "./domain/french-size.ts";
import { longInstant, shortInstant } from "./domain/french-instant.ts";
import type { EvidenceFacts } from "./evidence-facts.ts";
import type { Deposit } from "./tell-files.ts";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
/** People by documents: as many as a person looks through. */
const MOST_SIGNATURES = 500;
const mono = (text: string): Line => ({ text, face: "mono" });

/** Each file, by its fingerprints: what was uploaded, what was shown, what was signed. */
export function describeDocuments({ validated }: EvidenceFacts): readonly Block[] {
  return [
    { kind: "heading", level: 2, text: validated.length > 1 ? "4. Les documents" : "4. Le document" },
    ...validated.flatMap(({ document, judged, archivedAt, deposit }, index): readonly Block[] => {
      const { current } = document;
      return [
        { kind: "heading", level: 3, text: validated.length > 1 ? `${index + 1}. ${document.name}` : document.name },
        {
          kind: "facts",
          rows: [
            { label: "Pages et taille", values: [`${pagesOf(document.pageCount)}, ${frenchSize(current.sizeBytes)}`] },
            ...depositRows(deposit),
            { label: "Fichier conservé (SHA-256)", values: [mono(hex(current.sha256)), fileVerdict(judged)] },
            ...(archivedAt === null ? [] : [{ label: "Horodatage d’archivage", values: [longInstant(archivedAt)] }]),
          ],
        },
      ];
    }),
  ];
}

/** What was deposited, and what was accepted in its place. */
function depositRows({ uploaded, original, source }: Deposit) {
  const said = source === "tables" ? ["D’après la base du service\u00a0: l’historique ne nomme pas ce fichier."] : [];
  const row = (label: string, sha256: string | null) => ({ label, values: sha256 === null ? [NOT_KNOWN] : [mono(sha256), ...said] });
  return uploaded === original
    ? [row("Fichier d’origine (SHA-256)", uploaded)]
    : [row("Fichier déposé (SHA-256)", uploaded), row("Copie corrigée, acceptée par l’expéditeur (SHA-256)", original)];
}

/** Where the tables name a file that the journal, or the kept file, does not. */
const NOT_KNOWN = "Non établi\u00a0: la base du service nomme un fichier que l’historique ne connaît pas.";

function pagesOf(count: number): string {
  return count === 1 ? "1\u00a0page" : `${count}\u00a0pages`;
}

function fileVerdict({ isStored, isNamed, problems }: ValidatedDocument["judged"]): string {
  if (!isStored) return "Le fichier conservé manque, ou ce n’est pas celui qui a été signé.";
  if (!isNamed) return "Le fichier conservé n’est pas celui que l’historique nomme pour ce document.";
  return problems.length === 0
    ? "Relu et validé à la date de ce dossier."
    : "Relu à la date de ce dossier\u00a0: sa structure n’est pas celle attendue.";
}

/** Every signature found in the files now, with its certificate and its time-stamp. */
export function describeSignatures(facts: EvidenceFacts): readonly Block[] {
  const found = facts.validated.flatMap((document) => document.signatures.map((one) => ({ ...one, name: document.document.name })));
  if (found.length === 0) {
    return [
      { kind: "heading", level: 2, text: "6. Les signatures" },
      { kind: "paragraph", text: "Les fichiers conservés ne portent aucune signature recueillie par ce service." },
    ];
  }
  return [
    { kind: "heading", level: 2, text: "6. Les signatures, leurs certificats et leurs horodatages" },
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
        .map(({ recipient, report, certificate, name }) => [
          [facts.recipients.find(({ id }) => id === recipient)?.fullName ?? certificate.subject.commonName, name],
          report.timestamp === null ? ["Aucun"] : [longInstant(report.timestamp.time), report.timestamp.authorityName],
          [
            certificate.subject.commonName,
            mono(certificate.serialNumber),
            `Valable du ${shortInstant(certificate.notBefore)} au ${shortInstant(certificate.notAfter)}`,
          ],
          [VERDICTS[report.indication], ...(report.level === null ? [] : [`Niveau PAdES ${report.level}`])],
        ]),
    },
    ...restOf(found.length, Math.min(found.length, MOST_SIGNATURES), "empreintes.json"),
    ...describeAuthorities(facts),
  ];
}

const VERDICTS = { TOTAL_PASSED: "Valide", INDETERMINATE: "Indéterminé", TOTAL_FAILED: "Non valide" } as const;

/** Who vouches for the certificates, by fingerprint: they are compared with those that the service publishes. */
function describeAuthorities({ authorities, publicUrl }: EvidenceFacts): readonly Block[] {
  const { issuers, timestamp } = authorities;
  const rows = [...issuers, ...(timestamp === null ? [] : [timestamp])].map((der) => {
    const { subject, subjectDer, issuerDer, notAfter } = parseCertificate(der);
    const isRoot = Buffer.compare(subjectDer, issuerDer) === 0;
    return {
      label: isRoot ? "Racine" : der === timestamp ? "Horodatage" : "Autorité de signature",
      values: [
        `${subject.commonName}, jusqu’au ${longInstant(notAfter)}`,
        "Empreinte SHA-256 du certificat\u00a0:",
        mono(createHash("sha256").update(der).digest("hex")),
      ],
    };
  });
  return [
    { kind: "heading", level: 3, text: "Autorités" },
    { kind: "facts", rows },
    { kind: "paragraph", text: `Ces certificats sont publiés à l’adresse ${publicUrl}/pki/ca.pem, et joints à ce fichier.`, tone: "soft" },
  ];
}
