import { type ComponentProps, type ReactNode, useSyncExternalStore } from "react";
import {
  chooseAccessibility,
  onAccessibilityChange,
  readAccessibility,
} from "../../../lib/browser/accessibility.ts";
import { chooseTheme, onThemeChange, readTheme } from "../../../lib/browser/theme.ts";
import { Segmented } from "../../../ui/segmented/segmented.tsx";
import { SettingRow } from "./setting-row.tsx";

type Props<T extends string> = Omit<ComponentProps<typeof Segmented<T>>, "label"> & {
  readonly title: string;
  readonly children: ReactNode;
};

function ChoiceRow<T extends string>({ title, children, ...choice }: Props<T>) {
  return (
    <SettingRow title={title} stacked control={<Segmented {...choice} label={title} />}>
      <p>{children}</p>
    </SettingRow>
  );
}

export function AppearanceCard() {
  const theme = useSyncExternalStore(onThemeChange, readTheme);
  return (
    <section className="card" aria-labelledby="titre-apparence">
      <div className="card__head">
        <h2 className="h2" id="titre-apparence">
          Apparence
        </h2>
      </div>
      <div className="card__body">
        <ChoiceRow
          title="Thème"
          value={theme}
          options={[
            { value: "light", label: "Clair" },
            { value: "dark", label: "Sombre" },
            { value: "system", label: "Système" },
          ]}
          onChange={chooseTheme}
        >
          Les documents restent sur fond blanc.
        </ChoiceRow>
      </div>
    </section>
  );
}

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
