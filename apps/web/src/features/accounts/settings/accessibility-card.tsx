import { useSyncExternalStore } from "react";
import { chooseAccessibility, onAccessibilityChange, readAccessibility } from "../../../lib/accessibility.ts";
import { ChoiceRow } from "./choice-row.tsx";

/** Size, contrast and motion of the pages, on this device. */
export function AccessibilityCard() {
  const { text, contrast, motion } = useSyncExternalStore(onAccessibilityChange, readAccessibility);
  return (
    <section className="card" aria-labelledby="titre-accessibilite">
      <div className="card__head">
        <h2 className="h2" id="titre-accessibilite">
          Accessibilité
        </h2>
      </div>
      <div className="card__body">
        <ChoiceRow
          title="Taille du texte"
          value={text}
          options={[
            { value: "normal", label: "Normale" },
            { value: "large", label: "Grande" },
            { value: "larger", label: "Très grande" },
          ]}
          onChange={(value) => chooseAccessibility({ text: value })}
        >
          Sur cet appareil. Les documents s’agrandissent avec la loupe du lecteur.
        </ChoiceRow>
        <ChoiceRow
          title="Contraste"
          value={contrast}
          options={[
            { value: "system", label: "Système" },
            { value: "more", label: "Renforcé" },
          ]}
          onChange={(value) => chooseAccessibility({ contrast: value })}
        >
          Textes et contours plus marqués.
        </ChoiceRow>
        <ChoiceRow
          title="Animations"
          value={motion}
          options={[
            { value: "system", label: "Système" },
            { value: "less", label: "Réduites" },
          ]}
          onChange={(value) => chooseAccessibility({ motion: value })}
        >
          Rien ne bouge sans que vous l’ayez demandé.
        </ChoiceRow>
      </div>
    </section>
  );
}
