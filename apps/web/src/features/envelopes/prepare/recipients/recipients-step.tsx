import { MAX_RECIPIENTS } from "@paraphe/contracts";
import { type RefObject, useCallback, useEffect, useId, useRef, useState } from "react";
import { classNames } from "../../../../lib/class-names.ts";
import { useServiceRules } from "../../../../lib/api/service-rules.ts";
import { Button } from "../../../../ui/button/button.tsx";
import { RequiredNote, TextArea } from "../../../../ui/field/field.tsx";
import { Icon } from "../../../../ui/icon/icon.tsx";
import { PageHeading } from "../../../../ui/page-heading/page-heading.tsx";
import { lazyPart } from "../../../../ui/lazy-step/lazy-step.tsx";
import type { DraftKeeper } from "../draft/draft-keeper.ts";
import {
  type Draft,
  type DraftRecipient,
  isBlankRecipient,
  isCrowded,
  isRight,
  unprintedIn,
} from "../draft/draft.ts";
import { OptionCard } from "../option-card.tsx";
import { PasteListDialog } from "./paste-list-dialog.tsx";
import { RecipientRows } from "./recipient-rows.tsx";
import styles from "../recipients-step.module.css";
import { type Refusals, refusalOf, refusalsOf, rowRefusals } from "../draft/refusals.ts";
import steps from "../step.module.css";
import { rowsOf, useRecipientList } from "./use-recipient-list.ts";

const LaterCircuit = lazyPart(
  async () => (await import("./circuit-picker.tsx")).CircuitPicker,
  null,
);

type RecipientsStepProps = {
  readonly draft: Draft;
  readonly keeper: DraftKeeper;
  readonly showFaults: boolean;
  /** The row named by the check list. */
  readonly aim?: string | null;
};

export function RecipientsStep({ draft, keeper, showFaults, aim = null }: RecipientsStepProps) {
  const list = useRef<HTMLOListElement>(null);
  useAim(list, aim);
  const people = useRecipientList(keeper);
  const [pasted, setPasted] = useState<string | null>(null);
  const rows = rowsOf(draft);
  const { status, envelope } = keeper.state();
  const refused = refusalsOf(status);
  const fixed = envelope?.circuit?.imposed === true;
  const add = useCallback(() => {
    if (people.rows().length >= MAX_RECIPIENTS) return;
    people.add();
    requestAnimationFrame(() =>
      list.current?.querySelector<HTMLInputElement>("li:last-child > div input")?.focus(),
    );
  }, [people]);
  return (
    <main className={`main main--form ${steps.step}`} id="contenu">
      <PageHeading title="Destinataires" className={steps.heading ?? ""}>
        Destinataires
      </PageHeading>
      <div className="stack stack--lg">
        <RequiredNote fields="most" />
        <LaterCircuit keeper={keeper} />
        {fixed ? null : <OrderCard draft={draft} keeper={keeper} />}
        <RecipientRows
          {...{ list, rows, keeper, people, refused, showFaults, add }}
          isOrdered={draft.isSequential && !fixed}
          imposed={fixed ? envelope : null}
          onPasteList={setPasted}
        />
        <UnsavedNote rows={rows} refused={refused} isAsked={showFaults} />
        {fixed ? null : (
          <AddButtons
            rows={rows}
            onAdd={add}
            onAddMe={() => void people.addMe()}
            onPaste={() => setPasted("")}
          />
        )}
        <MessageField {...{ draft, keeper, refused }} />
      </div>
      {pasted === null ? null : (
        <PasteListDialog
          start={pasted}
          known={rows}
          onAdd={(found) => {
            people.addPasted(found);
            setPasted(null);
          }}
          onClose={() => setPasted(null)}
        />
      )}
    </main>
  );
}

type DraftProps = Pick<RecipientsStepProps, "draft" | "keeper">;

function OrderCard({ draft, keeper }: DraftProps) {
  const { mail } = useServiceRules();
  return (
    <OptionCard
      title="Signature dans l’ordre"
      checked={draft.isSequential}
      onChange={(isSequential) => keeper.update("isSequential", { isSequential })}
    >
      {mail
        ? "Chacun reçoit son lien quand le précédent a signé."
        : "Chacun signe quand le précédent a signé."}
    </OptionCard>
  );
}

function MessageField({ draft, keeper, refused }: DraftProps & { readonly refused: Refusals }) {
  const { length } = draft.message;
  return (
    <TextArea
      label="Message aux destinataires"
      optional
      rows={4}
      maxLength={2000}
      value={draft.message}
      // A browser brings the caret alone into view (WCAG 2.4.11).
      onFocus={({ currentTarget }) => currentTarget.scrollIntoView({ block: "nearest" })}
      error={refusalOf(refused, "message")}
      onChange={(event) => keeper.update("message", { message: event.target.value })}
      help={length > 1800 ? `${length} caractères sur 2 000` : undefined}
    />
  );
}

type AddButtonsProps = {
  readonly rows: readonly DraftRecipient[];
  readonly onAdd: () => void;
  readonly onAddMe: () => void;
  readonly onPaste: () => void;
};

function AddButtons({ rows, onAdd, onAddMe, onPaste }: AddButtonsProps) {
  const mostNote = useId();
  const isFull = rows.length >= MAX_RECIPIENTS;
  const isCrowded = rows.filter((row) => !isBlankRecipient(row)).length >= MAX_RECIPIENTS;
  return (
    <div className={classNames("row", styles.more)}>
      <Button onClick={onAdd} blocked={isFull} aria-describedby={isFull ? mostNote : undefined}>
        <Icon name="plus" size="sm" />
        Ajouter un destinataire
      </Button>
      <Button variant="ghost" onClick={onAddMe} blocked={isCrowded}>
        <Icon name="user" size="sm" />
        M’ajouter comme signataire
      </Button>
      <Button variant="ghost" onClick={onPaste} blocked={isCrowded}>
        <Icon name="copy" size="sm" />
        Coller une liste
      </Button>
      {isFull ? (
        <span className="muted" id={mostNote}>{`${MAX_RECIPIENTS} destinataires au maximum.`}</span>
      ) : null}
    </div>
  );
}

const HOLDS_ALL = "Les destinataires ne sont pas enregistrés\u00a0: corrigez d’abord la ligne {n}.";
const HOLDS_ITSELF = "La ligne {n} n’est pas encore enregistrée\u00a0: corrigez-la.";
type UnsavedNoteProps = {
  readonly rows: readonly DraftRecipient[];
  readonly refused: Refusals;
  readonly isAsked: boolean;
};

/** Which row is not saved; a refused row blocks the whole list. */
function UnsavedNote({ rows, refused, isAsked }: UnsavedNoteProps) {
  const isRefused = (row: DraftRecipient) =>
    Object.keys(rowRefusals(refused, row, rows)).length > 0;
  const isWrong = (row: DraftRecipient) =>
    !isBlankRecipient(row) &&
    (unprintedIn(row) !== null || (isAsked && !isRight(row, rows)) || isRefused(row));
  const wrong = rows.find(isWrong);
  const ofAll = refused["recipients"]?.[0] ?? refused["flow"]?.[0];
  const line = wrong === undefined ? 0 : rows.indexOf(wrong) + 1;
  const ofRow = isCrowded(rows) || rows.some(isRefused) ? HOLDS_ALL : HOLDS_ITSELF;
  const sentence = wrong === undefined ? ofAll : ofRow.replace("{n}", String(line));
  return (
    <p
      className={sentence === undefined ? "sr" : steps.error}
      role="status"
      tabIndex={-1}
      data-fault={ofAll === undefined ? undefined : true}
    >
      {sentence === undefined ? null : (
        <>
          <Icon name="alert" size="sm" />
          {sentence}
        </>
      )}
    </p>
  );
}

function useAim(list: RefObject<HTMLOListElement | null>, aim: string | null): void {
  const [taken] = useState(aim);
  useEffect(() => {
    if (taken === null) return undefined;
    const row = [...(list.current?.children ?? [])].find(
      (item) => item.getAttribute("data-recipient") === taken,
    );
    // A page that opens focuses its heading first.
    const frame = requestAnimationFrame(() =>
      (row?.querySelector<HTMLElement>("[aria-invalid]") ?? row?.querySelector("input"))?.focus(),
    );
    return () => cancelAnimationFrame(frame);
  }, [list, taken]);
}
