import type { Document, Envelope } from "@paraphe/contracts";
import { foldText } from "@paraphe/kernel/french-words";
import { isCalendarDay } from "@paraphe/kernel/paris-days";
import { useQuery } from "@tanstack/react-query";
import { useCallback, useLayoutEffect, useState } from "react";
import { classNames } from "../../../../lib/class-names.ts";
import { formatWeekday } from "../../../../lib/format/format-dates.ts";
import { plural } from "../../../../lib/format/format-numbers.ts";
import { useServiceRules } from "../../../../lib/api/service-rules.ts";
import { Alert } from "../../../../ui/alert/alert.tsx";
import { Avatar } from "../../../../ui/avatar/avatar.tsx";
import { Button } from "../../../../ui/button/button.tsx";
import { lazyDialog } from "../../../../ui/dialog/lazy-dialog.tsx";
import { Icon } from "../../../../ui/icon/icon.tsx";
import { KeyValue } from "../../../../ui/key-value/key-value.tsx";
import { LinkAction } from "../../../../ui/link/link-action.tsx";
import { PageHeading } from "../../../../ui/page-heading/page-heading.tsx";
import { useTeams } from "../../../accounts/use-session.ts";
import { circuitsQuery } from "../../../organisations/circuit-calls.ts";
import { isFixedBy } from "../../recipient-state.ts";
import type { RolePerson } from "../../templates/save-template-dialog.tsx";
import { endOfParisDay } from "../documents/deadline.ts";
import { remindersWords } from "../documents/reminder-select.tsx";
import type { DraftKeeper } from "../draft/draft-keeper.ts";
import { type Draft, type DraftRecipient, isBlankRecipient, signs } from "../draft/draft.ts";
import { coveredPlaces } from "../fields/field-warnings.ts";
import { OptionCard } from "../option-card.tsx";
import { PUBLIC_PAGE } from "./public-page-words.ts";
import { type Aim, type SendFinding, checkBeforeSending } from "./send-check.ts";
import { loadDocument } from "../load-document.ts";
import styles from "../send-step.module.css";
import steps from "../step.module.css";
import { FIX_WORDS, type PrepareStep } from "../steps.ts";

type ReadyListProps = {
  readonly draft: Draft;
  readonly documents: readonly Document[];
  readonly findings: readonly SendFinding[];
};

export function ReadyList({ draft, documents, findings }: ReadyListProps) {
  const stopped = new Set(
    findings.flatMap(({ kind, recipient }) => (kind === "blocking" && recipient) || []),
  );
  const people = draft.recipients.filter((row) => !isBlankRecipient(row) && !stopped.has(row.key));
  const isStopped = (step: SendFinding["step"]) =>
    findings.some((finding) => finding.kind === "blocking" && finding.step === step);
  const lines = [
    { step: "documents", text: plural(documents.length, "document prêt", "documents prêts") },
    {
      step: "recipients",
      text: plural(people.length, "destinataire complet", "destinataires complets"),
    },
    { step: "fields", text: plural(draft.fields.length, "champ placé", "champs placés") },
  ] as const;
  return (
    <ul className={styles.ready} aria-label="Ce qui est prêt">
      {lines
        .filter(({ step }) => !isStopped(step) && (step !== "recipients" || people.length > 0))
        .map((line) => (
          <li key={line.step}>
            <Icon name="check-circle" size="sm" />
            {line.text}
          </li>
        ))}
    </ul>
  );
}

const SaveTemplateDialog = lazyDialog(
  async () => (await import("../../templates/save-template-dialog.tsx")).SaveTemplateDialog,
);
const PreviewDialog = lazyDialog(async () => (await import("./preview-dialog.tsx")).PreviewDialog);

type SendStepProps = {
  readonly envelope: Envelope;
  readonly keeper: DraftKeeper;
  readonly draft: Draft;
  readonly documents: readonly Document[];
  readonly refused: readonly SendFinding[];
  readonly onChecked: (isBlocked: boolean) => void;
  readonly onEdit: (step: PrepareStep, aim?: Aim) => void;
};
const useLoading = (envelopeId: string) =>
  useCallback(
    (documentId: string, signal: AbortSignal) => loadDocument({ envelopeId, documentId }, signal),
    [envelopeId],
  );

export function SendStep({
  envelope,
  keeper,
  draft,
  documents,
  refused,
  onChecked,
  onEdit,
}: SendStepProps) {
  const [previewed, setPreviewed] = useState<string | null>(null);
  const load = useLoading(envelope.id);
  const [isSaving, setIsSaving] = useState(false);
  const recipients = draft.recipients.filter((row) => !isBlankRecipient(row));
  const findings = [...refused, ...useFindings(envelope, draft, documents)];
  const blocking = findings.filter((finding) => finding.kind === "blocking");
  const isBlocked = blocking.length > 0;
  // Before the paint, so that the button never offers what the list refuses.
  useLayoutEffect(() => {
    onChecked(isBlocked);
    return () => onChecked(true);
  }, [isBlocked, onChecked]);
  const warnings = findings.filter((finding) => finding.kind === "warning");
  return (
    <main className={`main main--form ${steps.step}`} id="contenu">
      <PageHeading title="Vérifier et envoyer" className={steps.heading ?? ""}>
        Vérifier et envoyer
      </PageHeading>
      <div className="stack">
        <StepTools
          isEmpty={recipients.length === 0}
          onPreview={() => setPreviewed(recipients[0]?.key ?? null)}
          onSave={() => setIsSaving(true)}
        />
        <HandOverAhead />
        <ReadyList draft={draft} documents={documents} findings={findings} />
        <Findings tone="danger" findings={blocking} onEdit={onEdit} />
        <Findings tone="warning" findings={warnings} onEdit={onEdit} />
        <EnvelopeCard {...{ draft, documents, envelope }} />
        <PeopleCard draft={draft} recipients={recipients} onEdit={() => onEdit("recipients")} />
        <ProofOnlyCard draft={draft} keeper={keeper} />
      </div>
      {previewed === null ? null : (
        <PreviewDialog
          {...{ draft, documents, load, senderName: envelope.created_by_name }}
          start={previewed}
          onClose={() => setPreviewed(null)}
        />
      )}
      {isSaving ? (
        <SaveTemplateDialog
          title={draft.title}
          people={recipients.map((one) => rolePersonOf(one, envelope.circuit))}
          team={draft.team}
          onReady={() => savedEnvelope(keeper)}
          onClose={() => setIsSaving(false)}
        />
      ) : null}
    </main>
  );
}

function rolePersonOf(row: DraftRecipient, circuit: Envelope["circuit"]): RolePerson {
  const { key, fullName, email, role, rank: order } = row;
  const isBrought = circuit !== undefined && isFixedBy(circuit, { role, order });
  return { key, name: fullName || email, role, isBrought };
}

type StepToolsProps = {
  readonly isEmpty: boolean;
  readonly onPreview: () => void;
  readonly onSave: () => void;
};

function StepTools({ isEmpty, onPreview, onSave }: StepToolsProps) {
  return (
    <div className={classNames("row", styles.tools)}>
      <Button onClick={onPreview} blocked={isEmpty}>
        <Icon name="eye" size="sm" />
        Aperçu
      </Button>
      <Button variant="ghost" onClick={onSave}>
        <Icon name="copy" size="sm" />
        Enregistrer comme modèle
      </Button>
    </div>
  );
}

function ProofOnlyCard({ draft, keeper }: Pick<SendStepProps, "draft" | "keeper">) {
  return (
    <OptionCard
      title={PUBLIC_PAGE.proofOnly.label}
      checked={draft.proofOnly}
      onChange={(proofOnly) => keeper.update("proofOnly", { proofOnly })}
    >
      {PUBLIC_PAGE.proofOnly.words} Désactivé&nbsp;: elle voit aussi le document.
    </OptionCard>
  );
}

/** The service sends no mail: the sender will notify people. */
function HandOverAhead() {
  const { mail } = useServiceRules();
  if (mail) return null;
  return (
    <Alert tone="info" title="Ce service n’envoie pas d’email">
      Vous préviendrez vous-même les personnes qu’aucun message n’atteint{"\u00a0"}: l’adresse où
      signer vous sera donnée ensuite. Elle s’ouvre depuis leur compte Paraphe, si leur email y est
      confirmé.
    </Alert>
  );
}

const FIXED = ", fixé par l’organisation";
type EnvelopeCardProps = Pick<SendStepProps, "draft" | "documents" | "envelope">;

function EnvelopeCard({ draft, documents, envelope }: EnvelopeCardProps) {
  const { document_kind: kind, circuit } = envelope;
  const { title, deadline, message } = draft;
  const team = useTeams().find(({ id }) => id === draft.team);
  const hasDeadline = deadline !== "" && isCalendarDay(deadline);
  const words = (
    <span key="message" className={styles.message}>
      {message}
    </span>
  );
  return (
    <div className="card">
      <div className="card__body">
        <KeyValue
          entries={[
            ["Titre", <b key="title">{title}</b>],
            ...(team === undefined ? [] : [["Équipe", team.name] as const]),
            ...(kind === undefined ? [] : [["Genre de document", kind] as const]),
            ...(circuit === undefined
              ? []
              : [["Circuit", circuit.name + (circuit.imposed ? FIXED : "")] as const]),
            ["Fichiers", <Lines key="files" lines={documents.map((document) => document.name)} />],
            ["Échéance", hasDeadline ? sentence(formatWeekday(endOfParisDay(deadline))) : "Aucune"],
            ["Rappel automatique", remindersWords(draft.remindEveryDays)],
            ...(message.trim() === "" ? [] : [["Message", words] as const]),
          ]}
        />
      </div>
    </div>
  );
}

type PeopleCardProps = Pick<SendStepProps, "draft"> & {
  readonly recipients: readonly DraftRecipient[];
  readonly onEdit: () => void;
};

function PeopleCard({ draft, recipients, onEdit }: PeopleCardProps) {
  return (
    <div className="card">
      <div className="card__head">
        <h2 className="h2 grow">{draft.isSequential ? "Dans cet ordre" : "Destinataires"}</h2>
        <LinkAction onClick={onEdit}>Modifier</LinkAction>
      </div>
      <ol className={`card__body ${styles.people}`}>
        {recipients.map((row, index) => (
          <li key={row.key} className={styles.person}>
            {draft.isSequential ? (
              <span className={styles.rank}>
                <span className="sr">Rang </span>
                {row.rank}
              </span>
            ) : null}
            <Avatar name={row.fullName} color={index + 1} />
            <span className="grow">
              <b className="break">{row.fullName}</b>
              <small className="break">{row.email}</small>
            </span>
            <span className="muted num nowrap">{roleWords(row, draft)}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}

function useCircuitFindings(
  { document_kind: kind, circuit }: Envelope,
  { recipients }: Draft,
): readonly SendFinding[] {
  const { data } = useQuery({ ...circuitsQuery, enabled: kind !== undefined });
  const imposed = data?.circuits.find(
    ({ use, kinds }) =>
      use === "imposed" && kinds.some((one) => foldText(one) === foldText(kind ?? "")),
  );
  const finding = (text: string) => [{ kind: "blocking", step: "recipients", text } as const];
  if (imposed === undefined) return [];
  if (circuit?.imposed && circuit.name === imposed.name) {
    const isHeld = (rank: number) =>
      recipients.some((row) => row.role === "signer" && row.rank === rank);
    return circuit.open.every(isHeld)
      ? []
      : finding(`Indiquez l’autre partie du circuit «\u00a0${circuit.name}\u00a0».`);
  }
  return finding(
    `Pour «\u00a0${kind}\u00a0», l’organisation fixe le circuit «\u00a0${imposed.name}\u00a0», qui n’est pas appliqué.`,
  );
}

function useFindings(
  envelope: Envelope,
  draft: Draft,
  documents: readonly Document[],
): readonly SendFinding[] {
  const covered = coveredPlaces(draft, documents, envelope.warnings);
  return [
    ...checkBeforeSending(draft, documents, new Date()),
    ...covered.map((place) => ({ step: "fields", ...place }) as const),
    ...useCircuitFindings(envelope, draft),
  ];
}

function roleWords(row: DraftRecipient, draft: Draft): string {
  if (!signs(row)) return row.role === "visa" ? "Visa" : "Copie";
  const fields = plural(
    draft.fields.filter((field) => field.recipientKey === row.key).length,
    "champ",
  );
  return row.role === "approver" ? `Approbateur, ${fields}` : fields;
}

async function savedEnvelope(keeper: DraftKeeper) {
  const isSaved = await keeper.flush();
  const { envelope, draft } = keeper.state();
  const recipients = draft.recipients
    .filter((row) => !isBlankRecipient(row))
    .flatMap((row) => (row.id === undefined ? [] : [row.id]));
  return isSaved && envelope ? { envelope: envelope.id, recipients } : null;
}

function Findings({
  tone,
  findings,
  onEdit,
}: {
  tone: "danger" | "warning";
  findings: readonly SendFinding[];
  onEdit: (step: PrepareStep, aim?: Aim) => void;
}) {
  if (findings.length === 0) return null;
  return (
    <Alert tone={tone} title={tone === "danger" ? "À corriger avant l’envoi" : "À vérifier"}>
      <ul className={styles.findings}>
        {findings.map((finding) => (
          <li key={finding.text}>
            {finding.text}{" "}
            <LinkAction onClick={() => onEdit(finding.step, finding)}>
              {FIX_WORDS[finding.step]}
            </LinkAction>
          </li>
        ))}
      </ul>
      {tone === "warning" ? <p>Vous pouvez envoyer quand même.</p> : null}
    </Alert>
  );
}

function Lines({ lines }: { lines: readonly string[] }) {
  return lines.map((line, index) => (
    <span key={index} className={styles.line}>
      {line}
    </span>
  ));
}

function sentence(text: string): string {
  return text.charAt(0).toLocaleUpperCase("fr") + text.slice(1);
}
