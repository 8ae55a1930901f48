import { useSyncExternalStore } from "react";
import { chooseTheme, onThemeChange, readTheme } from "../../lib/theme.ts";
import { Segmented } from "../../ui/segmented/segmented.tsx";
import { SettingRow } from "./setting-row.tsx";

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
        <SettingRow
          title="Thème"
          stacked
          control={
            <Segmented
              label="Thème"
              value={theme}
              options={[
                { value: "light", label: "Clair" },
                { value: "dark", label: "Sombre" },
                { value: "system", label: "Système" },
              ]}
              onChange={chooseTheme}
            />
          }
        >
          <p>Les documents restent sur fond blanc.</p>
        </SettingRow>
      </div>
    </section>
  );
}
