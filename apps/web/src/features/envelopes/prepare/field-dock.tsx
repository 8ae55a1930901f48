import { Button } from "../../../ui/button/button.tsx";
import { BottomDock } from "../../../ui/editor-frame/bottom-dock.tsx";
import { type StepActions, StepButtons } from "./edit-bar.tsx";
import { fieldKind } from "./field-kinds.ts";
import { type FieldChoice, FieldHistoryButtons } from "./field-side.tsx";
import { RecipientSelect } from "./recipient-select.tsx";
import styles from "./fields-step.module.css";

/** The dock on a small screen: recipient, list, palette in a strip, then the step's own buttons. A tool in hand says what to do with it. */
export function FieldDock(props: FieldChoice & { readonly actions: StepActions }) {
  const { people, recipientKey, palette, editor, armed, onRecipient, onOpen, onPutDown, actions } =
    props;
  return (
    <BottomDock place="editor">
      {armed ? (
        <div className={styles.dockHead} data-placing="">
          <b className="grow truncate">{`Placez «\u00a0${fieldKind(armed).short}\u00a0» sur la page`}</b>
          <Button size="sm" onClick={onPutDown}>
            Annuler
          </Button>
        </div>
      ) : (
        <div className={styles.dockHead}>
          {people.length > 1 ? (
            <div className="grow">
              <RecipientSelect
                people={people}
                value={recipientKey}
                onChange={onRecipient}
                look="compact"
              />
            </div>
          ) : (
            <span className="grow truncate muted">{people[0]?.fullName}</span>
          )}
          <FieldHistoryButtons editor={editor} />
          {/* In short: the room is the name's. */}
          <Button variant="ghost" aria-label="Liste des champs" onClick={() => onOpen("list")}>
            Liste
          </Button>
        </div>
      )}
      {palette}
      <StepButtons actions={actions} />
    </BottomDock>
  );
}
