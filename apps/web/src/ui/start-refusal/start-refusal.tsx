import { PageHeading } from "../page-heading/page-heading.tsx";

/** Specification §7: the base is missing, or is not HTTPS. */
export function StartRefusal({ reason }: { readonly reason: string }) {
  return (
    <main className="main" id="contenu">
      <div className="stack" role="alert">
        <PageHeading title="Démarrage impossible">Paraphe ne peut pas démarrer</PageHeading>
        <p className="ink2">{reason}</p>
        <p className="ink2">
          Vos documents et vos identifiants ne circulent que par une connexion chiffrée. Vérifiez
          que l’adresse commence par https://, ou prévenez la personne qui administre ce service.
        </p>
      </div>
    </main>
  );
}
