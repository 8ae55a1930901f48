import { type Envelope, onBehalfOf, type Recipient } from "@paraphe/contracts";
import { type ReactNode, useState } from "react";
import {
  formatDeadlineDistance,
  formatInstant,
  formatLongDay,
} from "../../../lib/format/format-dates.ts";
import { formatFileSize, plural } from "../../../lib/format/format-numbers.ts";
import { useServiceRules } from "../../../lib/api/service-rules.ts";
import { CopyField } from "../../../ui/copy-field/copy-field.tsx";
import { lazyDialog } from "../../../ui/dialog/lazy-dialog.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { KeyValue } from "../../../ui/key-value/key-value.tsx";
import { OPEN_STATUSES } from "../envelope-calls.ts";
import { isUnsent } from "../recipient-state.ts";
import { NO_REMINDERS } from "../reached-words.ts";
import styles from "./facts-card.module.css";

export function RemindersFact({
  reminders,
}: {
  readonly reminders: NonNullable<Envelope["reminders"]>;
}) {
  const { mail } = useServiceRules();
  if (reminders.every_days === null) return <>Aucun</>;
  return (
    <>
      {reminders.every_days === 1
        ? "Tous les jours ouvrés"
        : `Tous les ${reminders.every_days} jours, les jours ouvrés`}
      {!mail && (
        <>
          <br />
          <span className="muted">{NO_REMINDERS}</span>
        </>
      )}
      {reminders.next_at !== null && (
        <>
          <br />
          <span className="muted">Prochain rappel le {formatInstant(reminders.next_at)}</span>
        </>
      )}
    </>
  );
}

export function FactsCard({ envelope }: { readonly envelope: Envelope }) {
  const pages = envelope.documents.reduce((sum, document) => sum + document.page_count, 0);
  const size = envelope.documents.reduce((sum, document) => sum + document.size, 0);
  const entries: (readonly [string, ReactNode])[] = [
    ["Échéance", <Deadline key="echeance" envelope={envelope} />],
    ...(envelope.reminders && envelope.status !== "completed"
      ? [["Rappels", <RemindersFact key="reminders" reminders={envelope.reminders} />] as const]
      : []),
    ...(envelope.proof_only === undefined
      ? []
      : [
          [
            "Page publique",
            envelope.proof_only ? "Document non montré" : "Document visible",
          ] as const,
        ]),
    [
      "Fichiers",
      `${envelope.documents.length} PDF, ${plural(pages, "page")}, ${formatFileSize(size)}`,
    ],
    ["Créée le", formatInstant(envelope.created_at)],
    [
      "Par",
      envelope.team === undefined
        ? envelope.created_by_name
        : `${envelope.created_by_name}, ${onBehalfOf(envelope.team.name)}`,
    ],
  ];
  if (envelope.completed_at !== null)
    entries.push(["Complétée le", formatInstant(envelope.completed_at)]);
  if (envelope.cancelled_at !== null)
    entries.push(["Annulée le", formatInstant(envelope.cancelled_at)]);
  if (envelope.level === "B-LT" || envelope.level === "B-LTA")
    entries.push(["Conservation longue durée", "Oui"]);
  if (envelope.message) entries.push(["Message", envelope.message]);
  return (
    <section className="card card__body stack" aria-labelledby="enveloppe">
      <h2 className="h2" id="enveloppe">
        Enveloppe
      </h2>
      <KeyValue entries={entries} />
      <CopyField label="Identifiant" value={envelope.id} />
      <DeliveryList envelope={envelope} />
    </section>
  );
}

function Deadline({ envelope }: { readonly envelope: Envelope }) {
  if (envelope.deadline_at === null) return <>Sans échéance</>;
  return (
    <>
      {formatLongDay(envelope.deadline_at)}
      {OPEN_STATUSES.has(envelope.status) && (
        <>
          <br />
          <span className="muted">{formatDeadlineDistance(envelope.deadline_at, new Date())}</span>
        </>
      )}
    </>
  );
}

const DeliverySheet = lazyDialog(async () => (await import("./delivery-sheet.tsx")).DeliverySheet);
const CorrectDialog = lazyDialog(async () => (await import("./correct-dialog.tsx")).CorrectDialog);

type Open = "sheet" | { readonly correct: Recipient } | undefined;

/** A sheet, because messages on the page would push the document out of sight. */
function DeliveryList({ envelope }: { readonly envelope: Envelope }) {
  const [open, setOpen] = useState<Open>();
  const { recipients, former_deliveries: former = [] } = envelope;
  const sent = [...recipients, { deliveries: former }].flatMap(
    ({ deliveries = [], delegate_deliveries = [] }: Partial<Recipient>) => [
      ...deliveries,
      ...delegate_deliveries,
    ],
  );
  if (sent.length === 0) return null;
  const title = sent.every(isUnsent) ? "Messages" : "Messages envoyés";
  const close = () => setOpen(undefined);
  return (
    <>
      <button
        type="button"
        className={`off-paper ${styles["open"] ?? ""}`}
        aria-haspopup="dialog"
        onClick={() => setOpen("sheet")}
      >
        <Icon name="mail" size="sm" />
        <b>{title}</b>
        <span className="num">{sent.length}</span>
        <Icon name="chevron-right" size="sm" />
      </button>
      {open === "sheet" && (
        <DeliverySheet
          {...{ envelope, title }}
          onCorrect={(correct) => setOpen({ correct })}
          onClose={close}
        />
      )}
      {typeof open === "object" && (
        <CorrectDialog envelopeId={envelope.id} recipient={open.correct} onClose={close} />
      )}
    </>
  );
}
