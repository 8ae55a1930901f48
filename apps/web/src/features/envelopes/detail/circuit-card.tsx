import type { Envelope, Recipient } from "@paraphe/contracts";
import { businessDays } from "@paraphe/contracts/circuit";
import { parisDay } from "@paraphe/kernel/paris-days";
import { andList, asSubject } from "@paraphe/kernel/french-words";
import { formatLongDay, formatShortInstant } from "../../../lib/format/format-dates.ts";
import { Icon } from "../../../ui/icon/icon.tsx";
import styles from "../../organisations/circuits.module.css";
import { OPEN_STATUSES } from "../envelope-calls.ts";
import { isAwaited, recipientState } from "../recipient-state.ts";
import { RecipientActions } from "./signers-card.tsx";

const KINDS = { signer: "Signature", approver: "Approbation", visa: "Visa", viewer: "Copie" };

type Step = { readonly order: number; readonly people: readonly Recipient[] };

export function CircuitCard({ envelope }: { readonly envelope: Envelope }) {
  const steps = stepsOf(envelope);
  const current = steps.findIndex(({ people }) => people.some(isAwaited));
  const place =
    current === -1 || !OPEN_STATUSES.has(envelope.status)
      ? ""
      : `Étape ${current + 1} sur ${steps.length}`;
  const { circuit, returned } = envelope;
  return (
    <section className="card" aria-labelledby="circuit">
      <div className="card__head">
        <div className="grow">
          <h2 className="h2" id="circuit">
            {circuit === undefined ? "Étapes" : `Circuit «\u00a0${circuit.name}\u00a0»`}
          </h2>
          {returned ? <p className="muted small">Revenu à la préparation</p> : null}
          {place === "" ? null : <p className="muted small">{place}</p>}
        </div>
        {circuit?.imposed ? <span className="ink2 small">Fixé par l’organisation</span> : null}
      </div>
      <div className="card__body stack">
        <Returned envelope={envelope} />
        <ol className={styles["circuit"]}>
          <Preparation envelope={envelope} />
          {steps.map((step, index) => (
            <StepItem
              key={step.order}
              {...{ envelope, step, index }}
              isCurrent={place !== "" && index === current}
            />
          ))}
        </ol>
      </div>
    </section>
  );
}

function Returned({ envelope }: { readonly envelope: Envelope }) {
  const { returned: back, is_owner: isOwner } = envelope;
  if (!back || back.at === null) return null;
  return (
    <div className="stack stack--sm">
      <p>
        <b>{asSubject(back.by ?? "Un destinataire")}</b> {isOwner ? "vous renvoie" : "a renvoyé"} ce
        document, le {formatShortInstant(back.at)}.
      </p>
      {back.reason === null ? null : (
        <blockquote className={styles["quote"]}>«&nbsp;{back.reason}&nbsp;»</blockquote>
      )}
    </div>
  );
}

/** Comes before the numbered steps. */
function Preparation({ envelope }: { readonly envelope: Envelope }) {
  const { returned, resent_by: resent, status, created_by_name: name } = envelope;
  const isOpen = returned || status === "draft";
  return (
    <li
      className={styles["step"]}
      data-state={isOpen ? "now" : "done"}
      aria-current={isOpen ? "step" : undefined}
    >
      <span className={styles["number"]} aria-hidden="true">
        <Icon name={isOpen ? "edit" : "check"} size="sm" />
      </span>
      <div className={styles["body"]}>
        <div className={styles["person"]}>
          <span className={styles["kind"]}>Préparation</span>
          <b>{returned?.corrected_by ?? resent ?? name}</b>
          <span className={styles["end"]}>
            {returned ? "À corriger" : isOpen ? "En préparation" : "Préparée"}
          </span>
        </div>
      </div>
    </li>
  );
}

function stepsOf({ recipients }: Envelope): readonly Step[] {
  const orders = [...new Set(recipients.map(({ order }) => order))].sort((a, b) => a - b);
  return orders.map((order) => ({
    order,
    people: recipients.filter((recipient) => recipient.order === order),
  }));
}

type StepProps = {
  readonly envelope: Envelope;
  readonly step: Step;
  readonly index: number;
  readonly isCurrent: boolean;
};

function StepItem({ envelope, step, index, isCurrent }: StepProps) {
  const isDone =
    envelope.status === "completed" ||
    step.people.every(({ signed, approved_at }) => signed || approved_at !== null);
  return (
    <li
      className={styles["step"]}
      data-state={isDone ? "done" : isCurrent ? "now" : "todo"}
      aria-current={isCurrent ? "step" : undefined}
    >
      <span className={styles["number"]} aria-hidden="true">
        {isDone ? <Icon name="check" size="sm" /> : index + 1}
      </span>
      <div className={styles["body"]}>
        {step.people.map((person) => (
          <Person key={person.id} {...{ envelope, person }} />
        ))}
      </div>
    </li>
  );
}

/** « Sous 2 jours ouvrés », then the last day, then that it is late. */
function limitOf({ due }: Recipient, { status }: Envelope): readonly string[] {
  if (due === undefined) return [];
  if (due.day === null || !OPEN_STATUSES.has(status)) return [`Sous ${businessDays(due.days)}`];
  const day = formatLongDay(due.day);
  return [
    due.day < parisDay(new Date()) ? `En retard, attendu le ${day}` : `Au plus tard le ${day}`,
  ];
}

/** Names who had the step before, and says whether the document was sent back. */
function changesOf(
  { given_by: from, sent_back: back }: Recipient,
  { returned }: Envelope,
): readonly string[] {
  const by = back?.delegate_name ? ` par ${back.delegate_name}, par délégation` : "";
  // Quoted above the steps.
  const why = back?.reason && !returned ? `\u00a0: «\u00a0${back.reason}\u00a0»` : "";
  return [
    ...(from === undefined ? [] : [`Étape confiée par ${from}`]),
    ...(back ? [`Renvoyé à ${andList(back.to)} le ${formatShortInstant(back.at)}${by}${why}`] : []),
  ];
}

function Person({ envelope, person }: { readonly envelope: Envelope; readonly person: Recipient }) {
  const { label, notes = [] } = recipientState(person, envelope);
  return (
    <div>
      <div className={styles["person"]}>
        <span className={styles["kind"]} data-kind={person.role === "visa" ? "visa" : "signature"}>
          {KINDS[person.role]}
        </span>
        <b>{person.full_name}</b>
        <span className={styles["end"]}>{label}</span>
        <RecipientActions
          envelope={envelope}
          recipient={person}
          failed={false}
          onAct={() => undefined}
        />
      </div>
      <p className="muted small num">
        {[person.email, ...notes, ...changesOf(person, envelope), ...limitOf(person, envelope)]
          .filter((note) => note !== "")
          .join(" · ")}
      </p>
    </div>
  );
}
