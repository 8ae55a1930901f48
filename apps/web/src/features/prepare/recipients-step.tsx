import { useRef, useState } from "react";
import { classNames } from "../../lib/class-names.ts";
import { Button } from "../../ui/button/button.tsx";
import { RequiredNote } from "../../ui/field/required-note.tsx";
import { TextArea } from "../../ui/field/text-area.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { PageHeading } from "../../ui/page-heading/page-heading.tsx";
import { Switch } from "../../ui/switch/switch.tsx";
import type { Draft } from "./draft.ts";
import type { DraftKeeper } from "./draft-keeper.ts";
import { PasteListDialog } from "./paste-list-dialog.tsx";
import { RecipientRow } from "./recipient-row.tsx";
import styles from "./recipients-step.module.css";
import steps from "./step.module.css";
import { useRankDrag } from "./use-rank-drag.ts";
import { useRecipientList } from "./use-recipient-list.ts";

type RecipientsStepProps = { readonly draft: Draft; readonly keeper: DraftKeeper; readonly showFaults: boolean };

/** Second step: who signs, in which order, with which message. */
export function RecipientsStep({ draft, keeper, showFaults }: RecipientsStepProps) {
  const list = useRef<HTMLOListElement>(null);
  const people = useRecipientList(draft, keeper);
  const { drag, grab } = useRankDrag(people.place);
  const [pasted, setPasted] = useState<string | null>(null);
  const { rows } = people;
  const add = () => {
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
        <div className={classNames("row", styles.more)}>
          <Button onClick={add}>
            <Icon name="plus" size="sm" />
            Ajouter un destinataire
          </Button>
          <Button variant="ghost" onClick={() => void people.addMe()}>
            <Icon name="user" size="sm" />
            M’ajouter comme signataire
          </Button>
          <Button variant="ghost" onClick={() => setPasted("")}>
            <Icon name="copy" size="sm" />
            Coller une liste
          </Button>
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
