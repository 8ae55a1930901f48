import { announce } from "../../../lib/announce.ts";
import { Button } from "../../../ui/button/button.tsx";
import { SelectField } from "../../../ui/field/select-field.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import type { ReadyFile } from "./batch-file.ts";
import styles from "./bulk.module.css";
import { modelSize } from "./page-rule.ts";
import { nearestPreset, PRESETS, presetBox } from "./preset-places.ts";
import type { Placing } from "./use-placing.ts";

const ARROWS = [
  ["chevron-left", "vers la gauche", { dx: -1, dy: 0 }],
  ["chevron-up", "vers le haut", { dx: 0, dy: -1 }],
  ["chevron-down", "vers le bas", { dx: 0, dy: 1 }],
  ["chevron-right", "vers la droite", { dx: 1, dy: 0 }],
] as const;
const STEP_PT = 5;

/** The place without a pointer: nine points, then fine arrows; the same by thumb and by keyboard. */
export function ArrowPad({ file, placing }: { readonly file: ReadyFile; readonly placing: Placing }) {
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
        <Button size="sm" square aria-label="Réduire" onClick={() => act("resize", { dx: -2, dy: -1 }, "Réduit")}>
          <Icon name="shrink" />
        </Button>
        <Button size="sm" square aria-label="Agrandir" onClick={() => act("resize", { dx: 2, dy: 1 }, "Agrandi")}>
          <Icon name="enlarge" />
        </Button>
      </div>
    </div>
  );
}
