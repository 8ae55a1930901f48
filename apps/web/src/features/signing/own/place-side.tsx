import { FIELD_KINDS } from "@paraphe/contracts";
import { Button } from "../../../ui/button/button.tsx";
import { SideHeading } from "../../../ui/editor-frame/editor-frame.tsx";
import { SelectField, TextField } from "../../../ui/field/field.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { LinkAction } from "../../../ui/link/link-action.tsx";
import type { ChosenMark } from "../marks/chosen-mark.ts";
import { MarkPicture } from "../marks/mark-picture.tsx";
import { besideNothing, OWN_TYPES, type OwnField, type OwnFields } from "./use-own-fields.ts";
import type { PlacementDesk } from "./use-placement.ts";
import styles from "./self-sign.module.css";

type OwnFieldsPanelProps = { readonly own: OwnFields; readonly desk: PlacementDesk };

export function OwnFieldsPanel({ own, desk }: OwnFieldsPanelProps) {
  const { pdf, placed } = desk;
  return (
    <section className={styles.block} aria-labelledby="autres-champs">
      <SideHeading id="autres-champs">Autres champs</SideHeading>
      <div className="row">
        {OWN_TYPES.map((type) => (
          <Button
            key={type}
            size="sm"
            aria-label={`Ajouter\u00a0: ${FIELD_KINDS[type].short}`}
            disabled={pdf === null}
            onClick={() => focusOwn(own.add(type, placed ?? besideNothing(pdf?.pageCount ?? 1)))}
          >
            <Icon name={FIELD_KINDS[type].icon} size="sm" />
            {FIELD_KINDS[type].short}
          </Button>
        ))}
      </div>
      {own.fields.length > 0 ? (
        <ul className="stack stack--sm" aria-label="Champs posés">
          {own.fields.map((field) => (
            <li key={field.key} className="row row--nw">
              <FieldWords field={field} own={own} />
              <Button
                variant="ghost"
                size="sm"
                square
                aria-label={`Retirer\u00a0: ${FIELD_KINDS[field.type].short}, page ${field.page}`}
                onClick={() => own.remove(field.key)}
              >
                <Icon name="trash" />
              </Button>
            </li>
          ))}
        </ul>
      ) : null}
    </section>
  );
}

/** Focuses the field, so that typing goes into it rather than its button. */
export function focusOwn(key: string): void {
  requestAnimationFrame(() => document.getElementById(key)?.focus());
}

function FieldWords({ field, own }: { readonly field: OwnField; readonly own: OwnFields }) {
  const kind = FIELD_KINDS[field.type];
  if (kind.filling === "written")
    return (
      <div className="grow">
        <TextField
          id={field.key}
          label={`${kind.short}, page ${field.page}`}
          size="sm"
          maxLength={2_000}
          value={field.value}
          error={
            own.isTried && field.value.trim() === ""
              ? "Écrivez le texte, ou retirez ce champ."
              : undefined
          }
          onChange={(event) => own.write(field.key, event.target.value)}
        />
      </div>
    );
  return (
    <span className="grow" id={field.key} tabIndex={-1}>
      {kind.short}
      <span className="muted small">{`, ${kind.source}`}</span>
    </span>
  );
}

type PlaceSideProps = {
  readonly mark: ChosenMark | null;
  readonly desk: PlacementDesk;
  readonly own: OwnFields;
  readonly onMake: () => void;
};

export function PlaceSide({ mark, desk, own, onMake }: PlaceSideProps) {
  const { placed, pdf } = desk;
  return (
    <>
      <div className={styles.block}>
        <div className={styles.blockHead}>
          <SideHeading>Signature</SideHeading>
          {mark ? <LinkAction onClick={onMake}>Changer</LinkAction> : null}
        </div>
        {mark ? (
          <div className={styles.mark}>
            <MarkPicture look={mark.look} />
          </div>
        ) : (
          <Button block onClick={onMake}>
            Créer ma signature
          </Button>
        )}
      </div>
      <div className={styles.block}>
        <SideHeading>Emplacement</SideHeading>
        {placed && pdf && pdf.pageCount > 1 ? (
          <SelectField
            label="Page"
            size="sm"
            value={String(placed.page)}
            onChange={(event) => desk.put({ ...placed, page: Number(event.target.value) })}
          >
            {Array.from({ length: pdf.pageCount }, (_, index) => (
              <option key={index} value={index + 1}>
                {index + 1 === pdf.pageCount
                  ? `Page ${index + 1} (la dernière)`
                  : `Page ${index + 1}`}
              </option>
            ))}
          </SelectField>
        ) : null}
        {pdf ? (
          <Button size="sm" onClick={() => void desk.propose()}>
            {placed ? "Remettre sur un espace libre" : "Poser sur un espace libre"}
          </Button>
        ) : null}
      </div>
      <OwnFieldsPanel own={own} desk={desk} />
      <p className="muted small">
        {
          "Au clavier\u00a0: flèches pour déplacer, Alt + flèches pour redimensionner, Suppr pour retirer."
        }
      </p>
    </>
  );
}
