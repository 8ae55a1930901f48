import { formatCount } from "../../../lib/format-numbers.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { Checkbox } from "../../../ui/checkbox/checkbox.tsx";
import { SideHeading } from "../../../ui/editor-frame/side-heading.tsx";
import { SidePanel } from "../../../ui/editor-frame/side-panel.tsx";
import { SelectField } from "../../../ui/field/select-field.tsx";
import { TextField } from "../../../ui/field/text-field.tsx";
import { Flag } from "../../../ui/flag/flag.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { LinkAction } from "../../../ui/link/link-action.tsx";
import { MarkPicture } from "../mark-picture.tsx";
import { ArrowPad } from "./arrow-pad.tsx";
import type { ReadyFile } from "./batch-file.ts";
import styles from "./bulk.module.css";
import { pageFormat } from "./page-format.ts";
import { modelSize, type PageRule, placeFault, RULE_WORDS } from "./page-rule.ts";
import { COVERS_TEXT } from "./covers-text.ts";
import { PlacingLayouts } from "./placing-layouts.tsx";
import type { PositionProps } from "./position-props.ts";

type PlacingSideProps = PositionProps & {
  readonly shown: ReadyFile;
  readonly index: number;
  readonly isMatrix: boolean;
  /** The signature would lie over words of the file that is shown. */
  readonly isCovering: boolean;
  readonly onShow: (index: number) => void;
  readonly onMatrix: (isOpen: boolean) => void;
};

/** What is settled beside the page: the mark, the pages, the place without a pointer, and which file is looked at. */
export function PlacingSide(props: PlacingSideProps) {
  const { files, placing, mark, shown, isMatrix, ifFixable } = props;
  const { rule } = placing.placeOf(shown);
  const fault = placeFault(rule, shown.state.pageCount);
  const isOwn = placing.own.has(shown.key);
  return (
    <SidePanel edge="start" label="Réglages">
      <section className="stack stack--sm" aria-labelledby="lot-signature">
        <div className="row row--between">
          <SideHeading id="lot-signature">Signature</SideHeading>
          <LinkAction onClick={props.onMark}>{mark ? "Changer" : "Choisir"}</LinkAction>
        </div>
        <div className={styles["mark"]}>{mark ? <MarkPicture look={mark.look} /> : <span className="muted">Aucune signature</span>}</div>
      </section>
      <RuleFields rule={rule} onRule={(next) => placing.setRule(shown, next)} />
      <ArrowPad file={shown} placing={placing} />
      <PlacingLayouts file={shown} placing={placing} />
      <Alert tone="info">{`La position est reprise en pourcentage de la page, sur chacun des ${formatCount(files.length)} fichiers.`}</Alert>
      <OtherFile {...props} />
      {fault ? <Alert tone="danger" title={fault} /> : null}
      <Checkbox label="Position propre à ce fichier" checked={isOwn} onChange={() => placing.toggleOwn(shown)} />
      <Button onClick={() => props.onMatrix(!isMatrix)} aria-pressed={isMatrix}>
        <Icon name="layers" />
        Voir tous les résultats
      </Button>
      <Checkbox
        label="Signer la copie corrigée des fichiers qui doivent l’être, si elle a le même aspect"
        checked={ifFixable === "accept"}
        onChange={(event) => props.onFixable(event.target.checked ? "accept" : "refuse")}
      />
    </SidePanel>
  );
}

function RuleFields({ rule, onRule }: { readonly rule: PageRule; readonly onRule: (rule: PageRule) => void }) {
  const choose = (kind: string) => {
    if (kind === "number") onRule({ kind, number: 1 });
    else if (kind === "last" || kind === "first" || kind === "all") onRule({ kind });
  };
  return (
    <>
      <SelectField label="Pages à signer" size="sm" value={rule.kind} onChange={(event) => choose(event.target.value)}>
        {RULE_WORDS.map(([kind, words]) => (
          <option key={kind} value={kind}>
            {words}
          </option>
        ))}
      </SelectField>
      {rule.kind === "number" ? (
        <TextField
          label="Numéro de la page"
          size="sm"
          type="number"
          inputMode="numeric"
          min={1}
          max={2000}
          value={String(rule.number)}
          onChange={(event) => onRule({ kind: "number", number: Math.min(2000, Math.max(1, Math.round(Number(event.target.value)) || 1)) })}
        />
      ) : null}
    </>
  );
}

/** Steps through the files with the same place over each: the costliest mistake is seen before it is made. */
function OtherFile({ files, placing, shown, index, isCovering, onShow }: PlacingSideProps) {
  const model = files[0];
  const isOther =
    model !== undefined && pageFormat(modelSize(placing.placeOf(shown).rule, shown)) !== pageFormat(modelSize(placing.common.rule, model));
  return (
    <section className="stack stack--sm" aria-labelledby="lot-controle">
      <SideHeading id="lot-controle">Contrôler un autre fichier</SideHeading>
      <div className="row row--nw">
        <Button size="sm" square aria-label="Fichier précédent" disabled={index === 0} onClick={() => onShow(index - 1)}>
          <Icon name="chevron-left" />
        </Button>
        <span className="grow num" style={{ textAlign: "center" }} role="status">
          {`${formatCount(index + 1)} sur ${formatCount(files.length)}`}
          <span className="sr">{`, ${shown.file.name}`}</span>
        </span>
        <Button size="sm" square aria-label="Fichier suivant" disabled={index === files.length - 1} onClick={() => onShow(index + 1)}>
          <Icon name="chevron-right" />
        </Button>
      </div>
      <p className="muted small break">{shown.file.name}</p>
      {isOther ? <Flag words="Format différent du modèle" /> : null}
      <div role="status">{isCovering ? <Flag words={COVERS_TEXT} /> : null}</div>
    </section>
  );
}
