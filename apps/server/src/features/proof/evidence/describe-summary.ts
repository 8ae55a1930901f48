import { plainText, quotationOf, STATUS_LABELS } from "@paraphe/contracts";
import type { Block, Line } from "../../../platform/pdf-document/document-model.ts";
import { FROM_ACCOUNT } from "./describe-people.ts";
import { longInstant } from "./domain/french-instant.ts";
import type { EvidenceFacts } from "./evidence-facts.ts";

type Notice = Extract<Block, { kind: "notice" }>;

/** What the file is about, and what looking at everything again gave: the first page. */
export function describeSummary(facts: EvidenceFacts): readonly Block[] {
  const { envelope, madeAt, publicUrl, organization, unsaid } = facts;
  const when = (label: string, at: Date | null, ...more: readonly Line[]) =>
    at === null ? [] : [{ label, values: [longInstant(at), ...more] }];
  return [
    { kind: "heading", level: 1, text: "Dossier de preuve" },
    { kind: "paragraph", text: { text: envelope.title, face: "title" }, tone: "accent" },
    { kind: "paragraph", text: "Les heures de ce dossier sont à l’heure de Paris.", tone: "soft" },
    ...stateNotices(facts),
    verdictNotice(facts),
    ...describeDifferences(facts),
    {
      kind: "facts",
      rows: [
        { label: "Enveloppe", values: [envelope.title, { text: envelope.id, face: "mono" }] },
        { label: "État", values: [STATUS_LABELS[envelope.status]] },
        { label: "Expéditeur", values: senderLines(facts) },
        ...when("Créée le", envelope.createdAt),
        ...when("Ouverte à la signature le", envelope.sentAt),
        ...when("Terminée le", envelope.completedAt),
        ...when("Échéance", envelope.deadlineAt, ...(unsaid.deadline ? [DEADLINE_FROM_TABLES] : [])),
        ...when("Annulée le", envelope.cancelledAt),
        { label: "Dossier établi le", values: [longInstant(madeAt)] },
        { label: "Par", values: [serviceOf(organization), publicUrl] },
      ],
    },
  ];
}

const DEADLINE_FROM_TABLES = "D’après la base du service\u00a0: l’historique ne la dit pas.";

/** Who made the file: the service, and who runs it where their names differ. */
export function serviceOf(organization: string): string {
  return organization === "Paraphe" ? "Service Paraphe" : `${organization}, service Paraphe`;
}

/** What was changed beside the journal, each as both have it. */
function describeDifferences({ differences }: EvidenceFacts): readonly Block[] {
  return differences.length === 0 ? [] : [{ kind: "list", items: differences.map(plainText) }];
}

function senderLines({ envelope, senderEmail, unsaid }: EvidenceFacts): readonly Line[] {
  return [envelope.createdByName, ...(senderEmail === null ? [] : [senderEmail, ...(unsaid.senderEmail ? [FROM_ACCOUNT] : [])])];
}

/** Where a journal stops being the one that was written. */
export function brokenSentence({ sequence, reason }: Extract<EvidenceFacts["chain"], { ok: false }>): string {
  return reason === "broken"
    ? `La chaîne des événements se rompt à l’événement n°\u00a0${sequence}.`
    : `L’événement n°\u00a0${sequence} n’est pas celui qui est inscrit au journal de transparence.`;
}

/** A journal that does not hold is told before anything that was found of the files. */
function verdictNotice({ chain, judgement, envelope, differences }: EvidenceFacts): Notice {
  if (!chain.ok) {
    return {
      kind: "notice",
      tone: "bad",
      title: "L’historique a été altéré",
      text: `${brokenSentence(chain)} Ce dossier ne peut pas servir de preuve en l’état\u00a0: prévenez l’organisation qui exploite ce service.`,
    };
  }
  if (differences.length > 0) {
    return {
      kind: "notice",
      tone: "bad",
      title: "Des données de cette enveloppe ont été modifiées hors de son historique",
      text: "L’historique est entier, et la base du service ne dit pas la même chose que lui. Ce dossier rapporte ce que dit l’historique, et ces différences\u00a0: prévenez l’organisation qui exploite ce service.",
    };
  }
  const moment =
    "Au moment où ce dossier a été établi, les fichiers conservés ont été relus et validés de nouveau, et la chaîne de l’historique recalculée.";
  const text = `${moment} ${judgement.reason}`;
  if (judgement.verdict === "valid") {
    const title = envelope.status === "completed" ? "Toutes les signatures sont valides" : "Les signatures apposées sont valides";
    return { kind: "notice", tone: "good", title, text };
  }
  if (judgement.verdict === "invalid") return { kind: "notice", tone: "bad", title: "Signature non valide", text };
  return { kind: "notice", tone: "caution", title: "Résultat indéterminé", text };
}

/** What keeps an envelope that is not completed from being an agreement of all. */
function stateNotices({ envelope, recipients, madeAt }: EvidenceFacts): readonly Notice[] {
  const caution = (title: string, text: string): readonly Notice[] => [{ kind: "notice", tone: "caution", title, text }];
  switch (envelope.status) {
    case "declined": {
      const who = recipients.find(({ status }) => status === "declined");
      const at = who?.declinedAt ? ` le ${longInstant(who.declinedAt)}` : "";
      const reason = who?.declineReason ? ` Motif donné\u00a0: ${quotationOf(who.declineReason.replace(/\.$/, ""))}.` : "";
      return caution(
        "Enveloppe refusée",
        `${who?.fullName ?? "Un destinataire"} a refusé de signer${at}.${reason} Aucune signature ne peut plus être recueillie.`,
      );
    }
    case "expired":
      return caution(
        "Enveloppe expirée",
        "L’échéance est passée avant que tous aient signé. Ce dossier rapporte ce qui a été demandé, et ce qui a été fait jusque-là.",
      );
    case "cancelled":
      return caution(
        "Enveloppe annulée",
        "L’expéditeur a annulé cette enveloppe. Ce dossier rapporte ce qui s’est passé jusque-là\u202f; l’enveloppe sera purgée.",
      );
    case "sent":
    case "pending":
      if (envelope.deadlineAt !== null && envelope.deadlineAt <= madeAt)
        return caution(
          "Échéance passée",
          "L’échéance est passée avant que tous aient signé\u00a0: plus personne ne peut signer, et l’enveloppe est en train d’être close. Un dossier établi ensuite remplacera celui-ci.",
        );
      return caution(
        "Dossier provisoire",
        "Des signatures sont encore attendues. Un dossier établi une fois l’enveloppe terminée remplacera celui-ci.",
      );
    default:
      return [];
  }
}
