import type { Arrangement } from "../../../pdf/arrange-boxes.ts";
import type { IconName } from "../../../ui/icon/icon-paths.ts";

/** The ways to arrange several fields; two are aligned, three are spread. */
export const ARRANGEMENTS: readonly {
  readonly how: Arrangement;
  readonly label: string;
  readonly icon: IconName;
  readonly least: 2 | 3;
}[] = [
  { how: "left", label: "Aligner à gauche", icon: "align-left", least: 2 },
  { how: "center", label: "Centrer sur la même verticale", icon: "align-center", least: 2 },
  { how: "right", label: "Aligner à droite", icon: "align-right", least: 2 },
  { how: "top", label: "Aligner en haut", icon: "align-top", least: 2 },
  { how: "middle", label: "Centrer sur la même ligne", icon: "align-middle", least: 2 },
  { how: "bottom", label: "Aligner en bas", icon: "align-bottom", least: 2 },
  { how: "spread-x", label: "Répartir en largeur", icon: "spread-x", least: 3 },
  { how: "spread-y", label: "Répartir en hauteur", icon: "spread-y", least: 3 },
];
