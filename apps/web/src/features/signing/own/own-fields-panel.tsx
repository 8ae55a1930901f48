import { Button } from "../../../ui/button/button.tsx";
import { SideHeading } from "../../../ui/editor-frame/side-heading.tsx";
import { TextField } from "../../../ui/field/text-field.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import styles from "./self-sign.module.css";
import { besideNothing, OWN_KINDS, type OwnField, type OwnFields } from "./use-own-fields.ts";
import type { PlacementDesk } from "./use-placement.ts";

const KINDS = ["date", "name", "text"] as const;

type OwnFieldsPanelProps = { readonly own: OwnFields; readonly desk: PlacementDesk };

/** What may stand beside the signature: put on the page by a press, written and taken away here, without a drag. */
export function OwnFieldsPanel({ own, desk }: OwnFieldsPanelProps) {
  const { pdf, placed } = desk;
  return (
    <section className={styles.block} aria-labelledby="autres-champs">
      <SideHeading id="autres-champs">Autres champs</SideHeading>
      <div className="row">
        {KINDS.map((type) => (
          <Button
            key={type}
            size="sm"
            aria-label={`Ajouter\u00a0: ${OWN_KINDS[type].label}`}
            disabled={pdf === null}
            onClick={() => own.add(type, placed ?? besideNothing(pdf?.pageCount ?? 1))}
          >
            <Icon name={OWN_KINDS[type].icon} size="sm" />
            {OWN_KINDS[type].label}
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
                aria-label={`Retirer\u00a0: ${OWN_KINDS[field.type].label}, page ${field.page}`}
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

function FieldWords({ field, own }: { readonly field: OwnField; readonly own: OwnFields }) {
  if (field.type === "text")
    return (
      <div className="grow">
        <TextField
          id={field.key}
          label={`Texte, page ${field.page}`}
          size="sm"
          maxLength={2_000}
          value={field.value}
          error={own.isTried && field.value.trim() === "" ? "Écrivez le texte, ou retirez ce champ." : undefined}
          onChange={(event) => own.write(field.key, event.target.value)}
        />
      </div>
    );
  return (
    <span className="grow">
      {OWN_KINDS[field.type].label}
      <span className="muted small">{field.type === "date" ? ", le jour de la signature" : ", le vôtre"}</span>
    </span>
  );
}
