import { useSyncExternalStore } from "react";
import { chooseTheme, onThemeChange, readTheme } from "../../../lib/theme.ts";
import { ChoiceRow } from "./choice-row.tsx";

/** The theme of this device. */
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
