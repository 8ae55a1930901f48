import { MAX_RECIPIENTS } from "@paraphe/contracts";
import { type RefObject, useEffect, useId, useRef, useState } from "react";
import { classNames } from "../../lib/class-names.ts";
import { Button } from "../../ui/button/button.tsx";
import { RequiredNote } from "../../ui/field/required-note.tsx";
import { TextArea } from "../../ui/field/text-area.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { PageHeading } from "../../ui/page-heading/page-heading.tsx";
import { Switch } from "../../ui/switch/switch.tsx";
import { type Draft, type DraftRecipient, isBlankRecipient, recipientErrors, unprintedIn } from "./draft.ts";
import type { DraftKeeper } from "./draft-keeper.ts";
import { PasteListDialog } from "./paste-list-dialog.tsx";
import { RecipientRow } from "./recipient-row.tsx";
import styles from "./recipients-step.module.css";
import { refusalsOf, rowRefusals } from "./refusals.ts";
import steps from "./step.module.css";
import { useRankDrag } from "./use-rank-drag.ts";
import { useRecipientList } from "./use-recipient-list.ts";

type RecipientsStepProps = {
  readonly draft: Draft;
  readonly keeper: DraftKeeper;
  readonly showFaults: boolean;
  /** The row to begin at: the check list led here for it. */
  readonly aim?: string | null;
};

/** Second step: who signs, in which order, with which message. */
export function RecipientsStep({ draft, keeper, showFaults, aim = null }: RecipientsStepProps) {
  const list = useRef<HTMLOListElement>(null);
  useAim(list, aim);
  const people = useRecipientList(draft, keeper);
  const { drag, grab } = useRankDrag(people.place);
  const [pasted, setPasted] = useState<string | null>(null);
  const { rows } = people;
  const refused = refusalsOf(keeper.state().status);
  const mostNote = useId();
  const isFull = rows.length >= MAX_RECIPIENTS;
  const isCrowded = rows.filter((row) => !isBlankRecipient(row)).length >= MAX_RECIPIENTS;
  const add = () => {
    if (isFull) return;
    people.add();
    requestAnimationFrame(() => list.current?.querySelector<HTMLInputElement>("li:last-child > div input")?.focus());
  };
  return (
    <main className={`main main--form ${steps.step}`} id="contenu">
      <PageHeading title="Destinataires" className={steps.heading ?? ""}>
        Destinataires
      </PageHeading>
      <div className="stack stack--lg">
        <RequiredNote fields="most" />
        <div className={classNames("card card__body", styles.order)}>
          <div>
            <b id="ordre">Signature dans l’ordre</b>
            <p className="muted small">Chacun reçoit son lien quand le précédent a signé.</p>
          </div>
          <Switch
            aria-labelledby="ordre"
            checked={draft.isSequential}
            onChange={(event) => keeper.update("isSequential", { isSequential: event.target.checked })}
          />
        </div>
        <ol className={styles.rows} ref={list}>
          {rows.map((row, index) => (
            <RecipientRow
              key={row.key}
              row={row}
              index={index}
              rows={rows}
              isOrdered={draft.isSequential}
              showFaults={showFaults}
              refused={rowRefusals(refused, row, rows)}
              landing={drag?.place?.key === row.key ? drag.place.where : null}
              isDragged={drag?.key === row.key}
              onChange={(part) => people.change(row.key, part)}
              onMove={(direction) => people.move(row.key, direction)}
              onTogether={() => people.together(row.key)}
              onGrab={grab(row.key)}
              onRemove={() => people.remove(row.key)}
              onEnter={index === rows.length - 1 ? add : null}
              onPasteList={setPasted}
              onLeave={() => void keeper.flush()}
            />
          ))}
        </ol>
        <UnsavedNote rows={rows} isAsked={showFaults} />
        <div className={classNames("row", styles.more)}>
          <Button onClick={add} blocked={isFull} aria-describedby={isFull ? mostNote : undefined}>
            <Icon name="plus" size="sm" />
            Ajouter un destinataire
          </Button>
          <Button variant="ghost" onClick={() => void people.addMe()} blocked={isCrowded}>
            <Icon name="user" size="sm" />
            M’ajouter comme signataire
          </Button>
          <Button variant="ghost" onClick={() => setPasted("")} blocked={isCrowded}>
            <Icon name="copy" size="sm" />
            Coller une liste
          </Button>
          {isFull ? <span className="muted" id={mostNote}>{`${MAX_RECIPIENTS} destinataires au maximum.`}</span> : null}
        </div>
        <TextArea
          label="Message aux destinataires"
          optional
          rows={4}
          maxLength={2000}
          value={draft.message}
          onChange={(event) => keeper.update("message", { message: event.target.value })}
          help={draft.message.length > 1800 ? `${draft.message.length} caractères sur 2 000` : undefined}
        />
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

/** The list is saved whole or not at all: says which row holds it back. */
function UnsavedNote({ rows, isAsked }: { readonly rows: readonly DraftRecipient[]; readonly isAsked: boolean }) {
  const isWrong = (row: DraftRecipient) =>
    !isBlankRecipient(row) && (unprintedIn(row) !== null || (isAsked && Object.keys(recipientErrors(row, rows)).length > 0));
  const wrong = rows.findIndex(isWrong);
  return (
    <p className={wrong < 0 ? "sr" : steps.error} role="status">
      {wrong < 0 ? null : (
        <>
          <Icon name="alert" size="sm" />
          {`Les destinataires ne sont pas enregistrés\u00a0: corrigez d’abord la ligne ${wrong + 1}.`}
        </>
      )}
    </p>
  );
}

/** Begins at what is wrong with a row. */
function useAim(list: RefObject<HTMLOListElement | null>, aim: string | null): void {
  const [taken] = useState(aim);
  useEffect(() => {
    if (taken === null) return undefined;
    const row = [...(list.current?.children ?? [])].find((item) => item.getAttribute("data-recipient") === taken);
    // The page that opens gives the focus to its heading first.
    const frame = requestAnimationFrame(() => (row?.querySelector<HTMLElement>("[aria-invalid]") ?? row?.querySelector("input"))?.focus());
    return () => cancelAnimationFrame(frame);
  }, [list, taken]);
}
