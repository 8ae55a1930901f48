import type { Layout, LayoutField } from "@paraphe/contracts";
import { useState } from "react";
import { announce } from "../../../lib/browser/announce.ts";
import { formatCount } from "../../../lib/format/format-numbers.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { Checkbox } from "../../../ui/checkbox/checkbox.tsx";
import { lazyDialog } from "../../../ui/dialog/lazy-dialog.tsx";
import { SideHeading, SidePanel } from "../../../ui/editor-frame/editor-frame.tsx";
import { SelectField, TextField } from "../../../ui/field/field.tsx";
import { Flag } from "../../../ui/flag/flag.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { LinkAction } from "../../../ui/link/link-action.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import type { ChosenMark } from "../marks/chosen-mark.ts";
import { MarkPicture } from "../marks/mark-picture.tsx";
import {
  COVERS_TEXT,
  type PageRule,
  type Place,
  RULE_WORDS,
  type ReadyFile,
  modelSize,
  pageFormat,
  placeFault,
} from "./batch-file.ts";
import styles from "./bulk.module.css";
import { PRESETS, type Placing, nearestPreset, presetBox } from "./placing.ts";

/** A layout names pages, so a rule becomes page numbers. */
export function layoutOfPlace({ rule, box }: Place): readonly LayoutField[] {
  const page = rule.kind === "number" ? rule.number : rule.kind === "first" ? 1 : -1;
  const { x, y, width, height } = box;
  return [
    {
      document_rank: 0,
      person_rank: 0,
      type: "signature",
      page,
      x,
      y,
      width,
      height,
      required: true,
      label: null,
      value: null,
    },
  ];
}

export function placeOfLayout({ fields }: Pick<Layout, "fields">): Place | null {
  const [first] = fields
    .filter(({ type }) => type === "signature")
    .sort((a, b) => a.person_rank - b.person_rank || a.document_rank - b.document_rank);
  if (first === undefined) return null;
  const { page, x, y, width, height } = first;
  const rule =
    page === -1
      ? ({ kind: "last" } as const)
      : page === 1
        ? ({ kind: "first" } as const)
        : ({ kind: "number", number: page } as const);
  return { rule, box: { x, y, width, height } };
}

const ApplyLayoutDialog = lazyDialog(
  async () => (await import("../../envelopes/prepare/fields/layout-dialogs.tsx")).ApplyLayoutDialog,
);
const SaveLayoutDialog = lazyDialog(
  async () => (await import("../../envelopes/prepare/fields/layout-dialogs.tsx")).SaveLayoutDialog,
);

/** The same layouts as in preparing an envelope. */
export function PlacingLayouts({
  file,
  placing,
}: {
  readonly file: ReadyFile;
  readonly placing: Placing;
}) {
  const [open, setOpen] = useState<"apply" | "save" | null>(null);
  const close = () => setOpen(null);
  const apply = (layout: Layout) => {
    const place = placeOfLayout(layout);
    if (place === null) {
      showToast("err", "Cette disposition ne place aucune signature.");
      return;
    }
    placing.setPlace(file, place);
    announce(`${layout.name}\u00a0: position appliquée`);
    close();
  };
  return (
    <div className="stack stack--sm">
      <Button size="sm" onClick={() => setOpen("apply")}>
        Appliquer une disposition
      </Button>
      <Button size="sm" onClick={() => setOpen("save")}>
        Enregistrer cette disposition
      </Button>
      {open === "apply" ? <ApplyLayoutDialog onApply={apply} onClose={close} /> : null}
      {open === "save" ? (
        <SaveLayoutDialog fields={layoutOfPlace(placing.placeOf(file))} onClose={close} />
      ) : null}
    </div>
  );
}

const ARROWS = [
  ["chevron-left", "vers la gauche", { dx: -1, dy: 0 }],
  ["chevron-up", "vers le haut", { dx: 0, dy: -1 }],
  ["chevron-down", "vers le bas", { dx: 0, dy: 1 }],
  ["chevron-right", "vers la droite", { dx: 1, dy: 0 }],
] as const;
const STEP_PT = 5;

/** Positions without dragging: nine presets and arrows, for thumb and keyboard (WCAG 2.5.7). */
function ArrowPad({ file, placing }: { readonly file: ReadyFile; readonly placing: Placing }) {
  const { rule, box } = placing.placeOf(file);
  const size = modelSize(rule, file);
  const preset = nearestPreset(box);
  const act = (kind: "move" | "resize", by: { dx: number; dy: number }, words: string) => {
    placing.nudge(file, { kind, by: { dx: by.dx * STEP_PT, dy: by.dy * STEP_PT } }, size);
    announce(words);
  };
  return (
    <div className="stack stack--sm">
      <SelectField
        label="Emplacement"
        size="sm"
        value={preset ?? ""}
        onChange={(event) => {
          const chosen = PRESETS.find(({ id }) => id === event.target.value);
          if (chosen) placing.setBox(file, presetBox(chosen, box));
        }}
      >
        {preset === null ? <option value="">Personnalisé</option> : null}
        {PRESETS.map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </SelectField>
      <div className={styles["arrows"]} role="group" aria-label="Ajuster la position">
        {ARROWS.map(([icon, words, by]) => (
          <Button
            key={icon}
            size="sm"
            square
            aria-label={`Déplacer ${words}`}
            onClick={() => act("move", by, `Déplacé de 5 points ${words}`)}
          >
            <Icon name={icon} />
          </Button>
        ))}
        <Button
          size="sm"
          square
          aria-label="Réduire"
          onClick={() => act("resize", { dx: -2, dy: -1 }, "Réduit")}
        >
          <Icon name="M4 10h6V4M20 14h-6v6M10 10 4 4M14 14l6 6" />
        </Button>
        <Button
          size="sm"
          square
          aria-label="Agrandir"
          onClick={() => act("resize", { dx: 2, dy: 1 }, "Agrandi")}
        >
          <Icon name="M4 10V4h6M20 14v6h-6M4 4l6 6M20 20l-6-6" />
        </Button>
      </div>
    </div>
  );
}

type PlacingSideProps = PositionProps & {
  readonly shown: ReadyFile;
  readonly index: number;
  readonly isMatrix: boolean;
  readonly isCovering: boolean;
  readonly onShow: (index: number) => void;
  readonly onMatrix: (isOpen: boolean) => void;
};

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
        <div className={styles["mark"]}>
          {mark ? (
            <MarkPicture look={mark.look} />
          ) : (
            <span className="muted">Aucune signature</span>
          )}
        </div>
      </section>
      <RuleFields rule={rule} onRule={(next) => placing.setRule(shown, next)} />
      <ArrowPad file={shown} placing={placing} />
      <PlacingLayouts file={shown} placing={placing} />
      <Alert tone="info">{`La position est reprise en pourcentage de la page${files.length > 1 ? `, sur chacun des ${formatCount(files.length)} fichiers` : ""}.`}</Alert>
      <OtherFile {...props} />
      {fault ? <Alert tone="danger" title={fault} /> : null}
      <Checkbox
        label="Position propre à ce fichier"
        checked={isOwn}
        onChange={() => placing.toggleOwn(shown)}
      />
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

function RuleFields({
  rule,
  onRule,
}: {
  readonly rule: PageRule;
  readonly onRule: (rule: PageRule) => void;
}) {
  const choose = (kind: string) => {
    if (kind === "number") onRule({ kind, number: 1 });
    else if (kind === "last" || kind === "first" || kind === "all") onRule({ kind });
  };
  return (
    <>
      <SelectField
        label="Pages à signer"
        size="sm"
        value={rule.kind}
        onChange={(event) => choose(event.target.value)}
      >
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
          onChange={(event) =>
            onRule({
              kind: "number",
              number: Math.min(2000, Math.max(1, Math.round(Number(event.target.value)) || 1)),
            })
          }
        />
      ) : null}
    </>
  );
}

/** Previews the place on each file, before anything is signed. */
function OtherFile({ files, placing, shown, index, isCovering, onShow }: PlacingSideProps) {
  const model = files[0];
  const isOther =
    model !== undefined &&
    pageFormat(modelSize(placing.placeOf(shown).rule, shown)) !==
      pageFormat(modelSize(placing.common.rule, model));
  return (
    <section className="stack stack--sm" aria-labelledby="lot-controle">
      <SideHeading id="lot-controle">Contrôler un autre fichier</SideHeading>
      <div className="row row--nw">
        <Button
          size="sm"
          square
          aria-label="Fichier précédent"
          disabled={index === 0}
          onClick={() => onShow(index - 1)}
        >
          <Icon name="chevron-left" />
        </Button>
        <span className="grow num" style={{ textAlign: "center" }} role="status">
          {`${formatCount(index + 1)} sur ${formatCount(files.length)}`}
          <span className="sr">{`, ${shown.file.name}`}</span>
        </span>
        <Button
          size="sm"
          square
          aria-label="Fichier suivant"
          disabled={index === files.length - 1}
          onClick={() => onShow(index + 1)}
        >
          <Icon name="chevron-right" />
        </Button>
      </div>
      <p className="muted small break">{shown.file.name}</p>
      {isOther ? <Flag words="Format différent du modèle" /> : null}
      <div role="status">{isCovering ? <Flag words={COVERS_TEXT} /> : null}</div>
    </section>
  );
}

export type PositionProps = {
  readonly files: readonly ReadyFile[];
  readonly placing: Placing;
  readonly mark: ChosenMark | null;
  readonly ifFixable: "accept" | "refuse";
  /** Fraction sent; null before. */
  readonly sending: number | null;
  readonly onMark: () => void;
  readonly onFixable: (choice: "accept" | "refuse") => void;
  readonly onExclude: (key: string) => void;
  readonly onBack: () => void;
  readonly onSign: () => void;
};
