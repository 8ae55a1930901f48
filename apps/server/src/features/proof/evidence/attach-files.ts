import { createHash } from "node:crypto";
import type { Attachment, Block, Line } from "../../../platform/pdf-document/document-model.ts";
import { parseCertificate } from "@paraphe/pades/parts";
import { frenchSize } from "./domain/french-size.ts";
import type { EvidenceFacts } from "./evidence-facts.ts";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

/** What a program reads of the evidence, and the signed files where they are small. */
export function attachFiles(facts: EvidenceFacts): readonly Attachment[] {
  return [
    json("preuve.json", proofSaid(facts), facts.publicProof.proof),
    json("evenements.json", "Les événements de l’historique, avec de quoi recalculer leur chaîne", eventsOf(facts)),
    json("empreintes.json", "Les empreintes des fichiers et leurs signatures", fingerprintsOf(facts)),
    json("messages.json", "Le registre des messages", facts.messages),
    ...(facts.inclusion === null
      ? []
      : [json("inclusion.json", "La preuve d’inclusion de l’historique dans le journal de transparence", facts.inclusion)]),
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
  const what = publicProof.verifyUrl === null ? "La preuve de l’enveloppe" : "La preuve du QR code le plus récent";
  return `${what}, signée (JWS) par le cachet du service${publicProof.proof.timestamp === null ? "" : ", et son horodatage"}`;
}

function json(name: string, description: string, value: unknown): Attachment {
  const bytes = new TextEncoder().encode(`${JSON.stringify(value, null, 2)}\n`);
  return { name, mediaType: "application/json", description, relationship: "Data", bytes };
}

/** `personal`: the values that have not been erased, with the salts of their commitments. Source: RFC 8785 (canonical form). */
function eventsOf({ envelope, events }: EvidenceFacts) {
  return {
    format: "paraphe-evenements-1",
    hash: "SHA-256(previous_hash ‖ RFC 8785({envelope_id, at, actor, action, detail}))",
    commitment: "detail.commitments[name] = SHA-256(salt ‖ RFC 8785(value))",
    envelope_id: envelope.id,
    events: events.map(({ sequence, at, actor, action, detail, personal, hash, previousHash }) => ({
      sequence,
      at: at.toISOString(),
      actor,
      action,
      detail,
      personal,
      previous_hash: previousHash === null ? null : hex(previousHash),
      hash: hex(hash),
    })),
  };
}

function fingerprintsOf({ envelope, validated }: EvidenceFacts) {
  return {
    format: "paraphe-empreintes-1",
    envelope_id: envelope.id,
    documents: validated.map(({ document, signatures, deposit }) => ({
      id: document.id,
      name: document.name,
      page_count: document.pageCount,
      size: document.current.sizeBytes,
      sha256: hex(document.current.sha256),
      original_sha256: deposit.original,
      uploaded_sha256: deposit.uploaded,
      signatures: signatures.map(({ report, recipient, certificate }) => ({
        recipient,
        certificate_serial: certificate.serialNumber,
        time: report.timestamp?.time.toISOString() ?? null,
        level: report.level,
        indication: report.indication,
      })),
    })),
  };
}

/** Each certificate once, under its name. Source: RFC 7468 §5. */
function certificatesOf({ validated, authorities }: EvidenceFacts): string {
  const all = [
    ...validated.flatMap(({ signatures }) => signatures.map(({ certificate }) => certificate.der)),
    ...authorities.issuers,
    ...(authorities.timestamp === null ? [] : [authorities.timestamp]),
  ];
  return [...new Map(all.map((der) => [hex(der), der])).values()].map(pemOf).join("");
}

function pemOf(der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `# ${parseCertificate(der).subject.commonName}\n-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

/** How to check all this without the service, and with which of the files attached. */
export function describeAttachments(facts: EvidenceFacts, attachments: readonly Attachment[]): readonly Block[] {
  return [
    { kind: "heading", level: 2, text: "11. Vérifier ce dossier, et les fichiers joints" },
    {
      kind: "list",
      items: [
        "Ce fichier porte le cachet électronique du service et un horodatage d’archivage (PAdES B-LTA)\u00a0: un lecteur de PDF dit s’il a été modifié. Le cachet se rattache à la racine dont l’empreinte est à la section\u00a06.",
        "L’empreinte d’un document signé se recalcule avec tout logiciel (sha256sum, par exemple) et se compare à celle de la section\u00a04.",
        "La chaîne de l’historique se recalcule à partir de evenements.json\u00a0: chaque empreinte est celle de la précédente suivie de l’événement en forme canonique (RFC\u00a08785).",
        ...(facts.inclusion === null
          ? []
          : [
              "La preuve d’inclusion se vérifie à partir de inclusion.json, contre un point de contrôle conservé ailleurs ou publié par le service.",
            ]),
        "preuve.json et les documents signés se vérifient ensemble sans le service\u00a0: par la page «\u00a0Vérifier une preuve sur votre appareil\u00a0», qui se garde en un fichier, ou par la commande «\u00a0verify\u00a0» de Paraphe.",
        "Une lettre que les polices de ce fichier n’ont pas y est écrite par son numéro Unicode entre crochets, comme [U+4E2D]\u202f; preuve.json a le texte d’origine.",
        ...(facts.publicProof.verifyUrl === null ? [] : [`La page publique de vérification est ${facts.publicProof.verifyUrl}`]),
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
        [frenchSize(bytes.length), ...halves(createHash("sha256").update(bytes).digest("hex"))],
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

/** A fingerprint on two lines of equal length: it is compared by eye. */
function halves(hash: string): readonly Line[] {
  return [hash.slice(0, 32), hash.slice(32)].map((text) => ({ text, face: "mono" }));
}
