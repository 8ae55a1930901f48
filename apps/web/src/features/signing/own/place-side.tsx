import { Button } from "../../../ui/button/button.tsx";
import { SideHeading } from "../../../ui/editor-frame/side-heading.tsx";
import { SelectField } from "../../../ui/field/select-field.tsx";
import { LinkAction } from "../../../ui/link/link-action.tsx";
import type { ChosenMark } from "../chosen-mark.ts";
import { MarkPicture } from "../mark-picture.tsx";
import styles from "./self-sign.module.css";
import { OwnFieldsPanel } from "./own-fields-panel.tsx";
import type { OwnFields } from "./use-own-fields.ts";
import type { PlacementDesk } from "./use-placement.ts";

type PlaceSideProps = {
  readonly mark: ChosenMark | null;
  readonly desk: PlacementDesk;
  readonly own: OwnFields;
  readonly onMake: () => void;
};

/** The mark, and where it goes: each without a drag. */
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
                {index + 1 === pdf.pageCount ? `Page ${index + 1} (la dernière)` : `Page ${index + 1}`}
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
      <p className="muted small">{"Au clavier\u00a0: flèches pour déplacer, Alt + flèches pour redimensionner, Suppr pour retirer."}</p>
    </>
  );
}
