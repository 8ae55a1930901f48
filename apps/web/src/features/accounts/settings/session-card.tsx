import { Button } from "../../../ui/button/button.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { useLogOut } from "../use-session.ts";
import { SettingRow } from "./setting-row.tsx";

export function SessionCard() {
  const { logOut, isPending } = useLogOut();
  return (
    <section className="card" aria-label="Session">
      <div className="card__body">
        <SettingRow
          title="Session"
          control={
            <Button size="sm" loading={isPending} onClick={logOut}>
              <Icon name="logout" size="sm" />
              Déconnexion
            </Button>
          }
        >
          <p>Ouverte sur cet appareil</p>
        </SettingRow>
      </div>
    </section>
  );
}
