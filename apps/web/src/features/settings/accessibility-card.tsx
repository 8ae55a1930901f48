import { useSyncExternalStore } from "react";
import { chooseAccessibility, onAccessibilityChange, readAccessibility } from "../../lib/accessibility.ts";
import { Segmented } from "../../ui/segmented/segmented.tsx";
import { SettingRow } from "./setting-row.tsx";

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
        <SettingRow
          title="Taille du texte"
          stacked
          control={
            <Segmented
              label="Taille du texte"
              value={text}
              options={[
                { value: "normal", label: "Normale" },
                { value: "large", label: "Grande" },
                { value: "larger", label: "Très grande" },
              ]}
              onChange={(value) => chooseAccessibility({ text: value })}
            />
          }
        >
          <p>Sur cet appareil. Les documents s’agrandissent avec la loupe du lecteur.</p>
        </SettingRow>
        <SettingRow
          title="Contraste"
          stacked
          control={
            <Segmented
              label="Contraste"
              value={contrast}
              options={[
                { value: "system", label: "Système" },
                { value: "more", label: "Renforcé" },
              ]}
              onChange={(value) => chooseAccessibility({ contrast: value })}
            />
          }
        >
          <p>Textes et contours plus marqués.</p>
        </SettingRow>
        <SettingRow
          title="Animations"
          stacked
          control={
            <Segmented
              label="Animations"
              value={motion}
              options={[
                { value: "system", label: "Système" },
                { value: "less", label: "Réduites" },
              ]}
              onChange={(value) => chooseAccessibility({ motion: value })}
            />
          }
        >
          <p>Rien ne bouge sans que vous l’ayez demandé.</p>
        </SettingRow>
      </div>
    </section>
  );
}
