import { Button } from "../../ui/button/button.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { PageHeading } from "../../ui/page-heading/page-heading.tsx";

/** The service did not answer when the page opened. */
export function ServiceAway({ onRetry }: { readonly onRetry: () => void }) {
  return (
    <main className="main stack" id="contenu" role="alert">
      <PageHeading title="Service injoignable">Erreur réseau ou serveur injoignable</PageHeading>
      <p className="ink2">Vérifiez votre connexion, puis réessayez. Rien n’a été perdu.</p>
      <div>
        <Button variant="primary" onClick={onRetry}>
          <Icon name="refresh" />
          Réessayer
        </Button>
      </div>
    </main>
  );
}
